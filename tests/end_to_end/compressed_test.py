"""Jobs train on GZIP and ZLIB files as on plain ones: each record counts exactly once an epoch, shuffled, by one process and by
up to eight readers, synchronously and not, from files and from a bucket, also if members or the whole run are killed.
TensorFlow writes the records and reads the checkpoints."""

import tempfile
import unittest
from pathlib import Path

import job
import tally
from checkpoints import Checkpoints, InBucket, InFiles
from interop.compressions import COMPRESSIONS
from support import object_store

RECORDS, FILES = 12_000, 8
BATCH, EPOCHS, EVERY_STEPS = 128, 2, 25
BUCKET = "bucket"


class CompressedFiles(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.data = self.folder / "data"
        tally.write_records(self.data, RECORDS, FILES)
        compressions = [*COMPRESSIONS.values(), bytes]
        for number, file in enumerate(sorted(self.data.iterdir())):
            file.write_bytes(compressions[number % len(compressions)](file.read_bytes()))
        self.done: dict[Path, tally.Tally] = {}

    def spec(self, checkpoints: Checkpoints, strategy: str, **fields) -> tally.Tally:
        spec = tally.Tally(str(self.data), checkpoints.url, RECORDS, EPOCHS, BATCH, EVERY_STEPS, strategy)
        return spec._replace(**fields)

    def train(self, name: str, strategy: str, killed: list[str] = (), **fields) -> None:
        checkpoints = InFiles(self.folder / name / "checkpoints")
        spec = self.spec(checkpoints, strategy, **fields)
        with job.Run(self.folder / name, spec.manifest()) as run:
            run.kill_in_turn(killed, checkpoints)
            run.finish()
        self.assertEqual(len(list((checkpoints.folder / "indexes").iterdir())), FILES)
        self.done[checkpoints.local()] = spec

    def test_are_used_exactly_once_an_epoch(self):
        self.train("in-one-process", job.SINGLE)
        for readers in [1, 3, 8]:
            self.train(f"sync-{readers}", job.parameter_server(1, readers), ["worker", "coordinator", "worker"], epochs=10)
        self.train("async", job.parameter_server(2, 2), ["worker"], consistency="Async", epochs=10)
        self.assertEqual(tally.problems(self.done), [])

    def test_in_a_bucket_are_used_exactly_once_though_the_run_is_killed(self):
        with object_store.fake_gcs(BUCKET) as server:
            for file in self.data.iterdir():
                object_store.put(server, BUCKET, f"data/{file.name}", file.read_bytes())
            checkpoints = InBucket(server, BUCKET, "out", self.folder / "out")
            # In a bucket it commits once a second.
            spec = self.spec(checkpoints, job.parameter_server(1, 3), data=f"gs://{BUCKET}/data", epochs=40)
            environment = {"STORAGE_EMULATOR_HOST": server}
            with job.Run(self.folder / "run", spec.manifest(), environment=environment) as run:
                run.kill_in_turn(["worker", "ps"], checkpoints)
                run.expect(lambda: run.has_work_to_lose(checkpoints), 60, "it goes on")
                run.kill_all()
            killed_at = checkpoints.committed_step()
            with job.Run(self.folder / "run", spec.manifest(), environment=environment) as run:
                run.finish(timeout=300)
            self.assertGreater(checkpoints.committed_step(), killed_at)
            self.assertEqual(tally.problems({checkpoints.local(): spec}), [])


if __name__ == "__main__":
    unittest.main()
