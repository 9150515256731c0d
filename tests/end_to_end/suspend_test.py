"""A run that is stopped, in order or not, and gone on with: what was done when it was asked to stop is committed, nothing of it
goes on running, and the tally is exact in the end. Records are written and checkpoints read by TensorFlow."""

import json
import os
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from interop import peers

BIN = Path(os.environ["CARRACK_BUILD"]) / "bin"
TENSORFLOW = peers.python("tensorflow")
# A cut seldom comes, and every batch is full: a commit of step N holds N * BATCH records, and was no regular one.
RECORDS, BATCH, EPOCHS, EVERY = 8192, 64, 30, 1000
STEPS = RECORDS // BATCH * EPOCHS

WRITE = """
import sys
import tensorflow as tf
with tf.io.TFRecordWriter(sys.argv[1]) as writer:
    for record in range(int(sys.argv[2])):
        value = tf.train.Feature(int64_list=tf.train.Int64List(value=[record]))
        writer.write(tf.train.Example(features=tf.train.Features(feature={"id": value})).SerializeToString())
"""

# The least, the greatest and the sum of all tallies of each checkpoint, by its step.
READ = """
import glob, json, sys
import tensorflow as tf
seen = {}
for manifest in glob.glob(sys.argv[1] + "/*.manifest"):
    prefix = manifest.removesuffix(".manifest")
    tally = tf.train.load_checkpoint(prefix).get_tensor("tally")
    seen[int(prefix.rsplit("/", 1)[1].split("-")[1])] = [float(tally.min()), float(tally.max()), float(tally.sum())]
print(json.dumps(seen))
"""

MANIFEST = """
apiVersion: carrack.dev/v1alpha1
kind: TrainingJob
metadata: {{name: tally}}
spec:
  strategy: ParameterServer
  replicas: {{ps: {{count: 2}}, worker: {{count: 2}}}}
  model: {{kind: Tally, record: id, records: {records}}}
  data: {{train: {{files: ["{data}"]}}, features: {{id: {{type: int64}}}}}}
  training: {{batch: {batch}, epochs: {epochs}, reduction: Sum, consistency: {consistency},
             optimizer: {{kind: SGD, learningRate: 1}}}}
  checkpoint: {{everySteps: {every}}}
"""


def tensorflow(program: str, *arguments: str) -> str:
    quiet = os.environ | {"TF_CPP_MIN_LOG_LEVEL": "3"}
    done = subprocess.run([TENSORFLOW, "-c", program, *arguments], capture_output=True, text=True, env=quiet, check=True)
    return done.stdout


