"""CSV files that Python writes in all its dialects: Python's csv, TensorFlow and our reader give the same rows, and take the same
texts for numbers."""

import csv
import os
import random
import tempfile
import unittest
from pathlib import Path

from interop import peers
from interop.two_sides import differences, lines_of

PYTHON = str(peers.python("tensorflow"))
SCRIPT = str(Path(__file__).with_name("csv_tensorflow.py"))
PROGRAM = f"{os.environ['CARRACK_BUILD']}/bin/interop_sources"
ROWS = 2000
WAYS = [(",", "\r\n", csv.QUOTE_MINIMAL), (",", "\n", csv.QUOTE_ALL), ("\t", "\n", csv.QUOTE_MINIMAL),
        ("|", "\r\n", csv.QUOTE_NONNUMERIC)]


def drawn_text(draw: random.Random) -> str:
    """Not empty: that is a missing value for TensorFlow. A \\r alone Python writes without quotes, and reads as a newline."""
    return "".join(draw.choices(["a", "b", '"', "\n", "\r\n", ",", "\t", " ", "|", "é", "\x01"], k=draw.choice([1, 2, 5, 40, 130])))


def drawn_float(draw: random.Random) -> float:
    return draw.choice([0.0, -0.0, 1e-40, 1e300, float("inf"), float("nan"), draw.gauss(0, 1e6), draw.random()])


def drawn_number(draw: random.Random) -> str:
    """A text that may be a number."""
    if draw.random() < 0.5:
        return "".join(draw.choices("0123456789.eE+- ", weights=[3] * 10 + [4, 2, 1, 2, 2, 1], k=draw.randrange(1, 12)))
    return draw.choice([f"{draw.gauss(0, 1):.{draw.randrange(20)}g}e{draw.randrange(-50, 45)}", str(draw.getrandbits(70)),
                        str(-draw.getrandbits(64)), f"{draw.getrandbits(25)}.{draw.getrandbits(60)}", "NaN", "-Inf", "+infinity",
                        "NA", "1f", "0.000000000000000000000000000000000000000000000001", str(draw.getrandbits(63))])


class Csv(unittest.TestCase):
    def setUp(self):
        self.file = f"{self.enterContext(tempfile.TemporaryDirectory())}/x.csv"

    def test_reads_random_rows_as_python_and_tensorflow_do(self):
        for number, (delimiter, newline, quoting) in enumerate(WAYS):
            draw = random.Random(number)
            table = [[drawn_text(draw), drawn_float(draw), draw.getrandbits(64) - 2**63] for _ in range(ROWS)]
            with open(self.file, "w", newline="") as file:
                csv.writer(file, delimiter=delimiter, lineterminator=newline, quoting=quoting).writerows(table)
            ours = lines_of(PROGRAM, "csv", self.file, delimiter)
            self.assertEqual(differences([line.split()[0] for line in ours], ["x" + row[0].encode().hex() for row in table]), [])
            with open(self.file, newline="") as file:
                self.assertEqual([row[0] for row in csv.reader(file, delimiter=delimiter)], [row[0] for row in table])
            self.assertEqual(differences(ours, lines_of(PYTHON, SCRIPT, self.file, delimiter)), [])

    def test_takes_the_same_text_for_numbers_as_tensorflow(self):
        draw = random.Random(1)
        with open(self.file, "w") as file:
            for number in range(2 * ROWS):
                text = drawn_number(draw)
                file.write(f"a,{text},1\n" if number % 2 == 0 else f"a,1,{text}\n")
        ours = lines_of(PROGRAM, "csv", self.file, ",")
        self.assertEqual(differences(ours, lines_of(PYTHON, SCRIPT, self.file, ",")), [])
        self.assertTrue(ROWS < ours.count("fault") < 5 * ROWS / 3, f"{ours.count('fault')} is no test of both outcomes")


if __name__ == "__main__":
    unittest.main()
