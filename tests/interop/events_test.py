"""TensorBoard reads the history of a run from our event files, with the values that were recorded."""

import json
import math
import os
import random
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

from interop import peers

PYTHON = peers.python("tensorboard")
PROGRAM = os.path.join(os.environ["CARRACK_BUILD"], "bin", "interop_events")
BEGUN = 1764094500.5

# Prints the scalars of all event files in a folder: {tag: [[wall_time, step, value], ...]}.
READS = """
import json, sys
from tensorboard.backend.event_processing import event_accumulator
found = event_accumulator.EventAccumulator(sys.argv[1], size_guidance={event_accumulator.SCALARS: 0})
found.Reload()
print(json.dumps({
    "begun": found.FirstEventTimestamp(),
    "tags": {tag: [[one.wall_time, one.step, one.value] for one in found.Scalars(tag)] for tag in found.Tags()["scalars"]}}))
"""

# The same as TensorBoard's server reads them, in which scalars are tensors.
SERVES = """
import json, sys
from tensorboard.backend.event_processing import plugin_event_accumulator
from tensorboard.util import tensor_util
found = plugin_event_accumulator.EventAccumulator(sys.argv[1], size_guidance={plugin_event_accumulator.TENSORS: 0})
found.Reload()
print(json.dumps({"tags": {
    tag: [[one.wall_time, one.step, float(tensor_util.make_ndarray(one.tensor_proto))] for one in found.Tensors(tag)]
    for tag in found.PluginTagToContent("scalars")}}))
"""


def single(value: float | None) -> float:
    """As a float has it; null is NaN."""
    return math.nan if value is None else struct.unpack("f", struct.pack("f", value))[0]


def drawn() -> list[dict]:
    """Some 500 points of a run that goes back once, to a commit."""
    draw = random.Random(5)
    points = []
    for step in [*range(1, 300), *range(250, 400)]:
        point = {"step": step**3, "epoch": step // 100, "time": BEGUN + step + draw.random()}
        loss = None if step == 77 else math.exp(draw.uniform(-20, 20))
        points.append(point | {"loss": loss, "records_per_second": draw.uniform(0, 1e7)})
        if step % 10 == 0:
            names = "records", "loss", "accuracy", "area_under_curve"
            points.append(point | {"evaluation": {name: draw.uniform(-1, 1) for name in names}})
    return points


def scalars_of(points: list[dict]) -> dict[str, list[list[float]]]:
    tags: dict[str, list[list[float]]] = {}
    for point in points:
        values = {f"evaluation/{name}": value for name, value in point.get("evaluation", {}).items()}
        values = values or {tag: point[tag] for tag in ("loss", "records_per_second", "epoch")}
        for tag, value in values.items():
            tags.setdefault(tag, []).append([point["time"], point["step"], single(value)])
    return tags


def written(points: list[dict]) -> bytes:
    lines = "".join(json.dumps(point) + "\n" for point in points)
    return subprocess.run([PROGRAM, str(BEGUN)], input=lines.encode(), capture_output=True, check=True).stdout


def read_by(program: str, folder: str) -> dict:
    done = subprocess.run([PYTHON, "-c", program, folder], capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"TensorBoard ended with {done.returncode}\n{done.stderr}")
    return json.loads(done.stdout)


class TensorBoard(unittest.TestCase):
    def assert_same(self, ours: dict, theirs: dict) -> None:
        self.assertEqual(sorted(theirs), sorted(ours))
        for tag, points in ours.items():
            # NaN is no number that equals itself; its text does.
            self.assertEqual(list(map(str, theirs[tag])), list(map(str, points)), tag)

    def test_reads_every_value(self):
        points = drawn()
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "events.out.tfevents.1764094500.carrack").write_bytes(written(points))
            found = read_by(READS, folder)
            served = read_by(SERVES, folder)
        self.assertEqual(found["begun"], BEGUN)
        self.assert_same(scalars_of(points), found["tags"])
        self.assert_same(scalars_of(points), served["tags"])

    def test_reads_the_files_of_a_run_one_after_the_other(self):
        points = drawn()
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "events.out.tfevents.1764094500.carrack").write_bytes(written(points[:100]))
            Path(folder, "events.out.tfevents.1764094600.carrack").write_bytes(written(points[100:]))
            found = read_by(READS, folder)
        self.assert_same(scalars_of(points), found["tags"])


if __name__ == "__main__":
    unittest.main()