class Run:
    """A folder in which one job is run, as often as it takes."""

    def __init__(self, folder: str, data: str, consistency: str, epochs: int = EPOCHS):
        self.folder = Path(folder, "run")
        self.manifest = Path(folder, "job.yaml")
        self.manifest.write_text(MANIFEST.format(data=data, consistency=consistency, records=RECORDS, batch=BATCH,
                                                 epochs=epochs, every=EVERY))

    def start(self) -> subprocess.Popen:
        return subprocess.Popen([BIN / "carrack", "run", self.manifest, "--folder", self.folder], text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def kept(self) -> dict:
        return json.loads((self.folder / "job.json").read_text())

    def steps(self) -> tuple[int, int]:
        """How many are done, and how many are committed, as far as is known."""
        status = self.kept()["status"] if (self.folder / "job.json").exists() else {}
        return status.get("progress", {}).get("step", 0), status.get("lastCheckpoint", {}).get("step", 0)

    def wait_between_cuts(self, process: subprocess.Popen) -> None:
        """Until there is a commit, and much has been done since."""
        deadline = time.monotonic() + 120
        done, committed = self.steps()
        while committed == 0 or not EVERY // 10 < done % EVERY < EVERY // 2:
            if process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError(f"step {done}; {process.communicate()[0]}")
            time.sleep(0.005)
            done, committed = self.steps()

    def commits(self) -> dict[int, list[float]]:
        read = json.loads(tensorflow(READ, str(self.folder / "checkpoints")))
        return {int(step): tally for step, tally in read.items()}

    def members(self) -> list[str]:
        """What still runs of this job."""
        uid = f"CARRACK_JOB_UID={self.kept()['metadata']['uid']}\0".encode()
        return [str(process) for process in Path("/proc").glob("[0-9]*") if uid in environment(process)]


def environment(process: Path) -> bytes:
    try:
        return (process / "environ").read_bytes()
    except OSError:
        return b""


class Suspend(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.kept = tempfile.TemporaryDirectory()
        cls.data = f"{cls.kept.name}/tally.tfrecord"
        tensorflow(WRITE, cls.data, str(RECORDS))

    @classmethod
    def tearDownClass(cls):
        cls.kept.cleanup()

    def end(self, process: subprocess.Popen, exit_code: int, run: Run) -> str:
        output, _ = process.communicate(timeout=120)
        logs = "".join(log.read_text() for log in (run.folder / "logs").iterdir())
        self.assertEqual(process.returncode, exit_code, output + logs)
        return output

    def end_of_tally(self, run: Run, goes_on_from: int) -> None:
        output = self.end(run.start(), 0, run)
        self.assertIn(f"goes on with the run in {run.folder}, from step {goes_on_from}\n", output)
        commits = run.commits()
        for step, (_, _, total) in commits.items():
            self.assertEqual(total, step * BATCH, f"step {step}")
        self.assertEqual(commits[STEPS], [EPOCHS, EPOCHS, EPOCHS * RECORDS])

    def suspend_and_go_on(self, consistency: str, by: signal.Signals) -> None:
        with tempfile.TemporaryDirectory() as folder:
            run = Run(folder, self.data, consistency)
            process = run.start()
            run.wait_between_cuts(process)
            process.send_signal(by)
            output = self.end(process, 130, run)
            self.assertEqual(run.members(), [])
            done, step = run.steps()
            print(f"{consistency}: suspended at step {step}", flush=True)
            self.assertEqual(done, step, "all that was done is committed")
            self.assertNotEqual(step % EVERY, 0, "what was done since the last regular cut was committed")
            self.assertIn(f"suspended; it goes on from step {step}\n", output)
            self.assertIn(f"to go on: carrack run {run.manifest} --folder {run.folder}\n", output)
            self.assertEqual(max(run.commits()), step)
            self.end_of_tally(run, step)

    def test_commits_what_is_done_and_goes_on_from_there_in_sync(self):
        self.suspend_and_go_on("Sync", signal.SIGINT)

    def test_commits_what_is_done_and_goes_on_from_there_in_async(self):
        self.suspend_and_go_on("Async", signal.SIGTERM)

    def test_goes_on_after_carrack_run_was_killed(self):
        with tempfile.TemporaryDirectory() as folder:
            run = Run(folder, self.data, "Sync")
            process = run.start()
            run.wait_between_cuts(process)
            process.kill()
            process.communicate()
            deadline = time.monotonic() + 10
            while run.members() and time.monotonic() < deadline:
                time.sleep(0.01)
            self.assertEqual(run.members(), [], "they end with who started them")
            before = run.kept()
            self.end_of_tally(run, run.steps()[1])
            after = run.kept()
            self.assertEqual(after["metadata"]["uid"], before["metadata"]["uid"])
            self.assertEqual(after["status"]["members"]["coordinator-0"]["incarnation"], 2)

    def test_a_folder_is_of_one_run_and_a_second_interrupt_ends_it_at_once(self):
        with tempfile.TemporaryDirectory() as folder:
            run = Run(folder, self.data, "Sync")
            process = run.start()
            run.wait_between_cuts(process)
            self.assertEqual(self.end(run.start(), 2, run),
                             f"carrack run: {run.folder}: another `carrack run` is at work there; wait until it has ended, "
                             "or give another --folder\n")
            process.send_signal(signal.SIGINT)
            process.send_signal(signal.SIGTERM)
            output = self.end(process, 130, run)
            done, committed = run.steps()
            self.assertIn(f"ended; it goes on from step {committed}, and computes {done - committed} steps again that "
                          "were not committed\n", output)
            self.assertEqual(run.members(), [])
            self.end_of_tally(run, committed)

    def test_a_run_that_has_ended_says_how_and_one_of_another_job_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            run = Run(folder, self.data, "Sync", epochs=1)
            self.end(run.start(), 0, run)
            self.assertEqual(self.end(run.start(), 0, run),
                             f"carrack run: {run.folder}: this run has ended: Succeeded (TrainingSucceeded); to train anew, "
                             f"remove {run.folder} or give another --folder\n")
            other = Run(folder, self.data, "Sync", epochs=2)
            self.assertEqual(self.end(other.start(), 2, run),
                             f"carrack run: {run.folder}: holds the run of another job, as spec.training.epochs differs; "
                             "give this one another --folder, or remove that one\n")

    def test_a_manifest_that_says_suspend_starts_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            run = Run(folder, self.data, "Sync", epochs=1)
            training = run.manifest.read_text()
            run.manifest.write_text(training + "  suspend: true\n")
            output = self.end(run.start(), 130, run)
            self.assertIn(f"to go on: take spec.suspend out of {run.manifest}, then carrack run", output)
            self.assertEqual(list((run.folder / "logs").iterdir()), [])
            run.manifest.write_text(training)
            self.end(run.start(), 0, run)


if __name__ == "__main__":
    unittest.main()
