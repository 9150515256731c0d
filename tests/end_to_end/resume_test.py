"""A job that goes on from another's checkpoint, on this machine: with other numbers of members, on another storage, killed
before its first commit and after it. Records are written and checkpoints read by TensorFlow."""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator

from interop import peers
from support import machine, object_store

BIN = Path(os.environ["CARRACK_BUILD"]) / "bin"
TENSORFLOW = peers.python("tensorflow")
machine.program("fake-gcs-server")
RECORDS, BATCH = 20_000, 64
BATCHES = -(-RECORDS // BATCH)

WRITE = """
import sys
import tensorflow as tf
folder, records = sys.argv[1], int(sys.argv[2])
with tf.io.TFRecordWriter(f"{folder}/tally.tfrecord") as writer:
    for record in range(records):
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
  data: {{train: {{files: ["{data}/tally.tfrecord"]}}, features: {{id: {{type: int64}}}}}}
  training: {{batch: {batch}, epochs: {epochs}, seed: {seed}, reduction: Sum, consistency: {consistency},
             optimizer: {{kind: SGD, learningRate: 1}}}}
  checkpoint: {{folder: "{folder}", everySteps: {every}, resume: "{resume}"}}
"""
ALIKE = {"ps": 2, "workers": 2, "records": RECORDS, "batch": BATCH, "seed": 0, "consistency": "Sync", "every": 50,
         "resume": ""}


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


class Job:
    """One `carrack run`, in a folder of its own."""

    def __init__(self, home: Path, **fields):
        self.run_folder = home / "run"
        self.checkpoints = home / "checkpoints"
        home.mkdir()
        manifest = home / "job.yaml"
        manifest.write_text(MANIFEST.format(**(ALIKE | {"folder": self.checkpoints} | fields)))
        emulator = fields.get("emulator")
        environment = os.environ | ({"STORAGE_EMULATOR_HOST": emulator} if emulator else {})
        self.run = subprocess.Popen([BIN / "carrack", "run", manifest, "--folder", self.run_folder], env=environment,
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def ended(self) -> tuple[int, str]:
        output, _ = self.run.communicate(timeout=120)
        return self.run.returncode, output + self.logs()

    def logs(self) -> str:
        return "".join(log.read_text() for log in sorted((self.run_folder / "logs").iterdir()))

    def commits(self) -> int:
        return len(list(self.checkpoints.glob("*.manifest")))

    def kill(self, role: str) -> None:
        running = members(self.run, role)
        os.kill(running[0], signal.SIGKILL)


class Resume(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.kept = tempfile.TemporaryDirectory()
        cls.data = Path(cls.kept.name)
        tensorflow(WRITE, cls.kept.name, str(RECORDS))
        cls.first = {consistency: cls.trained(consistency) for consistency in ("Sync", "Async")}

    @classmethod
    def tearDownClass(cls):
        cls.kept.cleanup()

    @classmethod
    def trained(cls, consistency: str) -> Path:
        """The checkpoints of a job of two epochs."""
        job = Job(cls.data / consistency, data=cls.data, epochs=2, consistency=consistency)
        code, output = job.ended()
        assert code == 0, output
        return job.checkpoints

    @contextmanager
    def second(self, **fields) -> Iterator[Job]:
        with tempfile.TemporaryDirectory() as folder:
            job = Job(Path(folder, "job"), data=self.data, **({"epochs": 4, "resume": self.first["Sync"]} | fields))
            try:
                yield job
            finally:
                job.run.kill()
                job.run.communicate()

    def wait_until(self, job: Job, what) -> None:
        deadline = time.monotonic() + 20
        while not what():
            self.assertIsNone(job.run.poll(), "the job ended before")
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.002)

    def hold(self, job: Job, epochs: int = 4) -> None:
        code, output = job.ended()
        self.assertEqual(code, 0, output)
        checkpoints = json.loads(tensorflow(READ, str(job.checkpoints)))
        steps = {name: int(name.split("-")[1]) for name in checkpoints}
        for name, (_, _, total) in checkpoints.items():
            whole, batches = divmod(steps[name], BATCHES)
            self.assertEqual(total, whole * RECORDS + min(batches * BATCH, RECORDS), name)
        self.assertGreater(min(steps.values()), 2 * BATCHES, "it began anew")
        last = max(steps, key=steps.get)
        self.assertEqual(checkpoints[last], [epochs, epochs, epochs * RECORDS], last)

    def refused(self, message: str, **fields) -> None:
        with self.second(**fields) as job:
            code, output = job.ended()
            self.assertEqual(code, 1, output)
            self.assertIn(f"\nUserError: coordinator 0: UserError: {message}\n", output)

    def test_goes_on_to_the_end_with_other_numbers_of_members_in_any_consistency(self):
        for before, after, ps, workers in [("Sync", "Sync", 1, 3), ("Async", "Async", 3, 1), ("Sync", "Async", 2, 1),
                                           ("Async", "Sync", 1, 2)]:
            files = {path: path.read_bytes() for path in self.first[before].iterdir()}
            with self.second(resume=self.first[before], consistency=after, ps=ps, workers=workers) as job:
                self.hold(job)
            self.assertEqual({path: path.read_bytes() for path in self.first[before].iterdir()}, files)

    def test_goes_on_from_another_storage(self):
        with object_store.fake_gcs("bucket") as server, object_store.fault_proxy(server) as proxy:
            with self.second(resume="", epochs=2, folder="gs://bucket/first", emulator=proxy.url) as first:
                code, output = first.ended()
                self.assertEqual(code, 0, output)
            with self.second(resume="gs://bucket/first", emulator=proxy.url) as job:
                self.hold(job)

    def test_holds_where_it_is_killed_before_its_first_commit(self):
        with self.second(epochs=12, every=1_000_000) as job:
            for role in ["ps", "coordinator", "worker", "ps"]:
                self.wait_until(job, lambda: members(job.run, role) and list(job.checkpoints.glob("HEAD.*")))
                time.sleep(0.1)
                job.kill(role)
            self.assertEqual(job.commits(), 0, "it had committed already")
            self.hold(job, 12)

    def test_needs_the_other_folder_no_more_once_it_has_committed(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = shutil.copytree(self.first["Sync"], Path(folder, "copy"))
            with self.second(epochs=8, resume=copy) as job:
                self.wait_until(job, lambda: job.commits() > 1)
                shutil.rmtree(copy)
                for role in ["coordinator", "ps"]:
                    self.wait_until(job, lambda: members(job.run, role))
                    job.kill(role)
                self.hold(job, 8)

    def test_what_contradicts_the_checkpoint_is_refused_in_the_words_of_the_manifest(self):
        there = self.first["Sync"]
        self.refused(f"spec.checkpoint.resume: {there} was trained with seed 0; set spec.training.seed: 0", seed=3)
        self.refused(f"spec.checkpoint.resume: {there} holds step {2 * BATCHES}, and with spec.training.epochs: 2 this job "
                     f"ends at step {2 * BATCHES}; set more epochs", epochs=2)
        self.refused(f"spec.checkpoint.resume: {there} is at record 0 of epoch 2 after {2 * BATCHES} steps; with "
                     "spec.training.batch: 128 and 157 batches in spec.data.train.files this job would be at record "
                     f"{(2 * BATCHES) % 157 * 128} of epoch {2 * BATCHES // 157}; give it the data and the batch that it was "
                     "trained with", batch=128)
        self.refused(f"spec.checkpoint.resume: {there} holds tensor tally as float32 [20000]; this job has tally as float32 "
                     "[20001]: give it the spec.model that it was trained with", records=RECORDS + 1)
        self.refused(f"spec.checkpoint.resume: {self.data} holds no HEAD; name the checkpoint folder of a job",
                     resume=self.data)


if __name__ == "__main__":
    unittest.main()
