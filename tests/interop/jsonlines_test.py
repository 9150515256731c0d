"""JSON lines that Python writes: our reader gives the rows that Python reads, and accepts the same text as JSON."""

import json
import os
import random
import struct
import tempfile
import unittest

from interop.two_sides import differences, lines_of

PROGRAM = f"{os.environ['CARRACK_BUILD']}/bin/interop_sources"
ROWS = 10_000


def drawn_text(draw: random.Random) -> str:
    return "".join(draw.choices(["a", '"', "\\", "/", "\n", "\t", "\0", "\x7f", "é", "€", "\U0001f600"], k=draw.choice([0, 1, 7, 60])))


def drawn_float(draw: random.Random) -> float:
    """A float32, so that nobody rounds it."""
    number = draw.choice([0.0, -0.0, 1e-40, float("inf"), float("nan"), draw.gauss(0, 1e6), draw.random()])
    return struct.unpack("<f", struct.pack("<f", number))[0]


def drawn_other(draw: random.Random, depth: int = 0) -> object:
    kinds = [None, True, drawn_text(draw), draw.getrandbits(70), drawn_float(draw)]
    if depth < 4:
        kinds += [[drawn_other(draw, depth + 1) for _ in range(draw.randrange(3))],
                  {drawn_text(draw): drawn_other(draw, depth + 1) for _ in range(draw.randrange(3))}]
    return draw.choice(kinds)


def printed(row: dict) -> str:
    number = "nan" if row["f"] != row["f"] else str(struct.unpack("<I", struct.pack("<f", row["f"]))[0])
    return f"x{row['s'].encode().hex()} {number} {row['i']}"


def members_of(pairs: list) -> dict:
    """Python takes the last of two members of one name, and half a surrogate pair; for us the row is none."""
    named = [name for name, _ in pairs if name in ("s", "f", "i")]
    if len(named) > len(set(named)) or any("\ud800" <= c <= "\udfff" for _, value in pairs for c in str(value)):
        raise ValueError
    return dict(pairs)


def is_row(line: str) -> bool:
    try:
        return isinstance(json.loads(line, object_pairs_hook=members_of), dict)
    except ValueError:
        return False


class JsonLines(unittest.TestCase):
    def setUp(self):
        self.file = f"{self.enterContext(tempfile.TemporaryDirectory())}/x.jsonl"

    def test_reads_random_rows_as_python_does(self):
        draw = random.Random(1)
        expected = []
        with open(self.file, "w", encoding="utf-8") as file:
            for _ in range(ROWS):
                row = {"s": drawn_text(draw), "f": drawn_float(draw), "i": draw.getrandbits(64) - 2**63}
                members = list(({f"other {drawn_text(draw)}": drawn_other(draw) for _ in range(draw.randrange(3))} | row).items())
                draw.shuffle(members)
                file.write(json.dumps(dict(members), ensure_ascii=draw.random() < 0.5,
                                      separators=draw.choice([(", ", ": "), (",", ":"), (" ,\t", " : ")])) + "\n")
                expected.append(printed(row))
        self.assertEqual(differences(lines_of(PROGRAM, "jsonl", self.file), expected), [])

    def test_takes_the_same_broken_lines_for_json_as_python(self):
        draw = random.Random(2)
        broken = []
        while len(broken) < ROWS:
            line = list('{"s": "a\\u00e9", "f": 1.5, "i": 7, "x": [true, {"y": null}, -0.5e-7, []]}')
            for _ in range(draw.choice([1, 1, 2, 4])):
                at = draw.randrange(len(line))
                line[at:at + draw.choice([0, 1, 1])] = draw.choice(list('{}[],:"\\u0e-.tN7 x') + [""])
            text = "".join(line)
            if all(name in text for name in ('"s": "', '"f": 1.5,', '"i": 7,')):  # What is broken is not what is asked for.
                broken.append(text)
        with open(self.file, "w") as file:
            file.write("\n".join(broken) + "\n")
        ours = [line != "fault" for line in lines_of(PROGRAM, "jsonl", self.file)]
        differing = [text for text, found in zip(broken, ours) if found != is_row(text)]
        self.assertEqual(differing[:3], [])
        self.assertTrue(ROWS / 10 < sum(ours) < ROWS * 9 / 10, f"{sum(ours)} of {ROWS} are no test of both outcomes")


if __name__ == "__main__":
    unittest.main()
