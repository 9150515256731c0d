"""tf.Examples and tf.SequenceExamples: TensorFlow and our parser make the same batches of 10,000 random ones, and TensorFlow reads
those that we write."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from interop import peers

PYTHON = str(peers.python("tensorflow"))
SCRIPT = str(Path(__file__).with_name("examples_tensorflow.py"))
ROWS = "16"  # of a batch
PROGRAM = f"{os.environ['CARRACK_BUILD']}/bin/interop_examples"


def lines(*command: str) -> list[str]:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"{command}: {done.stderr}")
    return done.stdout.splitlines()


class Examples(unittest.TestCase):
    asked = "examples"

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.theirs, cls.ours = f"{folder.name}/theirs.tfrecord", f"{folder.name}/ours.tfrecord"
        lines(PYTHON, SCRIPT, "write", cls.asked, cls.theirs)
        cls.expected = lines(PYTHON, SCRIPT, "parse", cls.asked, ROWS, cls.theirs)

    def assert_same(self, found: list[str], expected: list[str]):
        differing = [(number, *pair) for number, pair in enumerate(zip(found, expected)) if pair[0] != pair[1]]
        self.assertEqual(differing[:3], [])
        self.assertEqual(len(found), len(expected))

    def test_parses_the_same_batches_or_refuses_the_same_records(self):
        self.assert_same(lines(PROGRAM, "parse", self.asked, ROWS, self.theirs), self.expected)
        mismatches = self.expected.count("mismatch")
        self.assertTrue(1000 < mismatches < 5000, f"{mismatches} of 10,000 are no test of both outcomes")

    def test_writes_examples_that_tensorflow_parses(self):
        lines(PROGRAM, "copy", self.asked, self.theirs, self.ours)
        self.assert_same(lines(PYTHON, SCRIPT, "parse", self.asked, ROWS, self.ours),
                         [line for line in self.expected if line != "mismatch"])


class SequenceExamples(Examples):
    asked = "sequences"


if __name__ == "__main__":
    unittest.main()
