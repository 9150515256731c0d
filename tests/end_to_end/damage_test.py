"""Jobs over damaged files with `onDamage: skip`: each record that can be used counts once an epoch, each use of one that cannot
be used is counted as left out, in each checkpoint, whichever process is killed; and the bits of a deterministic job do not depend on the
number of workers. With `stop` a job fails at the first damaged record, and goes on without it once it is to skip."""

import gzip
import json
import random
import struct
import tempfile
import unittest
from pathlib import Path

import job
import tally
from checkpoints import InFiles
from support.tfrecord import entry, field, frame, varint

RECORDS, BATCH, EPOCHS, EVERY_STEPS = 6_000, 16, 4, 20
# Of these records the data, the length or the feature `id` is damaged.
DATA, LENGTH, FEATURE = {17, 18, 1_234, 5_000}, {40, 2_222}, {77}


def example(features: dict[str, int | list[float]]) -> bytes:
    entries = b""
    for name, value in features.items():
        if isinstance(value, int):
            entries += entry(name, field(3, field(1, varint(value))))
        else:
            entries += entry(name, field(2, field(1, struct.pack(f"<{len(value)}f", *value))))
    return field(1, entries)


def damaged(record: bytes, byte: int) -> bytes:
    return record[:byte] + bytes([record[byte] ^ 1]) + record[byte + 1:]


def tally_record(number: int, data: set[int], length: set[int], feature: set[int]) -> bytes:
    record = frame(example({"other" if number in feature else "id": number}))
    if number in data:
        return damaged(record, len(record) - 6)
    return damaged(record, 0) if number in length else record


def write_tally(folder: Path, files: int, data: set[int] = DATA, length: set[int] = LENGTH, feature: set[int] = FEATURE) -> None:
    """The second file is compressed."""
    folder.mkdir()
    for file in range(files):
        content = b"".join(tally_record(number, data, length, feature) for number in range(file, RECORDS, files))
        (folder / f"tally-{file}.tfrecord").write_bytes(gzip.compress(content) if file == 1 else content)


def lines_of(manifest: Path) -> dict[str, str]:
    return dict(line.split(" ", 1) for line in manifest.read_text().splitlines())


def tallies(manifest: Path) -> tuple[float, ...]:
    """The only tensor of the bundle."""
    shards = sorted(manifest.parent.glob(manifest.stem + ".data-*"))
    content = b"".join(shard.read_bytes() for shard in shards)
    return struct.unpack(f"<{RECORDS}f", content)


