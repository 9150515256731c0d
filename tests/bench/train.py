"""bench train: training on this machine by `carrack run`, from TFRecords, against PyTorch from arrays in memory, on all cores."""
# builds: carrack carrack-trainer bench_matrix

import contextlib
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from bench import pairs
from interop import peers
from support.programs_of_run import programs_of

PEER = Path(__file__).with_name("train_torch.py")
CORES = 2
LONG = {"mlp": 45, "lstm64": 15}  # times the epochs of a network: about half a minute, for checkpoints by time

MLP = """
    - {kind: Dense, inputs: [pixels], units: 512, activation: ReLU}
    - {kind: Dense, units: 512, activation: ReLU}
    - {kind: Dense, units: 10}"""


# An autoencoder of windows of 64 steps of 8 values, with so many units around a code of a quarter of them, at least 16.
def autoencoder(kind: str, units: int) -> str:
    code = max(units // 4, 16)
    return f"""
    - {{kind: {kind}, inputs: [window], units: {units}, returnSequences: true}}
    - {{kind: {kind}, units: {code}}}
    - {{kind: RepeatVector, times: 64}}
    - {{kind: {kind}, units: {units}, returnSequences: true}}
    - {{kind: TimeDistributed, units: 8}}"""


def recurrent_operations(gates: int, units: int) -> float:
    """Of a step, forward and twice as much backward, but for the gradient of the windows, which nobody needs."""
    code = max(units // 4, 16)
    layers = [(8, units, 2), (units, code, 3), (code, units, 3)]
    products = sum(gates * of * (inputs * times + of * 3) for inputs, of, times in layers)
    return 2 * 128 * 64 * (products + 3 * units * 8)


# An encoder of such windows: two blocks of attention and of two dense layers, each behind a norm and added to what it reads.
WIDTH, HEADS, INNER, BLOCKS = 64, 4, 256, 2


def transformer() -> str:
    lines = f"""
    - {{kind: Dense, inputs: [window], units: {WIDTH}}}
    - {{kind: PositionEmbedding, name: block}}"""
    for number in range(BLOCKS):
        before, after = ("block", f"block{number + 1}") if number == 0 else (f"block{number}", f"block{number + 1}")
        lines += f"""
    - {{kind: LayerNorm, epsilon: 1e-5}}
    - {{kind: MultiHeadAttention, name: attention{number}, heads: {HEADS}, keySize: {WIDTH // HEADS}}}
    - {{kind: Add, name: between{number}, inputs: [{before}, attention{number}]}}
    - {{kind: LayerNorm, epsilon: 1e-5}}
    - {{kind: Dense, units: {INNER}, activation: GELU}}
    - {{kind: Dense, name: dense{number}, units: {WIDTH}}}
    - {{kind: Add, name: {after}, inputs: [between{number}, dense{number}]}}"""
    return lines + """
    - {kind: LayerNorm, epsilon: 1e-5}
    - {kind: Dense, units: 8}"""


def transformer_operations() -> float:
    """Of a step, forward and twice as much backward, but for the gradient of the windows."""
    block = 4 * WIDTH * WIDTH + 2 * 64 * WIDTH + 2 * WIDTH * INNER
    return 2 * 128 * 64 * (2 * 8 * WIDTH + 3 * BLOCKS * block + 3 * WIDTH * 8)


# A residual network of images of 32 x 32 pixels: a first convolution, and stages of a block each, the second of which
# halves the image. Each convolution is 3 x 3 and behind it is a BatchNorm.
STAGES = (32, 64)


def residual() -> str:
    def normal(number: str, reads: str, filters: int, strides: int = 1, size: int = 3) -> str:
        return f"""
    - {{kind: Conv2D, inputs: [{reads}], filters: {filters}, kernelSize: [{size}], strides: [{strides}], padding: Same, bias: false}}
    - {{kind: BatchNorm, name: {number}}}"""

    lines = """
    - {kind: Reshape, name: image, inputs: [pixels], shape: [32, 32, 3]}""" + normal("first", "image", STAGES[0]) + """
    - {kind: Activation, name: stage0, activation: ReLU}"""
    for stage, filters in enumerate(STAGES):
        strides = 1 if stage == 0 else 2
        lines += normal(f"a{stage}", f"stage{stage}", filters, strides) + f"""
    - {{kind: Activation, name: between{stage}, activation: ReLU}}""" + normal(f"b{stage}", f"between{stage}", filters)
        shortcut = f"stage{stage}"
        if strides > 1:
            lines += normal(f"short{stage}", shortcut, filters, strides, size=1)
            shortcut = f"short{stage}"
        lines += f"""
    - {{kind: Add, name: sum{stage}, inputs: [b{stage}, {shortcut}]}}
    - {{kind: Activation, name: stage{stage + 1}, activation: ReLU}}"""
    return lines + """
    - {kind: GlobalAveragePool2D}
    - {kind: Dense, units: 10}"""


def residual_operations() -> float:
    """Of a step, forward and twice as much backward, but for the gradient of the images."""
    first, second = STAGES
    products = 2 * 1024 * 9 * 3 * first + 3 * (2 * 1024 * 9 * first * first + 256 * (9 * first * second + 9 * second * second + first * second))
    return 2 * 64 * (products + 3 * second * 10)


@dataclass
class Network:
    """A model and its data; `operations` are the multiply-adds of a step times two, in products alone."""

    data: str  # the arrays' name
    features: str
    model: str
    optimizer: str
    batch: int
    steps_per_epoch: int
    epochs: int  # of the long run
    operations: float = 0


def layers(lines: str, loss: str) -> str:
    return f"\n    layers:{lines}\n    loss: {{{loss}}}"


NETWORKS = {
    "linear": Network("linear", "x: {type: float32, size: 1000}, \"y\": {type: float32}",
                      " {kind: LinearRegression, input: x, target: \"y\"}", "kind: SGD, learningRate: 0.001", 64, 100, 40),
    "mlp": Network("mlp", "pixels: {type: float32, size: 784}, digit: {type: int64}",
                   layers(MLP, "kind: SoftmaxCrossEntropy, target: digit"), "kind: Adam", 128, 100, 6,
                   2 * 128 * (2 * 784 * 512 + 3 * 512 * 512 + 3 * 512 * 10)),
    **{f"{kind.lower()}{units}": Network("lstm", "window: {type: float32, shape: [64, 8]}",
                                         layers(autoencoder(kind, units), "kind: MSE, target: window"), "kind: Adam", 128, 50,
                                         6 if units < 100 else 2, recurrent_operations(4 if kind == "LSTM" else 3, units))
       for kind, units in (("LSTM", 64), ("GRU", 64), ("LSTM", 256))},
    "cnn": Network("cnn", "pixels: {type: float32, size: 3072}, digit: {type: int64}",
                   layers(residual(), "kind: SoftmaxCrossEntropy, target: digit"), "kind: Adam", 64, 50, 6, residual_operations()),
    "transformer": Network("lstm", "window: {type: float32, shape: [64, 8]}", layers(transformer(), "kind: MSE, target: window"),
                           "kind: Adam", 128, 50, 6, transformer_operations()),
}


def manifest(name: str, data: Path, epochs: int, processes: str = "strategy: Single", consistency: str = "Sync", take: int = 0,
             deterministic: bool = False, evaluate: bool = False, every_seconds: int = 300) -> str:
    """Of a network's job; `processes` are the lines of its strategy and its replicas."""
    network = NETWORKS[name]
    stages = f", stages: [take: {take}, shuffle: {{}}]" if take else ""
    held_out = f'\n    eval: {{files: ["{data}/{network.data}-held-out.tfrecord"]}}' if evaluate else ""
    return f"""
apiVersion: carrack.dev/v1alpha1
kind: TrainingJob
metadata: {{name: {name}}}
spec:
  {processes}
  model:{network.model}
  data:
    train: {{files: ["{data}/{network.data}.tfrecord"]{stages}}}{held_out}
    features: {{{network.features}}}
  training:
    batch: {network.batch}
    epochs: {epochs}
    optimizer: {{{network.optimizer}}}
    deterministic: {str(deterministic).lower()}
    consistency: {consistency}
  checkpoint: {{everySeconds: {every_seconds}}}
"""


def peer(*arguments: str) -> list[str]:
    """The command line of PyTorch's side."""
    return [str(peers.installed_python("torch")), str(PEER), *arguments]


class Jobs:
    """Runs the networks' jobs, each in a folder of its own that is removed."""

    def __init__(self, build: str, data: Path):
        self.program = f"{build}/bin/carrack"
        self.data = data

    @contextlib.contextmanager
    def run(self, name: str, epochs: int, take: int = 0, deterministic: bool = False, evaluate: bool = False, every_seconds: int = 300):
        """A whole `carrack run` as a process, which has succeeded once the context is left."""
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "job.yaml").write_text(manifest(name, self.data, epochs, take=take, deterministic=deterministic,
                                                         evaluate=evaluate, every_seconds=every_seconds))
            log = Path(folder, "printed")
            with log.open("w") as printed, subprocess.Popen([self.program, "run", "job.yaml"], cwd=folder, stdout=printed,
                                                            stderr=subprocess.STDOUT) as process:
                yield process
            if process.returncode != 0:
                sys.exit(f"bench train: {name} failed\n{log.read_text()}")

    def seconds(self, name: str, epochs: int, **more) -> float:
        """The wall time of a whole run."""
        start = time.perf_counter()
        with self.run(name, epochs, **more) as process:
            process.wait()
            return time.perf_counter() - start

    def steps_per_second_with_checkpoints(self, name: str, evaluate: bool) -> float:
        """Of a whole run of half a minute or more, with a checkpoint every 10 s, which is evaluated, or is not."""
        network = NETWORKS[name]
        epochs = network.epochs * LONG[name]
        return epochs * network.steps_per_epoch / self.seconds(name, epochs, evaluate=evaluate, every_seconds=10)

    def peak_memory(self, name: str) -> float:
        """The most memory in bytes that `carrack run` had over an epoch, and its trainer."""
        peaks: dict[int, int] = {}
        with self.run(name, 1) as process:
            while process.poll() is None:
                for pid in (process.pid, *programs_of(process.pid)):
                    with contextlib.suppress(OSError):  # it has ended meanwhile
                        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
                            if line.startswith("VmHWM:"):
                                peaks[pid] = int(line.split()[1]) * 1024
                time.sleep(0.02)
        return sum(peaks.values())

    def steps_per_second(self, name: str, deterministic: bool = False) -> float:
        """By two runs of different lengths, so that start and end do not count."""
        network = NETWORKS[name]
        short = max(network.epochs // 6, 1)
        seconds = self.seconds(name, network.epochs, deterministic=deterministic) - self.seconds(name, short, deterministic=deterministic)
        return (network.epochs - short) * network.steps_per_epoch / seconds


class TorchSteps:
    """A process of PyTorch for each network, which stays, as compiling takes minutes: it compiles once, and sleeps between pairs."""

    def __init__(self, data: Path):
        self.data = data
        self.processes: dict[str, subprocess.Popen] = {}

    def per_second(self, name: str) -> float:
        steps = NETWORKS[name].steps_per_epoch * max(NETWORKS[name].epochs // 4, 1)
        if name not in self.processes:
            self.processes[name] = subprocess.Popen(peer("steps", name, str(self.data), str(steps)),
                                                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        process = self.processes[name]
        process.stdin.write("\n")
        return steps / float(process.stdout.readline())


def seconds_of(command: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - start


def peak(build: str) -> float:
    """Floating-point operations a second of multiply-adds in registers, on all cores at once."""
    command = [f"{build}/bin/bench_matrix", "fma", "1", "256", "256", "256", "none", "1"]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(CORES)]
    return sum(max(float(line.split()[1]) for line in one.communicate()[0].splitlines()) for one in started)


def prepare(build: str, data: Path) -> None:
    data.mkdir(parents=True, exist_ok=True)
    if (data / "complete").exists() and (data / "cnn-held-out.tfrecord").exists():
        return
    subprocess.run(peer("arrays", str(data)), check=True)
    for arrays in data.glob("*.npz"):
        subprocess.run([f"{build}/bin/carrack", "data", "convert", str(arrays), "--to", f"{data}/{arrays.stem}.tfrecord", "--force"],
                       check=True, capture_output=True)
    for records in data.glob("*.tfrecord"):
        subprocess.run([f"{build}/bin/carrack", "data", "index", str(records)], check=True, capture_output=True)
    (data / "complete").touch()


def cases(build: str) -> list[pairs.Case]:
    data = Path(build).resolve() / "bench" / "train"
    prepare(build, data)
    jobs, torch = Jobs(str(Path(build).resolve()), data), TorchSteps(data)
    version = peers.version("torch")
    found = []
    for name, network in NETWORKS.items():
        settings = {"cores": CORES, "batch": network.batch}
        found.append(pairs.Case(f"step.{name}.torch", lambda name=name: jobs.steps_per_second(name),
                                lambda name=name: torch.per_second(name), peer_name=version, unit="steps/s",
                                settings=settings))
        if network.operations == 0:
            continue
        found.append(pairs.Case(f"step.{name}.limit", lambda name=name: jobs.steps_per_second(name) * NETWORKS[name].operations,
                                lambda: peak(build), peer_name="multiply-adds-in-registers", unit="flop/s", settings=settings))
        found.append(pairs.Case(f"deterministic.{name}", lambda name=name: jobs.steps_per_second(name, deterministic=True),
                                lambda name=name: jobs.steps_per_second(name), peer_name="not-deterministic", unit="steps/s",
                                settings=settings))
    found += [pairs.Case(f"evaluation.{name}", lambda name=name: jobs.steps_per_second_with_checkpoints(name, evaluate=True),
                         lambda name=name: jobs.steps_per_second_with_checkpoints(name, evaluate=False), peer_name="not-evaluated",
                         unit="steps/s", pairs=3, settings={"cores": CORES, "held_out": "a fifth of the records"})
              for name in LONG]
    memory = peer("memory", "lstm64", str(data), str(NETWORKS["lstm64"].steps_per_epoch))
    found.append(pairs.Case("memory.lstm64.torch", lambda: jobs.peak_memory("lstm64"), pairs.number_from(*memory),
                            peer_name=version, unit="bytes", more_is_better=False))
    found.append(pairs.Case("start.mlp.torch", lambda: jobs.seconds("mlp", 1, take=128),
                            lambda: seconds_of(peer("once", "mlp", str(data))),
                            peer_name=version, unit="s", more_is_better=False))
    return found


if __name__ == "__main__":
    chosen = sys.argv[2:]
    pairs.run("train", [case for case in cases(sys.argv[1]) if not chosen or case.name in chosen])
