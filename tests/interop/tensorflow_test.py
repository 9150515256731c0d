"""The TensorFlow that interop tests trust is the pinned one, and it works: it reads back the records that it wrote."""

import subprocess
import tempfile
import unittest
from pathlib import Path

from interop import peers

PYTHON = peers.python("tensorflow")

ROUND_TRIP = """
import sys
import tensorflow as tf
with tf.io.TFRecordWriter(sys.argv[1]) as writer:
    for number in range(3):
        writer.write(b"record %d" % number)
print(tf.__version__)
print([record.numpy() for record in tf.data.TFRecordDataset(sys.argv[1])])
"""


class TensorFlow(unittest.TestCase):
    def test_is_the_pinned_version_and_reads_what_it_wrote(self):
        pinned = (Path(__file__).parent / "tensorflow.requirements").read_text().strip().split("==")[1]
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([PYTHON, "-c", ROUND_TRIP, f"{folder}/x.tfrecord"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.splitlines(), [pinned, "[b'record 0', b'record 1', b'record 2']"])


if __name__ == "__main__":
    unittest.main()
