"""bench predict: `carrack predict` from TFRecords on all cores, with lines of JSON and with metrics alone, against TensorFlow, which
runs the exported model on the same records, and ONNX Runtime, which runs the same layers on arrays in memory. Neither of them
writes its results."""
# builds: carrack carrack-trainer

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench import pairs, train
from interop import peers

TENSORFLOW, ONNX = Path(__file__).with_name("predict_tensorflow.py"), Path(__file__).with_name("predict_onnx.py")
NETWORKS = ["mlp", "lstm64"]
SHORT = 256  # records whose time is that of start and end


class Models:
    """A checkpoint of each network, and its SavedModel, made once."""

    def __init__(self, build: str, data: Path):
        self.program, self.data = f"{build}/bin/carrack", data
        self.folder = Path(tempfile.mkdtemp(prefix="bench-predict-"))

    def make(self, name: str) -> Path:
        folder = self.folder / name
        if not folder.exists():
            network = train.NETWORKS[name]
            folder.mkdir()
            (folder / "job.yaml").write_text(f"""
apiVersion: carrack.dev/v1alpha1
kind: TrainingJob
metadata: {{name: {name}}}
spec:
  strategy: Single
  model:{network.model}
  data:
    train: {{files: ["{self.data}/{network.data}.tfrecord"], stages: [take: 1280]}}
    features: {{{network.features}}}
  training: {{batch: {network.batch}, optimizer: {{{network.optimizer}}}}}
  checkpoint: {{folder: checkpoints}}
""")
            for command in ["run", "job.yaml"], ["export", "checkpoints", "--to", "model/1"]:
                subprocess.run([self.program, *command], cwd=folder, check=True, capture_output=True)
        return folder

    def seconds(self, name: str, records: Path, *options: str) -> float:
        """Of the whole process."""
        start = time.perf_counter()
        subprocess.run([self.program, "predict", self.make(name) / "checkpoints", records, *options], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        return time.perf_counter() - start

    def first_records(self, name: str) -> Path:
        """So few that nearly all of their time is that of start and end."""
        short = self.folder / f"{name}-short.tfrecord"
        if not short.exists():
            whole = self.data / f"{train.NETWORKS[name].data}.tfrecord"
            subprocess.run([peers.python("tensorflow"), TENSORFLOW, "take", whole, short, str(SHORT)], check=True, capture_output=True)
        return short

    def per_second(self, name: str, *options: str) -> float:
        """By two runs of different lengths, so that start and end do not count."""
        network = train.NETWORKS[name]
        records = network.batch * network.steps_per_epoch
        whole = self.seconds(name, self.data / f"{network.data}.tfrecord", *options)
        return (records - SHORT) / (whole - self.seconds(name, self.first_records(name), *options))


class Peer:
    """A process of the peer, which stays, and computes all records whenever it is asked."""

    def __init__(self, command: list[str]):
        self.command = command
        self.process: subprocess.Popen | None = None

    def per_second(self) -> float:
        if self.process is None:
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                            text=True, bufsize=1)
        self.process.stdin.write("\n")
        return float(self.process.stdout.readline())


def cases(build: str) -> list[pairs.Case]:
    build = str(Path(build).resolve())
    data = Path(build) / "bench" / "train"
    train.prepare(build, data)
    models, found = Models(build, data), []
    for name in NETWORKS:
        network = train.NETWORKS[name]
        settings = {"cores": train.CORES, "records": network.batch * network.steps_per_epoch}
        tensorflow = Peer([str(peers.python("tensorflow")), str(TENSORFLOW), "run", str(models.make(name) / "model/1"),
                           f"{data}/{network.data}.tfrecord"])
        onnx = Peer([str(peers.installed_python("onnx")), str(ONNX), name, str(settings["records"])])
        for peer_name, peer in (peers.version("tensorflow", "tensorflow-cpu"), tensorflow), (peers.version("onnx", "onnxruntime"), onnx):
            kind = "tensorflow" if peer is tensorflow else "onnx"
            for case, options in (f"{name}.{kind}", []), (f"{name}.metrics.{kind}", ["--metrics"]):
                found.append(pairs.Case(case, lambda name=name, options=options: models.per_second(name, *options),
                                        lambda peer=peer: peer.per_second(), peer_name=peer_name, unit="records/s", settings=settings))
    return found


if __name__ == "__main__":
    chosen = sys.argv[2:]
    pairs.run("predict", [case for case in cases(sys.argv[1]) if not chosen or case.name in chosen])
