"""Jobs with a layer Standardize, on this machine: what it standardizes by is what numpy and Keras compute of the data, in one
process and with servers, whichever process is killed before the first commit, and in a job that resumes. TensorFlow writes the records
and reads the checkpoints."""

import json
import os
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

import job
import networks
from checkpoints import InFiles
from interop import tensorflow_program
from interop.tensorflow_program import EXAMPLES

RECORDS = 400
# Four steps of a column far from 0, one that hardly varies, and one that never changes.
WRITE = EXAMPLES + f"""
import numpy as np
tracks = np.random.default_rng(3).normal([1e4, -3, 7], [5, 0.001, 0], ({RECORDS}, 4, 3)).astype(np.float32)
if len(sys.argv) > 2: tracks[317, 2, 1] = float(sys.argv[2])
for file in range(2):
    write(f"{{sys.argv[1]}}/{{file}}.tfrecord", ({{"track": track.ravel()}} for track in tracks[file * 300:file * 300 + 300]))
"""

# How far the constants are from numpy's in double precision, and what they make of the data from what Keras does.
COMPARE = networks.READ + """
import glob
fixed = constants(sys.argv[1])
mean, deviation = fixed["standardize/mean"], fixed["standardize/deviation"]
spec = {"track": tf.io.FixedLenFeature([4, 3], tf.float32)}
records = [one for path in sorted(glob.glob(sys.argv[2])) for one in tf.data.TFRecordDataset(path).as_numpy_iterator()]
track = tf.io.parse_example(records, spec)["track"].numpy().astype(np.float64)
by_numpy = track.reshape(-1, 3).std(0)
by_numpy[2] = 1
keras = tf.keras.layers.Normalization(axis=-1, dtype="float64")
keras.adapt(track)
print(json.dumps({"mean": float(np.max(np.abs(mean / track.reshape(-1, 3).mean(0) - 1))),
                  "deviation": float(np.max(np.abs(deviation / by_numpy - 1))),
                  "output": float(np.max(np.abs((track - mean) / deviation - keras(track).numpy())[..., :1])),
                  "constant": float(np.max(np.abs((track - mean) / deviation)[..., 2]))}))
"""

LAYERS, LOSS = networks.NETWORKS["standards"]
SERVERS = job.parameter_server(2, 2)
KILLS = [(strategy, job.Point(f"{name}.{side}", role)) for strategy, role in [(SERVERS, "coordinator"), (job.SINGLE, "worker")]
         for name, side in [("folder.write_statistics", "before"), ("folder.write_statistics", "after"), ("folder.commit", "before")]]


def digest_of(checkpoints: InFiles) -> str:
    [manifest] = checkpoints.last("manifest")
    [digest] = [line for line in manifest.read_text().splitlines() if line.startswith("digest ")]
    return digest