class Damage(unittest.TestCase):
    def setUp(self):
        self.home = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def spec(self, name: str, data: Path, **fields) -> tally.Tally:
        return tally.Tally(str(data), str(self.home / name / "checkpoints"), RECORDS, EPOCHS, BATCH, EVERY_STEPS)._replace(**fields)

    def run_job(self, spec: tally.Tally, on_damage: str = "skip") -> job.Run:
        manifest = spec.manifest().replace("data: {train:", f"data: {{onDamage: {on_damage}, train:")
        return job.Run(Path(spec.checkpoints).parent, manifest)

    def last_checkpoint(self, spec: tally.Tally) -> dict:
        return json.loads((Path(spec.checkpoints).parent / "run/job.json").read_text())["status"]["lastCheckpoint"]

    def assert_exact(self, spec: tally.Tally, left_out: set[int]) -> None:
        manifests = sorted(Path(spec.checkpoints).glob("*.manifest"), key=lambda file: int(lines_of(file)["step"]))
        for manifest in manifests:
            lines, counts = lines_of(manifest), tallies(manifest)
            skipped = int(lines.get("skipped", "0").split(" ")[0])
            used = tally.expected_in(manifest.parent, manifest.stem, spec).total
            self.assertEqual(sum(counts) + skipped, used, manifest)
            self.assertEqual({number for number in left_out if counts[number] > 0}, set(), manifest)
        last = tallies(manifests[-1])
        self.assertEqual({number for number in range(RECORDS) if last[number] != EPOCHS}, left_out)
        status = self.last_checkpoint(spec)
        self.assertEqual(status["skippedRecords"], EPOCHS * len(left_out))
        self.assertRegex(status["firstSkipped"], r"^/.*/tally-\d+\.tfrecord: record \d+ at byte \d+")

    def test_leaves_gaps_and_every_other_record_counts_once_an_epoch(self):
        data = self.home / "data"
        write_tally(data, 3)
        for workers, consistency in ((1, "Sync"), (3, "Sync"), (3, "Async")):
            spec = self.spec(f"{workers}-{consistency}", data, strategy=job.parameter_server(2, workers), consistency=consistency)
            with self.run_job(spec) as run:
                run.kill_in_turn(["worker", "ps", "coordinator"], InFiles(Path(spec.checkpoints)))
                printed = run.finish()
            self.assert_exact(spec, DATA | LENGTH | FEATURE)
            self.assertIn(f"left out: {EPOCHS * 7} uses of damaged records up to step {EPOCHS * spec.steps_in_epoch():,}, the first: ", printed)
            self.assertIn("log: left out: ", run.logs())

    def test_is_left_out_of_a_first_pass(self):
        data = self.home / "data"
        write_tally(data, 12)
        spec = self.spec("first-pass", data, first_pass=True, strategy=job.parameter_server(2, 3))
        with self.run_job(spec) as run:
            run.kill_in_turn(["worker", "ps", "coordinator"], InFiles(Path(spec.checkpoints)))
            run.finish()
        self.assertIn("pass first", InFiles(Path(spec.checkpoints)).head())
        self.assert_exact(spec, DATA | LENGTH | FEATURE)

    def test_stops_the_job_unless_it_is_skipped_and_the_same_run_goes_on_without_it(self):
        data = self.home / "data"
        write_tally(data, 3, data={1_234}, length=set(), feature=set())
        spec = self.spec("stop", data, stages="[]", strategy=job.SINGLE, every_steps=2)
        with self.run_job(spec, "stop") as run:
            printed = run.finish(exit_code=1)
        self.assertRegex(printed, r"tally-1\.tfrecord: record 411 at byte \d+ of the inflated data: the data does not match its checksum")
        self.assertGreater(InFiles(Path(spec.checkpoints)).committed_step(), 0)
        with self.run_job(spec) as run:
            self.assertIn("goes on with the run in", run.finish())
        self.assert_exact(spec, {1_234})


NETWORK = """
apiVersion: carrack.dev/v1alpha1
kind: TrainingJob
metadata: {{name: network}}
spec:
  {strategy}
  model:
    layers:
    - {{kind: Dense, inputs: [x], units: 8, activation: ReLU}}
    - {{kind: Dropout, rate: 0.5}}
    - {{kind: BatchNorm}}
    - {{kind: Dense, units: 1}}
    loss: {{kind: MSE, target: "y"}}
  data:
    onDamage: skip
    train: {{files: ["{data}/*.tfrecord"], stages: {stages}}}
    features: {{x: {{type: float32, size: 4}}, "y": {{type: float32}}}}
  training: {{batch: 16, epochs: 5, deterministic: true, optimizer: {{kind: Adam, learningRate: 0.01}}}}
  checkpoint: {{folder: "{checkpoints}", everySteps: 20}}
"""


class Bits(unittest.TestCase):
    """A lane of which all records are damaged, a whole batch of such, and a last batch."""
    DAMAGED = {3, 64, 65} | set(range(160, 176)) | {330}

    def test_do_not_depend_on_the_number_of_workers(self):
        home = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (home / "data").mkdir()
        draw = random.Random(3)
        records = []
        for number in range(331):
            record = frame(example({"x": [draw.random() for _ in range(4)], "y": [draw.random()]}))
            records.append(damaged(record, len(record) - 6) if number in self.DAMAGED else record)
        (home / "data/a.tfrecord").write_bytes(b"".join(records))
        for stages in ("[]", "[shuffle: {}]"):
            digests = set()
            for name, strategy in (("single", job.SINGLE), ("1-1", job.parameter_server(1, 1)), ("2-3", job.parameter_server(2, 3))):
                checkpoints = home / f"{stages}-{name}" / "checkpoints"
                with job.Run(checkpoints.parent, NETWORK.format(data=home / "data", checkpoints=checkpoints, stages=stages,
                                                                strategy=strategy)) as run:
                    run.finish()
                last = max(checkpoints.glob("*.manifest"), key=lambda file: int(lines_of(file)["step"]))
                lines = lines_of(last)
                self.assertEqual((lines["step"], lines["skipped"].split(" ")[0]), ("105", str(5 * len(self.DAMAGED))))
                digests.add(lines["digest"])
            self.assertEqual(len(digests), 1, stages)


if __name__ == "__main__":
    unittest.main()
