"""TFRecords are TensorFlow's: what either writes the other reads, in each compression."""

import os
import tempfile
import unittest
from pathlib import Path

from interop import peers
from interop.two_sides import lines_of

PYTHON = str(peers.python("tensorflow"))
SCRIPT = str(Path(__file__).with_name("records_tensorflow.py"))
PROGRAM = f"{os.environ['CARRACK_BUILD']}/bin/interop_records"


class Records(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.theirs, self.ours = f"{folder.name}/theirs.tfrecord", f"{folder.name}/ours.tfrecord"

    def test_reads_and_writes_records_as_tensorflow_does_in_each_compression(self):
        for compression in ("NONE", "GZIP", "ZLIB"):
            lines_of(PYTHON, SCRIPT, "write", self.theirs, compression)
            expected = lines_of(PYTHON, SCRIPT, "read", self.theirs, compression)
            self.assertEqual(len(expected), 59)
            self.assertEqual(lines_of(PROGRAM, "read", self.theirs), expected, compression)
            lines_of(PROGRAM, "copy", self.theirs, self.ours, compression)
            self.assertEqual(lines_of(PYTHON, SCRIPT, "read", self.ours, compression), expected, compression)
            if compression == "NONE":
                self.assertEqual(Path(self.ours).read_bytes(), Path(self.theirs).read_bytes())

    def test_reads_all_of_several_compressed_streams_and_tensorflow_only_those_of_gzip(self):
        for compression, read_by_tensorflow in {"GZIP": 118, "ZLIB": 59}.items():
            lines_of(PYTHON, SCRIPT, "write", self.theirs, compression)
            Path(self.theirs).write_bytes(Path(self.theirs).read_bytes() * 2)
            ours = lines_of(PROGRAM, "read", self.theirs)
            self.assertEqual(len(ours), 118)
            self.assertEqual(lines_of(PYTHON, SCRIPT, "read", self.theirs, compression), ours[:read_by_tensorflow])


if __name__ == "__main__":
    unittest.main()
