"""ONNX Runtime's side of bench predict: NETWORK RECORDS. For each line of standard input it prints how many records a second the
network's layers compute, with random weights, from arrays in memory, in the fastest of some sizes of a batch."""

import sys
import time

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

BATCHES = [128, 512, 2048]
random = np.random.default_rng(3)


class Graph:
    def __init__(self) -> None:
        self.nodes: list = []
        self.weights: list = []

    def weight(self, *shape: int) -> str:
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(random.normal(0, 0.1, shape).astype(np.float32), name))
        return name

    def numbers(self, *values: int) -> str:
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.array(values, np.int64), name))
        return name

    def add(self, op: str, *inputs: str, **attributes) -> str:
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [name], **attributes))
        return name

    def dense(self, x: str, inputs: int, units: int) -> str:
        return self.add("Add", self.add("MatMul", x, self.weight(inputs, units)), self.weight(units))

    def lstm(self, x: str, inputs: int, units: int) -> str:
        """[steps, rows, inputs] to [steps, rows, units]."""
        name = f"v{len(self.nodes)}"
        weights = [self.weight(1, 4 * units, inputs), self.weight(1, 4 * units, units), self.weight(1, 8 * units)]
        self.nodes.append(helper.make_node("LSTM", [x, *weights], [name], hidden_size=units))
        return self.add("Squeeze", name, self.numbers(1))


def mlp() -> tuple[Graph, str, tuple[int, ...]]:
    graph = Graph()
    x = graph.add("Relu", graph.dense("x", 784, 512))
    return graph, graph.dense(graph.add("Relu", graph.dense(x, 512, 512)), 512, 10), (784,)


def lstm64() -> tuple[Graph, str, tuple[int, ...]]:
    graph = Graph()
    steps = graph.lstm(graph.add("Transpose", "x", perm=[1, 0, 2]), 8, 64)
    code = graph.add("Slice", graph.lstm(steps, 64, 16), graph.numbers(63), graph.numbers(64), graph.numbers(0))
    again = graph.add("Tile", code, graph.numbers(64, 1, 1))
    restored = graph.dense(graph.lstm(again, 16, 64), 64, 8)
    return graph, graph.add("Transpose", restored, perm=[1, 0, 2]), (64, 8)


def session(network: str) -> tuple[onnxruntime.InferenceSession, tuple[int, ...]]:
    graph, output, shape = {"mlp": mlp, "lstm64": lstm64}[network]()
    outputs = {"mlp": (10,), "lstm64": shape}[network]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [None, *shape])
    y = helper.make_tensor_value_info(output, TensorProto.FLOAT, [None, *outputs])
    model = helper.make_model(helper.make_graph(graph.nodes, network, [x], [y], graph.weights),
                              opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    return onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"]), shape


def main(network: str, records: int) -> None:
    run, shape = session(network)
    values = random.normal(size=(records, *shape)).astype(np.float32)

    def seconds(batch: int) -> float:
        start = time.perf_counter()
        for begin in range(0, records, batch):
            run.run(None, {"x": values[begin:begin + batch]})
        return time.perf_counter() - start

    for batch in BATCHES:
        seconds(batch)
    best = min(BATCHES, key=seconds)
    for _ in sys.stdin:
        print(records / seconds(best), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
