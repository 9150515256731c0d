"""Arrays that numpy writes, of every type, order of bytes, version and compression, are what numpy reads."""

import os
import tempfile
import unittest
from pathlib import Path

from interop import peers
from interop.two_sides import differences, lines_of

PYTHON = str(peers.python("tensorflow"))  # Which brings numpy.
SCRIPT = str(Path(__file__).with_name("npy_numpy.py"))
PROGRAM = f"{os.environ['CARRACK_BUILD']}/bin/interop_sources"


class Npy(unittest.TestCase):
    def test_reads_arrays_as_numpy_does(self):
        with tempfile.TemporaryDirectory() as folder:
            lines_of(PYTHON, SCRIPT, "write", folder)
            files = [str(file) for pattern in ("*.npy", "*.npz") for file in sorted(Path(folder).glob(pattern))]
            self.assertEqual(len(files), 2 * 12 * 7 + 2)
            expected, ours = lines_of(PYTHON, SCRIPT, "read", *files), lines_of(PROGRAM, "npy", *files)
        self.assertEqual(differences(ours, expected), [])


if __name__ == "__main__":
    unittest.main()
