"""Pipelines give what tf.data's give on the same data, element by element: hundreds of random ones, of all stages that
draw nothing. Files are read as TensorFlow writes them, and compressed.

A pipeline is {"from": SOURCE, "stages": [STAGE...]}, a stage its name and numbers. A source is ["range", BEGIN, END],
["generated", BEGIN, END], which is not known before it comes, ["file", NUMBER], or several pipelines as one:
["concatenate", [...]], ["zip", [...]], ["interleave", [...], CYCLE, BLOCK]. "batches" says whether batches come of it.
"""

import json
import os
import random
import tempfile
import unittest
from pathlib import Path

from interop import peers
from interop.compressions import COMPRESSIONS
from interop.two_sides import lines_of

PYTHON = str(peers.python("tensorflow"))
SCRIPT = str(Path(__file__).with_name("pipelines_tensorflow.py"))
PROGRAM = f"{os.environ['CARRACK_BUILD']}/bin/interop_pipelines"
SIZES = [17, 0, 64, 1, 5, 33, 250]  # of files
PIPELINES = 400


def random_source(draw: random.Random, kind: str) -> list:
    if kind == "file":
        return [kind, draw.randrange(len(SIZES))]
    begin = draw.randrange(900)
    return [kind, begin, begin + draw.choice([0, 1, 2, 7, 30, 100, 300])]


def random_stages(draw: random.Random, most: int) -> list:
    number = lambda: draw.choice([0, 1, 2, 5, 13, 50])
    kinds = {
        "skip": lambda: [number()],
        "take": lambda: [number() * 4],
        "repeat": lambda: [draw.choice([0, 1, 2, 3])],
        "shard": lambda: draw.choice([[1, 0], [2, 1], [3, 0], [5, 4]]),
        "filter": lambda: [],
        "map": lambda: [],
    }
    return [[kind, *kinds[kind]()] for kind in draw.choices(sorted(kinds), k=draw.randrange(most + 1))]


def random_interleave(draw: random.Random) -> list:
    """TensorFlow can only interleave inputs of one kind."""
    kind, stages = draw.choice(["range", "generated", "file"]), random_stages(draw, 2)
    inputs = [{"from": random_source(draw, kind), "stages": stages} for _ in range(draw.choice([1, 2, 3, 5, 9]))]
    return ["interleave", inputs, draw.choice([1, 2, 3, 4, 16]), draw.choice([1, 2, 3, 8, 40])]


def random_rows(draw: random.Random, depth: int = 0) -> dict:
    kind = draw.choice(["range", "generated", "file", "interleave", "interleave", "concatenate", "zip"])
    if depth > 1 and kind in ("concatenate", "zip"):
        kind = "file"
    if kind == "interleave":
        source = random_interleave(draw)
    elif kind in ("concatenate", "zip"):
        source = [kind, [random_rows(draw, depth + 1) for _ in range(2)]]
    else:
        source = random_source(draw, kind)
    return {"from": source, "stages": random_stages(draw, 3)}


def random_pipeline(draw: random.Random) -> dict:
    pipeline = random_rows(draw)
    stages = pipeline["stages"]
    if draw.random() < 0.2:
        stages += [["repeat"], ["take", draw.choice([10, 500])]]
    pipeline["batches"] = draw.random() < 0.7
    if pipeline["batches"]:
        stages.append([draw.choice(["batch", "batch", "padded"]), draw.choice([1, 2, 7, 32]), draw.random() < 0.5])
        stages += [stage for stage in random_stages(draw, 2) if stage[0] not in ("filter", "map")]
    return pipeline


class Pipelines(unittest.TestCase):
    def test_return_the_same_elements(self):
        draw = random.Random(1)
        lines = [json.dumps(random_pipeline(draw)) for _ in range(PIPELINES)]
        with tempfile.TemporaryDirectory() as folder:
            lines_of(PYTHON, SCRIPT, "write", folder, *map(str, SIZES))
            theirs = lines_of(PYTHON, SCRIPT, "read", folder, stdin=lines)
            files = {file: file.read_bytes() for file in map(Path(folder).joinpath, map(str, range(len(SIZES))))}
            for name, compress in {"plain": bytes, **COMPRESSIONS}.items():
                for file, content in files.items():
                    file.write_bytes(compress(content))
                ours = lines_of(PROGRAM, folder, stdin=lines)
                self.assertEqual((len(ours), len(theirs)), (PIPELINES, PIPELINES), name)
                differing = [each for each in zip(lines, ours, theirs) if each[1] != each[2]]
                self.assertEqual(differing[:3], [], f"{len(differing)} differ, {name}")
        self.assertGreater(sum(map(bool, theirs)), PIPELINES // 2, "most are no test if they give nothing")


if __name__ == "__main__":
    unittest.main()
