"""Arrays that numpy writes, of every type, order of bytes, version and compression, are what numpy reads."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from interop import peers

PYTHON = str(peers.python("tensorflow"))  # Which brings numpy.
SCRIPT = str(Path(__file__).with_name("npy_numpy.py"))
PROGRAM = f"{os.environ['CARRACK_BUILD']}/bin/interop_sources"


def lines(*command: str) -> list[str]:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"{command}: {done.stderr}")
    return done.stdout.splitlines()


class Npy(unittest.TestCase):
    def test_reads_arrays_as_numpy_does(self):
        with tempfile.TemporaryDirectory() as folder:
            lines(PYTHON, SCRIPT, "write", folder)
            files = [str(file) for pattern in ("*.npy", "*.npz") for file in sorted(Path(folder).glob(pattern))]
            self.assertEqual(len(files), 2 * 12 * 7 + 2)
            expected, ours = lines(PYTHON, SCRIPT, "read", *files), lines(PROGRAM, "npy", *files)
        differing = [(number, *pair) for number, pair in enumerate(zip(ours, expected)) if pair[0] != pair[1]]
        self.assertEqual(differing[:3], [])
        self.assertEqual(len(ours), len(expected))


if __name__ == "__main__":
    unittest.main()
