"""tf.Examples and tf.SequenceExamples: TensorFlow and our parser make the same batches of 10,000 random ones, and TensorFlow reads
those that we write."""

import os
import tempfile
import unittest
from pathlib import Path

from interop import peers
from interop.compressions import COMPRESSIONS
from interop.two_sides import differences, lines_of

PYTHON = str(peers.python("tensorflow"))
SCRIPT = str(Path(__file__).with_name("examples_tensorflow.py"))
ROWS = "16"  # of a batch
PROGRAM = f"{os.environ['CARRACK_BUILD']}/bin/interop_examples"


class Examples(unittest.TestCase):
    kind = "examples"

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.theirs, cls.ours = f"{folder.name}/theirs.tfrecord", f"{folder.name}/ours.tfrecord"
        lines_of(PYTHON, SCRIPT, "write", cls.kind, cls.theirs)
        cls.expected = lines_of(PYTHON, SCRIPT, "parse", cls.kind, ROWS, cls.theirs)

    def test_parses_the_same_batches_or_refuses_the_same_records(self):
        self.assertEqual(differences(lines_of(PROGRAM, "parse", self.kind, ROWS, self.theirs), self.expected), [])
        mismatches = self.expected.count("mismatch")
        self.assertTrue(1000 < mismatches < 5000, f"{mismatches} of 10,000 are no test of both outcomes")

    def test_parses_the_same_batches_of_compressed_files(self):
        content = Path(self.theirs).read_bytes()
        for name, compress in COMPRESSIONS.items():
            Path(self.ours).write_bytes(compress(content))
            self.assertEqual(differences(lines_of(PROGRAM, "parse", self.kind, ROWS, self.ours), self.expected), [], name)

    def test_writes_examples_that_tensorflow_parses(self):
        lines_of(PROGRAM, "copy", self.kind, self.theirs, self.ours)
        good = [line for line in self.expected if line != "mismatch"]
        self.assertEqual(differences(lines_of(PYTHON, SCRIPT, "parse", self.kind, ROWS, self.ours), good), [])


class SequenceExamples(Examples):
    kind = "sequences"


if __name__ == "__main__":
    unittest.main()
