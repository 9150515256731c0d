"""A tally job on this machine, through kills: whoever dies, the last checkpoint holds `epochs` for every record, and every
committed one what its own position says. Records are written and checkpoints read by TensorFlow."""

import json
import os
import random
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from interop import peers

BIN = Path(os.environ["CARRACK_BUILD"]) / "bin"
TENSORFLOW = peers.python("tensorflow")
RECORDS, BATCH, EPOCHS, EVERY = 50_000, 64, 4, 50
BATCHES = -(-RECORDS // BATCH)

WRITE = """
import sys
import tensorflow as tf
folder, records = sys.argv[1], int(sys.argv[2])
for file in range(2):
    with tf.io.TFRecordWriter(f"{folder}/tally-{file}.tfrecord") as writer:
        for record in range(file, records, 2):
            value = tf.train.Feature(int64_list=tf.train.Int64List(value=[record]))
            writer.write(tf.train.Example(features=tf.train.Features(feature={"id": value})).SerializeToString())
"""

# Prints, for each manifest, the least, the greatest and the sum of all tallies.
READ = """
import glob, json, sys
import tensorflow as tf
seen = {}
for manifest in glob.glob(sys.argv[1] + "/*.manifest"):
    prefix = manifest.removesuffix(".manifest")
    tally = tf.train.load_checkpoint(prefix).get_tensor("tally")
    seen[prefix.rsplit("/", 1)[1]] = [float(tally.min()), float(tally.max()), float(tally.sum())]
print(json.dumps(seen))
"""

MANIFEST = """
apiVersion: carrack.dev/v1alpha1
kind: TrainingJob
metadata: {{name: tally}}
spec:
  strategy: ParameterServer
  replicas: {{ps: {{count: {ps}}}, worker: {{count: {workers}}}}}
  model: {{kind: Tally, record: id, records: {records}}}
  data: {{train: {{files: ["{folder}/tally-*.tfrecord"]}}, features: {{id: {{type: int64}}}}}}
  training: {{batch: {batch}, epochs: {epochs}, reduction: Sum, consistency: {consistency},
             optimizer: {{kind: SGD, learningRate: 1}}}}
  checkpoint: {{folder: {folder}/checkpoints, everySteps: {every}}}
"""


def tensorflow(program: str, *arguments: str) -> str:
    quiet = os.environ | {"TF_CPP_MIN_LOG_LEVEL": "3"}
    done = subprocess.run([TENSORFLOW, "-c", program, *arguments], capture_output=True, text=True, env=quiet, check=True)
    return done.stdout


def members(run: subprocess.Popen, role: str) -> list[int]:
    """The processes of a role that this run has started and that still run."""
    found = []
    for children in Path(f"/proc/{run.pid}/task").glob("*/children"):
        for pid in children.read_text().split():
            try:
                environment = Path(f"/proc/{pid}/environ").read_bytes()
            except OSError:
                continue
            if f"CARRACK_ROLE={role}\0".encode() in environment:
                found.append(int(pid))
    return found


def records_applied(version: int) -> int:
    """How many records the first `version` batches hold, counted over all epochs."""
    return version // BATCHES * RECORDS + min(version % BATCHES * BATCH, RECORDS)


class Voyage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.kept = tempfile.TemporaryDirectory()
        tensorflow(WRITE, cls.kept.name, str(RECORDS))

    @classmethod
    def tearDownClass(cls):
        cls.kept.cleanup()

    def sail(self, ps: int, workers: int, consistency: str, kills: list[str]) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for data in Path(self.kept.name).iterdir():
                os.link(data, Path(folder, data.name))
            manifest = Path(folder, "job.yaml")
            manifest.write_text(MANIFEST.format(ps=ps, workers=workers, consistency=consistency, folder=folder,
                                                records=RECORDS, batch=BATCH, epochs=EPOCHS, every=EVERY))
            run = subprocess.Popen([BIN / "carrack", "run", manifest, "--folder", f"{folder}/run"],
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            killed = [role for role in kills if self.kill(run, role, Path(folder, "checkpoints"))]
            output, _ = run.communicate(timeout=120)
            logs = "".join(log.read_text() for log in Path(folder, "run/logs").iterdir())
            self.assertEqual(run.returncode, 0, output + logs)
            print(f"{consistency} {ps} ps {workers} workers, killed: {killed}", flush=True)
            self.assertEqual(killed, kills, "the job ended before everybody was killed")
            self.hold(json.loads(tensorflow(READ, f"{folder}/checkpoints")))

    def kill(self, run: subprocess.Popen, role: str, checkpoints: Path) -> bool:
        """Kills one of a role a moment after the next commit, so that there is uncommitted work to lose."""
        deadline = time.monotonic() + 20
        before = len(list(checkpoints.glob("*.manifest")))
        while time.monotonic() < deadline and run.poll() is None:
            time.sleep(0.01)
            running = members(run, role)
            if running and len(list(checkpoints.glob("*.manifest"))) > before:
                time.sleep(random.uniform(0, 0.05))
                os.kill(random.choice(running), signal.SIGKILL)
                return True
        return False

    def hold(self, checkpoints: dict[str, list[float]]) -> None:
        versions = {name: int(name.split("-")[1]) for name in checkpoints}
        for name, (least, most, total) in checkpoints.items():
            self.assertEqual(total, records_applied(versions[name]), name)
            self.assertLessEqual(most - least, 1, name)
        last = max(checkpoints, key=versions.get)
        self.assertEqual(checkpoints[last], [EPOCHS, EPOCHS, EPOCHS * RECORDS], last)

    def test_holds_without_faults_for_any_number_of_members(self):
        for ps, workers, consistency in [(1, 1, "Sync"), (2, 3, "Sync"), (1, 3, "Async"), (2, 2, "Async")]:
            self.sail(ps, workers, consistency, [])

    def test_holds_in_sync_whoever_is_killed(self):
        self.sail(2, 2, "Sync", ["worker", "ps", "coordinator"])

    def test_holds_in_async_whoever_is_killed(self):
        self.sail(2, 2, "Async", ["worker", "ps", "coordinator"])


if __name__ == "__main__":
    unittest.main()
