"""Jobs train on GZIP and ZLIB files as on plain ones: each record counts exactly once an epoch, shuffled, by one process and by
several, synchronously and not, also if a worker is killed. TensorFlow writes the records and reads the checkpoints."""

import gzip
import tempfile
import unittest
import zlib
from pathlib import Path

import job
import tally
from checkpoints import InFiles

RECORDS, FILES = 12_000, 8
BATCH, EPOCHS, EVERY_STEPS = 128, 2, 25


class CompressedFiles(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.data = self.folder / "data"
        tally.write_records(self.data, RECORDS, FILES)
        for number, file in enumerate(sorted(self.data.iterdir())):
            content = file.read_bytes()
            half = len(content) // 2
            file.write_bytes([gzip.compress(content), zlib.compress(content),
                              gzip.compress(content[:half]) + gzip.compress(content[half:]), content][number % 4])
        self.done: dict[Path, tally.Tally] = {}

    def train(self, name: str, strategy: str, kills: bool = False, **fields) -> None:
        checkpoints = InFiles(self.folder / name / "checkpoints")
        spec = tally.Tally(str(self.data), checkpoints.url, RECORDS, EPOCHS, BATCH, EVERY_STEPS, strategy, **fields)
        with job.Run(self.folder / name, spec.manifest()) as run:
            if kills:
                run.expect(lambda: checkpoints.names(), 60, "a checkpoint is written")
                run.kill("worker", 1)
            run.finish()
        self.assertEqual(len(list((checkpoints.folder / "indexes").iterdir())), FILES)
        self.done[checkpoints.local()] = spec

    def test_are_used_exactly_once_an_epoch(self):
        self.train("in-one-process", job.SINGLE)
        self.train("sync", job.parameter_server(1, 2), kills=True)
        self.train("async", job.parameter_server(2, 2), consistency="Async")
        self.assertEqual(tally.problems(self.done), [])


if __name__ == "__main__":
    unittest.main()