class Standardize(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        tensorflow_program.run(WRITE, cls.folder)
        cls.data = cls.folder / "*.tfrecord"
        cls.whole = cls.ended(job.SINGLE)

    @classmethod
    def manifest(cls, folder: Path, **fields) -> str:
        spec = {"data": cls.data, "layers": LAYERS, "loss": LOSS, "deterministic": "true", "epochs": 4, "every_steps": 16, "stages": "[shuffle: {}]",
                "optimizer": "kind: AdamW, learningRate: 0.01", "more": ", clip: {norm: 1}", "checkpoints": str(folder / "checkpoints")} | fields
        return networks.manifest(**spec)

    @classmethod
    def ended(cls, strategy: str, **fields) -> InFiles:
        folder = Path(tempfile.mkdtemp(dir=cls.folder))
        with job.Run(folder, cls.manifest(folder, strategy=strategy, **fields)) as run:
            run.finish()
        return InFiles(folder / "checkpoints")

    def test_is_what_numpy_and_keras_make_of_the_data(self):
        [manifest] = self.whole.last("manifest")
        found = json.loads(tensorflow_program.run(COMPARE, str(manifest).removesuffix(".manifest"), str(self.data)))
        self.assertLess(found["mean"], 1e-7)
        self.assertLess(found["deviation"], 1e-7)
        self.assertLess(found["output"], 1e-3, "the mean is rounded to float32")
        self.assertEqual(found["constant"], 0)
        print(found)

    def test_has_the_same_bits_with_servers(self):
        servers = self.ended(SERVERS)
        self.assertEqual(digest_of(servers), digest_of(self.whole))
        self.assertEqual((servers.folder / "STATISTICS").read_bytes(), (self.whole.folder / "STATISTICS").read_bytes())

    def test_has_the_same_bits_if_it_is_killed_before_anything_is_committed(self):
        for strategy, point in KILLS:
            with self.subTest(point):
                folder = Path(tempfile.mkdtemp(dir=self.folder))
                (folder / "armed").touch()
                with job.Run(folder, self.manifest(folder, strategy=strategy), point) as run:
                    def stopped() -> list[job.Start]:
                        return [start for start in run.starts(point.role) if job.state_of(start) == "T"]
                    run.expect(lambda: bool(stopped()), 60, f"it passes {point.name}")
                    written, committed = (folder / "checkpoints/STATISTICS").exists(), InFiles(folder / "checkpoints").committed_step()
                    self.assertEqual((written, committed), (point.name != "folder.write_statistics.before", 0))
                    run.disarm()
                    os.kill(stopped()[0].pid, signal.SIGKILL)
                    run.finish()
                    self.assertEqual(len(run.starts(point.role, 0)), 2)
                self.assertEqual(digest_of(InFiles(folder / "checkpoints")), digest_of(self.whole))

    def test_keeps_what_the_checkpoint_has_that_it_resumes_from(self):
        first = self.ended(job.SINGLE, epochs=2)
        self.assertNotEqual(digest_of(first), digest_of(self.whole))
        second = self.ended(SERVERS, every_steps=f'16, resume: "{first.folder}"')
        self.assertFalse((second.folder / "STATISTICS").exists())
        self.assertEqual(digest_of(second), digest_of(self.whole))

    def test_begins_anew_where_the_data_was_mended(self):
        """A job that has failed before it committed anything."""
        data, folder = Path(tempfile.mkdtemp(dir=self.folder)), Path(tempfile.mkdtemp(dir=self.folder))
        tensorflow_program.run(WRITE, data, "nan")
        manifest = self.manifest(folder, data=data / "*.tfrecord")
        with job.Run(folder, manifest) as run:
            printed = run.finish(exit_code=1)
        self.assertRegex(printed, rf'UserError: spec.data: {data}/1.tfrecord: record 17 at byte \d+: feature "track" is NaN in column 1, so it has '
                                  "no mean to standardize by; mend the record, or leave out such records by the stage filter; `carrack data stats` "
                                  "counts them")
        self.assertFalse((folder / "checkpoints/STATISTICS").exists())
        for path in self.folder.glob("*.tfrecord"):
            (data / path.name).write_bytes(path.read_bytes())
        with job.Run(folder, manifest) as run:
            run.finish()
        self.assertEqual(digest_of(InFiles(folder / "checkpoints")), digest_of(self.whole))

    def test_is_seen_by_carrack_step(self):
        manifest = self.folder / "step.yaml"
        manifest.write_text(self.manifest(self.folder / "step"))
        printed = subprocess.run([job.BIN / "carrack", "step", manifest], capture_output=True, text=True, check=True).stdout
        lines = {line.split()[0]: line.split() for line in printed.splitlines() if line.strip()}
        self.assertEqual(lines["standardize/mean"][1:5], ["[3]", "-3", "3335", "1e+04"], printed)
        self.assertEqual(lines["standardize/mean"][-3:-1], ["0", "0"], "neither gradient nor update")
        self.assertEqual(lines["standardize"][0], "standardize")
        self.assertFalse((self.folder / "step/checkpoints/STATISTICS").exists())


if __name__ == "__main__":
    unittest.main()
