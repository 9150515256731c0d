"""bench slow_worker: how the loss falls while one of three workers has a third of the speed of the others: Sync, Async, and Async
with a bound on staleness. Async against Sync, by the time that each takes to a loss."""
# builds: carrack carrack-trainer

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from bench import pairs
from interop import peers
from support.programs_of_run import programs_of

WORKERS, BATCH = 3, 64
TARGET = 0.05  # mean squared error, of signals with a mean square of 0.5
RUNNING_SECONDS = 0.01  # of the slow worker, and twice as long stopped
MODES = {"sync": "consistency: Sync", "async": "consistency: Async", "bounded": "consistency: Async, maxStaleness: 4"}
AT_SECONDS = (0.5, 1, 2, 4, 6, 8)
EPOCHS = {"sync": 10, "async": 60, "bounded": 24}  # at least so many seconds

# Windows of 64 steps of 8 sines of random frequencies and phases.
WRITE = """
import sys
import numpy as np
draws = np.random.default_rng(7)
frequency, phase = draws.uniform(0.5, 2, (6400, 1, 8)), draws.uniform(0, 2 * np.pi, (6400, 1, 8))
window = np.sin(frequency * np.arange(64)[:, None] / 10 + phase).astype(np.float32)
np.savez(sys.argv[1], window=window)
"""

MANIFEST = """
apiVersion: carrack.dev/v1alpha1
kind: TrainingJob
metadata: {{name: slow-worker}}
spec:
  strategy: ParameterServer
  replicas: {{ps: {{count: 1}}, worker: {{count: {workers}}}}}
  model:
    layers:
    - {{kind: Reshape, shape: [512], inputs: [window]}}
    - {{kind: Dense, units: 256, activation: ReLU}}
    - {{kind: Dense, units: 32}}
    - {{kind: Dense, units: 256, activation: ReLU}}
    - {{kind: Dense, units: 512}}
    - {{kind: Reshape, shape: [64, 8]}}
    loss: {{kind: MSE, target: window}}
  data:
    train: {{files: ["{data}"]}}
    features: {{window: {{type: float32, shape: [64, 8]}}}}
  training:
    batch: {batch}
    epochs: {epochs}
    optimizer: {{kind: Adam}}
    {mode}
  checkpoint: {{everySeconds: 3600}}
"""


def is_slow_worker(pid: int) -> bool:
    try:
        environment = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return False
    return b"CARRACK_ROLE=worker" in environment and b"CARRACK_INDEX=0" in environment


class SlowDown(threading.Thread):
    """Stops worker 0 two thirds of the time."""

    def __init__(self, run: int):
        super().__init__(daemon=True)
        self.run_pid = run
        self.ending = threading.Event()

    def run(self) -> None:
        while not self.ending.is_set():
            slow = [pid for pid in programs_of(self.run_pid) if is_slow_worker(pid)]
            for stop, seconds in ((signal.SIGSTOP, 2 * RUNNING_SECONDS), (signal.SIGCONT, RUNNING_SECONDS)):
                for pid in slow:
                    try:
                        os.kill(pid, stop)
                    except ProcessLookupError:
                        pass
                time.sleep(seconds)


def curve(program: str, data: Path, mode: str) -> list[tuple[float, float]]:
    """The loss of one job after each number of seconds of training."""
    with tempfile.TemporaryDirectory() as folder:
        lines = MODES[mode].replace(", ", "\n    ")
        Path(folder, "job.yaml").write_text(MANIFEST.format(workers=WORKERS, data=data, batch=BATCH, epochs=EPOCHS[mode], mode=lines))
        with Path(folder, "printed").open("w") as printed, \
             subprocess.Popen([program, "run", "job.yaml"], cwd=folder, stdout=printed, stderr=subprocess.STDOUT) as process:
            slow = SlowDown(process.pid)
            slow.start()
            process.wait()
            slow.ending.set()
            slow.join()
        if process.returncode != 0:
            sys.exit(f"bench slow_worker: the job failed\n{Path(folder, 'printed').read_text()}")
        recorded = [json.loads(line) for file in Path(folder).rglob("metrics.jsonl") for line in file.read_text().splitlines()]
    return [(one["time"] - recorded[0]["time"], one["loss"]) for one in recorded]


def loss_at(points: list[tuple[float, float]], seconds: float) -> float:
    """The last one recorded by then."""
    return [loss for at, loss in points if at <= seconds][-1]


def seconds_to_target(program: str, data: Path, mode: str):
    def measure() -> pairs.Figure:
        points = curve(program, data, mode)
        reached = [at for at, loss in points if loss <= TARGET]
        if not reached:
            sys.exit(f"bench slow_worker: {mode} has not reached a loss of {TARGET}; its last is {points[-1][1]}")
        return pairs.Figure(reached[0], {f"loss_{seconds}s": loss_at(points, seconds) for seconds in AT_SECONDS})
    return measure


def main(build: str) -> None:
    data = Path(build).resolve() / "bench" / "slow_worker" / "signals.tfrecord"
    program = str(Path(build).resolve() / "bin" / "carrack")
    if not data.exists():
        data.parent.mkdir(parents=True, exist_ok=True)
        arrays = data.with_suffix(".npz")
        subprocess.run([str(peers.python("tensorflow")), "-c", WRITE, str(arrays)], check=True)
        subprocess.run([program, "data", "convert", str(arrays), "--to", str(data)], check=True, capture_output=True)
        subprocess.run([program, "data", "index", str(data)], check=True, capture_output=True)
    pairs.run("slow_worker", [
        pairs.Case(f"{mode}.sync", seconds_to_target(program, data, mode), seconds_to_target(program, data, "sync"), peer_name="Sync",
                   unit="s", more_is_better=False, settings={"workers": WORKERS, "target": TARGET, "mode": MODES[mode]})
        for mode in ("async", "bounded")])


if __name__ == "__main__":
    main(sys.argv[1])
