"""With `deterministic: true` the same job ends in the same bits: for 1, 2 and 3 workers, 1 and 2 parameter servers, and
through kills. A linear regression of 20,000 features with Adam, and one of 3; weights and optimizer state are compared by
the digest that the manifest names, computed again by TensorFlow, which also holds that something was learnt."""

import itertools
import json
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import job
from checkpoints import InFiles, step_of
from interop import tensorflow_program
from interop.tensorflow_program import DIGEST

AT_ONCE = 2
BLOCK_BYTES = 4096 * 4

WRITE = """
import sys
import numpy as np
import tensorflow as tf
folder, records, features = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
random = np.random.default_rng(7)
truth = random.standard_normal(features).astype(np.float32) / np.sqrt(features)
def floats(values):
    return tf.train.Feature(float_list=tf.train.FloatList(value=values))
for file in range(2):
    with tf.io.TFRecordWriter(f"{folder}/line-{file}.tfrecord") as writer:
        for record in range(file, records, 2):
            x = random.standard_normal(features).astype(np.float32)
            feature = {"x": floats(x), "y": floats([x @ truth + 0.5])}
            writer.write(tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString())
"""

# Prints, for each folder's last checkpoint, its digest, and the loss over all records before and after.
READ = DIGEST + """
import glob, json
data, features = sys.argv[1], int(sys.argv[2])
layout = {"x": tf.io.FixedLenFeature([features], tf.float32), "y": tf.io.FixedLenFeature([], tf.float32)}
records = tf.data.TFRecordDataset(glob.glob(data + "/line-*.tfrecord")).batch(64).map(lambda r: tf.io.parse_example(r, layout))
x, y = map(np.concatenate, zip(*((r["x"].numpy(), r["y"].numpy()) for r in records)))
for folder in sys.argv[3:]:
    prefix = max(glob.glob(folder + "/*.index"), key=lambda name: int(name.split("-")[-4])).removesuffix(".index")
    weights = tf.train.load_checkpoint(prefix).get_tensor("w")
    bias = tf.train.load_checkpoint(prefix).get_tensor("b")
    print(json.dumps([digest(prefix).split()[-1], float(np.mean(y ** 2)), float(np.mean((x @ weights + bias - y) ** 2)),
                      int(np.count_nonzero(weights))]))
"""

MANIFEST = """
apiVersion: carrack.dev/v1alpha1
kind: TrainingJob
metadata: {{name: line}}
spec:
  strategy: ParameterServer
  replicas: {{ps: {{count: {ps}}}, worker: {{count: {workers}}}}}
  model: {{kind: LinearRegression, input: x, target: "y"}}
  data:
    train: {{files: ["{data}/line-*.tfrecord"]}}
    features: {{x: {{type: float32, size: {features}}}, "y": {{type: float32}}}}
  training: {{batch: 32, epochs: {epochs}, seed: 11, deterministic: true, optimizer: {{kind: Adam, learningRate: {rate}}}}}
  checkpoint: {{folder: {checkpoints}, everySteps: {every_steps}}}
"""


class Line(NamedTuple):
    features: int
    records: int
    epochs: int
    every_steps: int
    rate: float


SMALL = Line(features=3, records=2_000, epochs=8, every_steps=20, rate=0.02)
LARGE = Line(features=20_000, records=256, epochs=24, every_steps=7, rate=0.0002)
MEMBERS = list(itertools.product([1, 2], [1, 2, 3]))


class Deterministic(unittest.TestCase):
    def setUp(self):
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.folder = Path(kept.name)
        self.data = self.folder / "data"
        self.data.mkdir()

    def sail(self, line: Line, ps: int, workers: int, victims: list[str]) -> Path:
        """Gives the folder of its checkpoints. Each victim is killed after a commit, with work done since."""
        place = self.folder / "-".join([str(ps), str(workers), *victims])
        place.mkdir()
        checkpoints = InFiles(place / "checkpoints")
        manifest = MANIFEST.format(data=self.data, checkpoints=checkpoints.url, ps=ps, workers=workers, **line._asdict())
        with job.Run(place, manifest) as run:
            before = 0
            for role in victims:
                hit = run.until(lambda: checkpoints.committed_step() > before, 60) and run.until(
                    lambda: run.step() > checkpoints.committed_step(), 60)
                self.assertTrue(hit, f"{place.name}: the job ended before everybody was killed")
                before = checkpoints.committed_step()
                run.kill(role)
            run.finish()
            for role in victims:
                self.assertEqual(len(run.starts(role, 0)), 2, f"{place.name}: {role} was not replaced")
        return checkpoints.folder

    def bits_of(self, line: Line) -> list[Path]:
        tensorflow_program.run(WRITE, self.data, str(line.records), str(line.features))
        jobs = [(*members, []) for members in MEMBERS] + [(2, 3, ["worker", "ps", "coordinator"]), (1, 2, ["ps", "worker"])]
        with ThreadPoolExecutor(AT_ONCE) as together:
            folders = list(together.map(lambda one: self.sail(line, *one), jobs))
        read = tensorflow_program.run(READ, self.data, str(line.features), *folders)
        told = [json.loads(printed) for printed in read.splitlines()]
        self.assertEqual(len(told), len(jobs))
        for folder, (digest, before, after, used) in zip(folders, told):
            self.assertEqual(digest, told[0][0], f"{folder}: other bits than {folders[0]}")
            self.assertEqual(digest, digest_in_manifest(folder), folder)
            self.assertLess(after, before / 10, folder)
            self.assertEqual(used, line.features, folder)
        print(f"{line.features} features: {len(jobs)} jobs of one digest, {told[0][0]}; loss {before:.4f} to {after:.6f}")
        return folders

    def test_three_features(self):
        self.bits_of(SMALL)

    def test_twenty_thousand_features(self):
        folders = self.bits_of(LARGE)
        for shard in last(folders[MEMBERS.index((2, 2))], "data-*"):
            # Weights and the two states of Adam; the digest says that all of them were updated.
            self.assertGreaterEqual(shard.stat().st_size, 3 * 2 * BLOCK_BYTES, shard)


def last(checkpoints: Path, ending: str) -> list[Path]:
    """The files of the last checkpoint with that ending."""
    files = list(checkpoints.glob(f"checkpoint-*.{ending}"))
    step = max(step_of(file.name) for file in files)
    return [file for file in files if step_of(file.name) == step]


def digest_in_manifest(checkpoints: Path) -> str:
    return next(line.split()[1] for line in last(checkpoints, "manifest")[0].read_text().splitlines() if line.startswith("digest "))


if __name__ == "__main__":
    unittest.main()
