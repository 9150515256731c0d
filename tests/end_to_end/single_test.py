"""Jobs with strategy Single on this machine: one process, killed, started again, and equal bit by bit to many. Records are
written and checkpoints read by TensorFlow."""

import json
import os
import re
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from interop import peers

BIN = Path(os.environ["CARRACK_BUILD"]) / "bin"
TENSORFLOW = peers.python("tensorflow")
RECORDS, BATCH, EPOCHS, EVERY = 20_000, 64, 6, 50
STEPS = -(-RECORDS // BATCH) * EPOCHS
FEATURES = 5_000  # Three blocks of parameters: enough for two parameter servers.

WRITE = """
import sys
import numpy as np
import tensorflow as tf
folder, records, features = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
def feature(values):
    if isinstance(values[0], int):
        return tf.train.Feature(int64_list=tf.train.Int64List(value=values))
    return tf.train.Feature(float_list=tf.train.FloatList(value=values))
def write(name, examples):
    with tf.io.TFRecordWriter(f"{folder}/{name}.tfrecord") as writer:
        for example in examples:
            fields = {name: feature(values) for name, values in example.items()}
            writer.write(tf.train.Example(features=tf.train.Features(feature=fields)).SerializeToString())
random = np.random.default_rng(7)
write("tally", ({"id": [record]} for record in range(records)))
write("line", ({"x": [float(x)], "y": [3 * float(x) - 2]} for x in random.uniform(-1, 1, 2000)))
write("wide", ({"x": random.normal(size=features).tolist(), "y": [float(random.normal())]} for _ in range(300)))
"""

# Prints, for each tensor of a checkpoint, the least and the greatest of its elements.
READ = """
import json, sys
import tensorflow as tf
reader = tf.train.load_checkpoint(sys.argv[1])
names = reader.get_variable_to_shape_map()
print(json.dumps({name: [float(reader.get_tensor(name).min()), float(reader.get_tensor(name).max())] for name in names}))
"""

MANIFEST = """
apiVersion: carrack.dev/v1alpha1
kind: TrainingJob
metadata: {{name: single}}
spec:
  strategy: {strategy}
  model: {model}
  data: {{train: {{files: ["{data}.tfrecord"]}}, features: {features}}}
  training: {training}
  checkpoint: {{folder: {folder}/checkpoints, everySteps: {every}}}
"""
SINGLE = "Single"
MANY = "ParameterServer\n  replicas: {ps: {count: 2}, worker: {count: 2}}"


def tensorflow(program: str, *arguments: str) -> str:
    quiet = os.environ | {"TF_CPP_MIN_LOG_LEVEL": "3"}
    done = subprocess.run([TENSORFLOW, "-c", program, *arguments], capture_output=True, text=True, env=quiet, check=True)
    return done.stdout


def processes(run: subprocess.Popen) -> list[int]:
    return [int(pid) for children in Path(f"/proc/{run.pid}/task").glob("*/children") for pid in children.read_text().split()]


class Single(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.kept = tempfile.TemporaryDirectory()
        tensorflow(WRITE, cls.kept.name, str(RECORDS), str(FEATURES))

    @classmethod
    def tearDownClass(cls):
        cls.kept.cleanup()

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def trained(self, name: str, kills: int = 0, strategy: str = SINGLE, **fields) -> Path:
        """The prefix of the last checkpoint of a job that has succeeded."""
        folder = Path(self.folder.name, name)
        folder.mkdir()
        manifest = folder / "job.yaml"
        manifest.write_text(MANIFEST.format(strategy=strategy, folder=folder, **fields))
        run = subprocess.Popen([BIN / "carrack", "run", manifest, "--folder", f"{folder}/run"],
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.kill(run, kills, folder / "checkpoints")
        output, _ = run.communicate(timeout=120)
        logs = "".join(log.read_text() for log in Path(folder, "run/logs").iterdir())
        self.assertEqual(run.returncode, 0, output + logs)
        # The command line knows it only from what the process tells of its progress.
        last = re.search(r"(?m)^checkpoint of step \d+: (.*)\.manifest$", output)
        self.assertIsNotNone(last, output)
        return Path(last[1])

    def kill(self, run: subprocess.Popen, times: int, checkpoints: Path) -> None:
        """Kills the one process, each time a moment after a commit, so that there is work to lose."""
        for _ in range(times):
            before = len(list(checkpoints.glob("*.manifest")))
            while len(list(checkpoints.glob("*.manifest"))) == before:
                self.assertIsNone(run.poll(), "the job ended before it was killed")
                time.sleep(0.01)
            (process,) = processes(run)
            os.kill(process, signal.SIGKILL)

    def tally(self, consistency: str, kills: int) -> None:
        last = self.trained(
            consistency, kills, model=f"{{kind: Tally, record: id, records: {RECORDS}}}", data=f"{self.kept.name}/tally",
            features="{id: {type: int64}}", every=EVERY,
            training=f"{{batch: {BATCH}, epochs: {EPOCHS}, reduction: Sum, consistency: {consistency}, "
                     "optimizer: {kind: SGD, learningRate: 1}}")
        self.assertEqual(int(last.name.split("-")[1]), STEPS)
        self.assertEqual(json.loads(tensorflow(READ, str(last))), {"tally": [EPOCHS, EPOCHS]})

    def test_counts_every_record_in_one_process_however_often_it_is_killed(self):
        self.tally("Sync", kills=3)
        self.tally("Async", kills=1)

    def test_finds_the_line(self):
        last = self.trained(
            "line", model='{kind: LinearRegression, input: x, target: "y"}', data=f"{self.kept.name}/line",
            features='{x: {type: float32}, "y": {type: float32}}', every=100,
            training="{batch: 20, epochs: 6, optimizer: {kind: SGD, learningRate: 0.1}}")
        found = json.loads(tensorflow(READ, str(last)))
        self.assertAlmostEqual(found["w"][0], 3, delta=0.01)
        self.assertAlmostEqual(found["b"][0], -2, delta=0.01)

    def test_gives_the_bits_of_many_processes_where_it_is_deterministic(self):
        digests = []
        for name, strategy, kills in [("single", SINGLE, 1), ("many", MANY, 0)]:
            last = self.trained(
                name, kills, strategy, model='{kind: LinearRegression, input: x, target: "y"}', every=5,
                data=f"{self.kept.name}/wide", features=f'{{x: {{type: float32, size: {FEATURES}}}, "y": {{type: float32}}}}',
                training="{batch: 30, epochs: 20, deterministic: true, optimizer: {kind: Adam}}")
            self.assertIn("w/Adam/v", json.loads(tensorflow(READ, str(last))))
            digests += re.findall(r"(?m)^digest (\w+)$", Path(f"{last}.manifest").read_text())
        self.assertEqual(len(digests), 2)
        self.assertEqual(digests[0], digests[1])


if __name__ == "__main__":
    unittest.main()
