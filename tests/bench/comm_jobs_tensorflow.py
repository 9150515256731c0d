"""TensorFlow's side of bench comm's jobs: ParameterServerStrategy with a ClusterCoordinator here, and processes for a server and two workers.

    NETWORK FOLDER STEPS     for each line of standard input prints how many steps there are a second, over so many, the CPU time of all
                             processes for each, and the last loss. A step is a batch of one worker, which updates the parameters
    serve KIND NUMBER SERVER WORKER WORKER    is the process NUMBER of a kind, `ps` or `worker`, at these addresses

As TensorFlow's guide advises, one call to a worker has several steps. The layers are those operators of TensorFlow that are fastest on the
CPU: BlockLSTMV2 computes all time steps of a layer. Adam is one operator for each variable, on the server.
"""

import os
import subprocess
import sys
import tempfile
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import tensorflow as tf

from bench.comm_tensorflow import cpu_seconds, free_address

BATCH, PACKED = 128, 10
TIMES, FEATURES, UNITS, CODE = 64, 8, 64, 16
ON_SERVER = "/job:ps/replica:0/task:0/device:CPU:0"


def lstm(values: tf.Tensor, weights: tf.Variable, biases: tf.Variable) -> tf.Tensor:
    """Of values by time and row: the states of all time steps."""
    units = biases.shape[0] // 4
    start, no_peephole = tf.zeros((BATCH, units)), tf.zeros(units)
    return tf.raw_ops.BlockLSTMV2(seq_len_max=tf.constant(TIMES, tf.int64), x=values, cs_prev=start, h_prev=start, w=weights, wci=no_peephole,
                                  wcf=no_peephole, wco=no_peephole, b=biases, cell_clip=0.0, use_peephole=False).h


def autoencoder_loss(variables: list, window: tf.Tensor) -> tf.Tensor:
    by_time = tf.transpose(window, (1, 0, 2))
    code = lstm(lstm(by_time, *variables[0:2]), *variables[2:4])[-1]
    decoded = lstm(tf.repeat(code[None], TIMES, axis=0), *variables[4:6])
    restored = tf.reshape(decoded, (-1, UNITS)) @ variables[6] + variables[7]
    return tf.reduce_mean(tf.square(restored - tf.reshape(by_time, (-1, FEATURES))))


def mlp_loss(variables: list, pixels: tf.Tensor, digit: tf.Tensor) -> tf.Tensor:
    values = pixels
    for layer in range(3):
        values = values @ variables[2 * layer] + variables[2 * layer + 1]
        values = tf.nn.relu(values) if layer < 2 else values
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.reshape(digit, (-1,)), logits=values))


def dense(inputs: int, units: int, columns: int = 1) -> list[np.ndarray]:
    """Weights and biases; `columns` of them, which are one kernel of an LSTM."""
    limit = (6 / (inputs + units)) ** 0.5
    return [np.random.default_rng(1).uniform(-limit, limit, (inputs, units * columns)), np.zeros(units * columns)]


NETWORKS = {
    "lstm64": (autoencoder_loss, [*dense(FEATURES + UNITS, UNITS, 4), *dense(UNITS + CODE, CODE, 4), *dense(CODE + UNITS, UNITS, 4),
                                  *dense(UNITS, FEATURES)], {"window": (TIMES, FEATURES)}),
    "mlp": (mlp_loss, [*dense(784, 512), *dense(512, 512), *dense(512, 10)], {"pixels": (784,), "digit": (1,)}),
}


class Adam:
    def __init__(self, variables: list):
        self.variables = variables
        self.moments = [(tf.Variable(tf.zeros(one.shape)), tf.Variable(tf.zeros(one.shape))) for one in variables]
        self.powers = [tf.Variable(0.9), tf.Variable(0.999)]

    def apply(self, gradients: list) -> None:
        with tf.device(ON_SERVER):
            powers = [power.read_value() for power in self.powers]
            for variable, (m, v), gradient in zip(self.variables, self.moments, gradients):
                tf.raw_ops.ResourceApplyAdam(var=variable.handle, m=m.handle, v=v.handle, beta1_power=powers[0], beta2_power=powers[1],
                                             lr=0.001, beta1=0.9, beta2=0.999, epsilon=1e-7, grad=gradient)
            for power, beta in zip(self.powers, (0.9, 0.999)):
                power.assign(power * beta, read_value=False)


def batches(files: list[tuple[str, tf.DType, tuple]]) -> tf.data.Dataset:
    """Of arrays in memory, as that is fastest: the rows of a batch, in a new order in each epoch."""
    columns = [tf.reshape(tf.io.decode_raw(tf.io.read_file(file), kind), (-1, *shape)) for file, kind, shape in files]
    rows = tf.data.Dataset.range(tf.shape(columns[0], tf.int64)[0]).shuffle(100_000).repeat().batch(BATCH, drop_remainder=True)
    return rows.map(lambda some: tuple(tf.gather(column, some) for column in columns)).prefetch(4)


def measure(network: str, arrays: str, steps: int, addresses: dict, pids: list[int]) -> None:
    loss_of, initial, shapes = NETWORKS[network]
    resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(tf.train.ClusterSpec(addresses), rpc_layer="grpc")
    strategy = tf.distribute.ParameterServerStrategy(resolver)
    coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
    with tf.device(ON_SERVER):
        variables = [tf.Variable(values.astype(np.float32)) for values in initial]
        optimizer = Adam(variables)

    @tf.function
    def several_steps(iterator):
        loss = 0.0
        for _ in tf.range(PACKED):
            batch = next(iterator)
            with tf.GradientTape() as tape:
                loss = loss_of([variable.read_value() for variable in variables], *batch)
            optimizer.apply(tape.gradient(loss, variables))
        return loss

    with tempfile.TemporaryDirectory() as folder:
        files = []
        content = np.load(f"{arrays}/{'mlp' if network == 'mlp' else 'lstm'}.npz")
        for name, shape in shapes.items():
            content[name].tofile(f"{folder}/{name}")
            files.append((f"{folder}/{name}", tf.as_dtype(content[name].dtype), shape))
        iterator = iter(coordinator.create_per_worker_dataset(lambda: batches(files)))

        def seconds_of(calls: int) -> tuple[float, float]:
            begun = time.perf_counter()
            results = [coordinator.schedule(several_steps, args=(iterator,)) for _ in range(calls)]
            coordinator.join()
            return time.perf_counter() - begun, float(results[-1].fetch())

        seconds_of(4)  # to warm up
        calls = max(steps // PACKED, 2)
        for _ in sys.stdin:
            before = cpu_seconds(pids)
            seconds, loss = seconds_of(calls)
            cpu = (cpu_seconds(pids) - before) / (calls * PACKED)
            print(calls * PACKED / seconds, f"cpu_ms={cpu * 1e3:.4g}", f"loss={loss:.4g}", flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        kind, number, server, *workers = sys.argv[2:]
        tf.distribute.Server(tf.train.ClusterSpec({"ps": [server], "worker": workers}), job_name=kind, task_index=int(number),
                             protocol="grpc").join()
    network, folder, steps = sys.argv[1:]
    places = [free_address() for _ in range(3)]
    started = [subprocess.Popen([sys.executable, __file__, "serve", kind, str(number), *places])
               for kind, number in (("ps", 0), ("worker", 0), ("worker", 1))]
    try:
        measure(network, folder, int(steps), {"ps": places[:1], "worker": places[1:]}, [os.getpid(), *(one.pid for one in started)])
    finally:
        for one in started:
            one.kill()
            one.wait()
