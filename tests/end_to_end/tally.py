"""The tally job: one parameter for each record counts how often the record was used. Whatever happens to the job, the last
checkpoint holds `epochs` for every record, and every earlier one what follows from its step. TensorFlow writes the
records and reads the checkpoints."""

import json
import tempfile
from pathlib import Path
from typing import NamedTuple

import job
from checkpoints import InFiles
from interop import tensorflow_program
from interop.tensorflow_program import EXAMPLES

WRITE = EXAMPLES + """
folder, records, files = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
for file in range(files):
    write(f"{folder}/tally-{file}.tfrecord", ({"id": [record]} for record in range(file, records, files)))
"""

WRITE_TWO_SETS = EXAMPLES + """
folder, small, large = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
write(f"{folder}/small", ({"id": [record]} for record in range(small)))
for file in range(2):
    write(f"{folder}/large-{file}", ({"id": [record]} for record in range(small + file, small + large, 2)))
"""

# Prints the minimum, maximum and sum of the tallies, for each manifest in each folder. A checkpoint has just this tensor.
READ = """
import glob, json, sys
import tensorflow as tf
seen = {}
for folder in sys.argv[1:]:
    seen[folder] = {}
    for manifest in glob.glob(folder + "/*.manifest"):
        prefix = manifest.removesuffix(".manifest")
        checkpoint = tf.train.load_checkpoint(prefix)
        assert list(checkpoint.get_variable_to_shape_map()) == ["tally"], manifest
        tally = checkpoint.get_tensor("tally")
        seen[folder][prefix.rsplit("/", 1)[1]] = [float(tally.min()), float(tally.max()), float(tally.sum())]
print(json.dumps(seen))
"""

MANIFEST = """
apiVersion: carrack.dev/v1alpha1
kind: TrainingJob
metadata: {{name: tally}}
spec:
  {strategy}
  model: {{kind: Tally, record: id, records: {records}}}
  data: {{train: {{files: ["{data}/tally-*.tfrecord"], stages: {stages}}}, features: {{id: {{type: int64}}}}}}
  training: {{batch: {batch}, epochs: {epochs}, seed: {seed}, reduction: Sum, consistency: {consistency},{bound}
             optimizer: {{kind: SGD, learningRate: 1}}}}
  checkpoint: {{folder: "{checkpoints}", everySteps: {every_steps}, {keep}, resume: "{resume}", onTaken: {on_taken}}}
"""


class Tally(NamedTuple):
    """A tally job. `data`, `checkpoints` and `resume` are folders or URLs; the last two may be empty, as in a manifest."""
    data: str
    checkpoints: str
    records: int
    epochs: int
    batch: int
    every_steps: int
    strategy: str = job.parameter_server(2, 2)
    consistency: str = "Sync"
    bound: str = ""  # on the staleness of gradients, as in a manifest, with a comma behind it
    seed: int = 0
    resume: str = ""
    on_taken: str = "Fail"
    keep: str = "keepLast: 1000000"  # which checkpoints stay, as in a manifest: all of them, so that all can be read
    stages: str = "[shuffle: {}]"  # must use each record once
    first_pass: bool = False  # starts before its data is indexed

    def manifest(self) -> str:
        return MANIFEST.format(**self._asdict())

    def steps_in_epoch(self) -> int:
        return -(-self.records // self.batch)

    def records_used(self, step: int) -> int:
        """How many records the first `step` batches use, over all epochs."""
        epochs, batches = divmod(step, self.steps_in_epoch())
        return epochs * self.records + min(batches * self.batch, self.records)


def write_records(folder: Path, records: int, files: int = 2) -> None:
    folder.mkdir(exist_ok=True)
    tensorflow_program.write(WRITE, folder, str(records), str(files))


def write_two_sets(folder: Path, small: int, large: int) -> None:
    """The files small, large-0 and large-1; the numbers of the large set follow those of the small one."""
    folder.mkdir(exist_ok=True)
    tensorflow_program.write(WRITE_TWO_SETS, folder, str(small), str(large))


def used_by_first_pass(folder: Path, checkpoint: str, spec: Tally) -> int:
    """As the manifest says. In the first pass, steps are shorter once some lanes have ended."""
    lines = dict(line.split(" ", 1) for line in (folder / f"{checkpoint}.manifest").read_text().splitlines())
    return int(lines["epoch"]) * spec.records + int(lines["position"])


class Expected(NamedTuple):
    """What a checkpoint must hold."""
    total: int
    min: int  # of a record's tally, at least
    max: int  # at most


def expected_in(folder: Path, checkpoint: str, spec: Tally) -> Expected:
    """By its step, and in Async by its manifest: batches of a later epoch may be in it before the last ones of an earlier."""
    lines = [line.split(" ") for line in (folder / f"{checkpoint}.manifest").read_text().splitlines()]
    applied = [tuple(map(int, words[1:])) for words in lines if words[0] == "applied"]
    step, in_epoch = int(checkpoint.split("-")[1]), spec.steps_in_epoch()
    if not applied:
        total = used_by_first_pass(folder, checkpoint, spec) if spec.first_pass else spec.records_used(step)
        return Expected(total, total // spec.records, -(-total // spec.records))
    assert sum(end - begin for _, begin, end in applied) == step, f"{checkpoint}: {applied}"
    total = sum(spec.records_used(end) - spec.records_used(begin) for _, begin, end in applied)
    whole = sum((begin, end) == (0, in_epoch) for _, begin, end in applied)
    return Expected(total, whole, len({epoch for epoch, _, _ in applied}))


def problems(jobs: dict[Path, Tally]) -> list[str]:
    """The errors in the checkpoints of each folder, which the job with these parameters left at its end."""
    found = []
    for folder, checkpoints in json.loads(tensorflow_program.run(READ, *jobs)).items():
        spec = jobs[Path(folder)]
        steps = {name: int(name.split("-")[1]) for name in checkpoints}
        for name, (tally_min, tally_max, total) in checkpoints.items():
            expected = expected_in(Path(folder), name, spec)
            if total != expected.total or tally_min < expected.min or tally_max > expected.max:
                found.append(f"{folder}/{name}: {tally_min} to {tally_max}, in all {total}, not {expected}")
        last = max(checkpoints, key=steps.__getitem__, default=None)
        if last is None or checkpoints[last] != [spec.epochs, spec.epochs, spec.epochs * spec.records]:
            found.append(f"{folder}: the last checkpoint, {last}, does not hold {spec.epochs} everywhere")
    return found


class TallyCase:
    """A part of a test case: a tally job under `carrack run`, in a folder of its own for each test; the records are written once."""

    spec: Tally  # A subclass gives it without data and checkpoints, which each test then has.

    @classmethod
    def setUpClass(cls):
        cls.data = Path(cls.enterClassContext(tempfile.TemporaryDirectory()), "data")
        write_records(cls.data, cls.spec.records)

    def setUp(self):
        self.home = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.folder = self.home / "run"
        self.checkpoints = InFiles(self.folder / "checkpoints")
        self.spec = self.spec._replace(data=str(self.data))

    def run_job(self, spec: Tally, options: list[str] | None = None) -> job.Run:
        return job.Run(self.home, spec.manifest(), options=options)
