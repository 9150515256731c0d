"""bench checkpoint: what a snapshot of a gigabyte of parameters and optimizer state costs training on this machine, against PyTorch's."""
# builds: carrack carrack-trainer

import itertools
import json
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

from bench import pairs, train
from interop import peers
from support.programs_of_run import programs_of

PEER = Path(__file__).with_name("checkpoint_torch.py")
FEATURES, UNITS, BATCH = 1000, 83_000, 8  # 998 MB with Adam's two moments
STEPS = 10  # before the snapshot, and again after it
BYTES = 12 * (FEATURES * UNITS + 2 * UNITS + 1)

JOB = """
apiVersion: carrack.dev/v1alpha1
kind: TrainingJob
metadata: {{name: snapshot}}
spec:
  strategy: Single
  model:
    layers:
    - {{kind: Dense, inputs: [x], units: {units}, activation: ReLU}}
    - {{kind: Dense, units: 1}}
    loss: {{kind: MSE, target: "y"}}
  data:
    train: {{files: ["{data}/linear.tfrecord"], stages: [take: {records}, shuffle: {{}}]}}
    features: {{x: {{type: float32, size: {features}}}, "y": {{type: float32}}}}
  checkpoint: {{everySteps: {steps}}}
  training: {{batch: {batch}, epochs: 1, optimizer: {{kind: Adam}}}}
"""


def progress_address(run: subprocess.Popen) -> str:
    """Of the trainer that this `carrack run` has started."""
    while True:
        for program in programs_of(run.pid):
            for variable in Path(f"/proc/{program}/environ").read_bytes().split(b"\0"):
                if variable.startswith(b"CARRACK_PROGRESS="):
                    return variable.decode().split("=", 1)[1]
        time.sleep(0.01)


def follow(run: subprocess.Popen) -> tuple[dict[int, float], dict[int, float]]:
    """When each step was first seen, and when each commit."""
    steps, commits = {}, {}
    address = progress_address(run)
    while run.poll() is None:
        try:
            with urllib.request.urlopen(f"http://{address}/progress", timeout=2) as reply:
                report = json.loads(reply.read() or "{}")
        except OSError:
            report = {}
        now = time.perf_counter()
        if "step" in report:
            steps.setdefault(report["step"], now)
            commits.setdefault(report["checkpoint"]["step"], now)
        time.sleep(0.01)
    return steps, commits


def figures(times: list[float], saving: float) -> dict[str, float]:
    """From when each step ended. Of the steps before the snapshot the first two warm up."""
    durations = [end - begin for begin, end in zip(times, times[1:])]
    usual = statistics.median(durations[2:STEPS - 1])
    after = durations[STEPS - 1:]
    return {"stall": max(after) - usual, "lost": sum(after) - STEPS * usual, "throughput": BYTES / saving}


def ours(build: str, data: Path) -> dict[str, float]:
    with tempfile.TemporaryDirectory(dir=data) as folder:
        Path(folder, "job.yaml").write_text(JOB.format(units=UNITS, features=FEATURES, data=data, records=2 * STEPS * BATCH,
                                                       steps=STEPS, batch=BATCH))
        with subprocess.Popen([f"{build}/bin/carrack", "run", "job.yaml"], cwd=folder, stdout=subprocess.PIPE, text=True) as run:
            steps, commits = follow(run)
            printed = run.stdout.read()
    if run.returncode != 0 or STEPS not in commits or any(step not in steps for step in range(1, 2 * STEPS + 1)):
        sys.exit(f"bench checkpoint: steps {sorted(steps)} and commits {sorted(commits)} were seen\n{printed}")
    return figures([steps[step] for step in range(1, 2 * STEPS + 1)], commits[STEPS] - steps[STEPS])


def torch(data: Path) -> dict[str, float]:
    """The best of its ways to save, figure by figure."""
    ways = {}
    for how in ("save", "synced", "async"):
        with tempfile.TemporaryDirectory(dir=data) as folder:
            command = [str(peers.installed_python("torch")), str(PEER), how, str(data), folder,
                       *map(str, (FEATURES, UNITS, BATCH, STEPS))]
            done = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        ways[how] = figures(done["times"], done["saving"])
    return {name: min(ways[how][name] for how in ("save", "async")) for name in ("stall", "lost")} | {
        "throughput": max(ways[how]["throughput"] for how in ("synced", "async"))}


class Shared:
    """Runs, each of which gives a figure to every case: the nth measurement of a case is that of the nth run."""

    def __init__(self, run: Callable[[], dict[str, float]]):
        self.run = run
        self.runs: list[dict[str, float]] = []

    def case(self, name: str) -> Callable[[], float]:
        count = itertools.count()

        def measure() -> float:
            number = next(count)
            if number == len(self.runs):
                self.runs.append(self.run())
            return self.runs[number][name]
        return measure


def cases(build: str) -> list[pairs.Case]:
    build = str(Path(build).resolve())
    data = Path(build) / "bench" / "train"
    train.prepare(build, data)
    mine, peer = Shared(lambda: ours(build, data)), Shared(lambda: torch(data))
    return [pairs.Case(f"{name}.1gb.torch", mine.case(name), peer.case(name), peer_name=peers.version("torch"), unit=unit,
                       more_is_better=name == "throughput", pairs=3,
                       settings={"cores": train.CORES, "bytes": BYTES, "batch": BATCH, "steps": STEPS})
            for name, unit in (("stall", "s"), ("lost", "s"), ("throughput", "bytes/s"))]


if __name__ == "__main__":
    chosen = sys.argv[2:]
    pairs.run("checkpoint", [case for case in cases(sys.argv[1]) if not chosen or case.name in chosen])
