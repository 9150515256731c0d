"""Jobs with strategy Single on this machine: one process, killed and restarted, counts every record and finds a line.
TensorFlow writes the records and reads the checkpoints. deterministic_test.py compares one process with many."""

import json
import re
import tempfile
import unittest
from pathlib import Path

import job
import line
import tally
from checkpoints import InFiles, step_of
from interop import tensorflow_program

RECORDS, BATCH, EPOCHS, EVERY_STEPS = 20_000, 64, 6, 50

READ_LINE = """
import json, sys
import tensorflow as tf
found = tf.train.load_checkpoint(sys.argv[1])
print(json.dumps([found.get_tensor(name).item() for name in ("w", "b")]))
"""

class Single(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def train(self, manifest: str, checkpoints: InFiles, kills: int = 0) -> Path:
        """Runs the job and returns the prefix of its last checkpoint."""
        with job.Run(checkpoints.folder.parent, manifest) as run:
            run.kill_in_turn(["worker"] * kills, checkpoints)
            printed = run.finish()
            self.assertEqual(len(run.starts()), 1 + kills, "processes that were started")
        # The command line knows it only from the process's progress report.
        last = re.search(r"(?m)^checkpoint of step \d+: (.*)$", printed)
        self.assertIsNotNone(last, printed)
        return Path(last[1])

    def test_counts_every_record_in_one_process_however_often_it_is_killed(self):
        data = self.folder / "data"
        tally.write_records(data, RECORDS)
        jobs = {}
        for consistency, kills in [("Sync", 3), ("Async", 1)]:
            checkpoints = InFiles(self.folder / consistency / "checkpoints")
            spec = tally.Tally(str(data), checkpoints.url, RECORDS, EPOCHS, BATCH, EVERY_STEPS, job.SINGLE, consistency)
            last = self.train(spec.manifest(), checkpoints, kills)
            self.assertEqual(step_of(last.name), EPOCHS * spec.steps_in_epoch())
            self.assertEqual([Path(f"{last}.manifest")], checkpoints.last("manifest"))
            jobs[checkpoints.folder] = spec
        self.assertEqual(tally.problems(jobs), [])

    def test_finds_the_line(self):
        checkpoints = InFiles(self.folder / "checkpoints")
        line.write_line(self.folder / "data")
        training = "batch: 20, epochs: 6, optimizer: {kind: SGD, learningRate: 0.1}"
        last = self.train(line.manifest(job.SINGLE, f"{self.folder}/data/*", checkpoints.url, training), checkpoints)
        w, b = json.loads(tensorflow_program.run(READ_LINE, last))
        self.assertAlmostEqual(w, line.SLOPE, delta=0.01)
        self.assertAlmostEqual(b, line.INTERCEPT, delta=0.01)


if __name__ == "__main__":
    unittest.main()
