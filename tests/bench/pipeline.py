"""bench pipeline: shuffles, batches and resume state on local files, against tf.data, grain and PyTorch's DataLoader."""
# builds: bench_pipeline bench_records

import subprocess
import sys
from pathlib import Path

from bench import pairs
from interop import peers

HERE = Path(__file__).parent
# Of each kind: bytes in a record, records in a file, files.
KINDS = {"1kb": (1024, 25_000, 8), "10kb": (10_240, 4_000, 4), "115kb": (114_660, 1_251, 4)}


class Files:
    """The same files in every run: their bytes are made from a fixed seed."""

    def __init__(self, folder: Path, build: str):
        self.folder = folder
        self.make = f"{build}/bin/bench_records"
        folder.mkdir(parents=True, exist_ok=True)

    def of(self, kind: str) -> list[str]:
        length, records, files = KINDS[kind]
        names = [str(self.folder / f"{kind}-{number}.tfrecord") for number in range(files)]
        if not all(Path(name).exists() for name in names):
            subprocess.run([self.make, "make", str(length), str(records), *names], check=True)
        return names

    def as_array_records(self, kind: str, grain: list[str]) -> str:
        folder = self.folder / f"{kind}.array_record"
        if not folder.exists():
            subprocess.run([*grain, "make", str(folder), *self.of(kind)], check=True)
        return str(folder)


def require_the_same(*commands: list[str]) -> str:
    delivered = {subprocess.run([command[0], *command[1:]], check=True, capture_output=True, text=True).stdout
                 for command in commands}
    if len(delivered) > 1:
        sys.exit(f"bench pipeline: we and the peer deliver different records: {delivered}")
    return delivered.pop().strip()


def cases(build: str) -> list[pairs.Case]:
    ours = f"{build}/bin/bench_pipeline"
    tensorflow = [str(peers.python("tensorflow")), str(HERE / "pipeline_tensorflow.py")]
    grain = [str(peers.installed_python("grain")), str(HERE / "pipeline_grain.py")]
    torch = [str(peers.installed_python("torch")), str(HERE / "pipeline_torch.py")]
    files = Files(Path(build) / "bench" / "pipeline", build)
    small, long = files.of("1kb"), files.of("115kb")
    array_records = files.as_array_records("1kb", grain)
    settings = {"threads": 2, "batch": 1024, "delivered": require_the_same(
        [ours, "checksum", *small], [*tensorflow, "checksum", *small], [*grain, "checksum", array_records],
        [*torch, "checksum", *small])}
    rates = {"unit": "records/s", "settings": settings}
    full = pairs.number_from(ours, "full", *small)
    return [
        pairs.Case("shuffle.full.grain_element", full, pairs.number_from(*grain, "element", array_records),
                   peer_name="grain-0.2.18", **rates),
        pairs.Case("shuffle.full.grain_batch", full, pairs.number_from(*grain, "batch", array_records),
                   peer_name="array_record-0.8.6", **rates),
        pairs.Case("shuffle.buffer.tfdata", pairs.number_from(ours, "buffer", *small),
                   pairs.number_from(*tensorflow, "buffer", *small), peer_name="tensorflow-2.21.0", **rates),
        pairs.Case("small.batch.torch", full, pairs.number_from(*torch, "full", *small), peer_name="torch-2.15.0", **rates),
        pairs.Case("resume.state.tfdata", pairs.number_from(ours, "state", *files.of("10kb")),
                   pairs.number_from(*tensorflow, "state", *files.of("10kb")), peer_name="tensorflow-2.21.0", unit="bytes",
                   more_is_better=False, pairs=3, settings={"buffer": 10_000, "record": 10_240}),
        pairs.Case("mlperf.resnet50.tfdata", pairs.number_from(ours, "accelerators", *long),
                   pairs.number_from(*tensorflow, "accelerators", *long), peer_name="tensorflow-2.21.0", unit="accelerators",
                   settings={"record": 114_660, "batch": 400, "step_s": 0.224, "busy": 0.9}),
    ]


if __name__ == "__main__":
    pairs.run("pipeline", cases(sys.argv[1]))
