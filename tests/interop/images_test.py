"""JPEGs and PNGs of all kinds, 604 of our own and of TensorFlow's encoders and 600 damaged ones, decode, crop and
resize to exactly TensorFlow's values."""

import os
import re
import tempfile
import unittest
from pathlib import Path

from interop import peers
from interop.two_sides import lines_of

PYTHON = str(peers.python("tensorflow"))
SCRIPT = str(Path(__file__).with_name("images_tensorflow.py"))
PROGRAM = f"{os.environ['CARRACK_BUILD']}/bin/interop_images"

# Means are summed up in another order, and scales are divisors there and factors here. All else is equal, bit by bit.
TOLERANCE = {"area": 0.003, "area_larger": 0.003, "trained_on": 1e-6}
CROPPED = {"box", "central", "trained_on"}
# When TensorFlow adds opacity to a PNG of few bits, it takes it for nearly transparent.
ODD = re.compile(r"png_\w+_(grey|palette)[124]_[^2] channels4 differs 2\d\d\.")


class Images(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        made, ours = Path(folder.name) / "made", Path(folder.name) / "ours"
        made.mkdir()
        ours.mkdir()
        lines_of(PROGRAM, "make", str(made))
        lines_of(PYTHON, SCRIPT, "make", str(made))
        lines_of(PROGRAM, "decode", str(made), str(ours))
        lines = [line.split(" ", 2) for line in lines_of(PYTHON, SCRIPT, "compare", str(made), str(ours))]
        cls.whole = [line for line in lines if not line[0].startswith("damaged")]
        cls.damaged = [line for line in lines if line[0].startswith("damaged")]

    def differing(self, lines: list[list[str]]) -> list[str]:
        """Those whose values differ by more than may be."""
        found = []
        for image, way, outcome in lines:
            same = outcome == "fault"
            if outcome.startswith("differs "):
                same = float(outcome.split()[1]) <= TOLERANCE.get(way, 0)
            if not same:
                found.append(f"{image} {way} {outcome}")
        return found

    def test_decodes_the_same_values_or_refuses_the_same_images(self):
        odd, others = [], []
        for line in self.differing(self.whole):
            (odd if ODD.match(line) else others).append(line)
        self.assertEqual(others, [])
        self.assertGreater(len(odd), 0)
        self.assertGreater(len(self.whole), 9000)
        faults = sum(outcome == "fault" for _, _, outcome in self.whole)
        self.assertTrue(500 < faults < 1500, f"{faults} of {len(self.whole)} are no test of both outcomes")

    def test_refuses_the_damaged_images_that_tensorflow_refuses(self):
        others = []
        for line in self.differing(self.damaged):
            way, outcome = line.split(" ", 2)[1:]
            not_looked_at = outcome == "their fault" and way in CROPPED
            too_small = re.match(r"our fault it says that it is \d+x\d+ pixels \(height x width\), which its \d+ bytes cannot hold", outcome)
            transparent = way == "channels4" and outcome.startswith("differs 2")
            if not (not_looked_at or too_small or transparent):
                others.append(line)
        self.assertEqual(others, [])
        good = sum(outcome.startswith("differs ") for _, _, outcome in self.damaged)
        self.assertTrue(1000 < good < len(self.damaged) - 1000, f"{good} of {len(self.damaged)} are no test of both outcomes")


if __name__ == "__main__":
    unittest.main()
