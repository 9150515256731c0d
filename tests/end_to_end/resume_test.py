"""A job that goes on from another's checkpoint, on this machine: with other numbers of members, on another storage, killed
before its first commit and after it. Records are written and checkpoints read by TensorFlow."""

import shutil
import tempfile
import time
import unittest
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator

import job
import tally
from checkpoints import InFiles, step_of
from support import machine, object_store

machine.program("fake-gcs-server")  # Where it is not built, this is skipped.
RECORDS, BATCH, EVERY_STEPS = 20_000, 64, 50
FIRST_EPOCHS = 2


def bytes_in(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


class Resume(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        kept = tempfile.TemporaryDirectory()
        cls.addClassCleanup(kept.cleanup)
        data = Path(kept.name, "data")
        tally.write_records(data, RECORDS)
        cls.first = tally.Tally(str(data), "", RECORDS, FIRST_EPOCHS, BATCH, EVERY_STEPS)
        cls.first_steps = FIRST_EPOCHS * cls.first.steps_in_epoch()
        cls.trained = {}
        for consistency in ["Sync", "Async"]:
            place = Path(kept.name, consistency)
            cls.trained[consistency] = place / "checkpoints"
            first = cls.first._replace(checkpoints=str(place / "checkpoints"), consistency=consistency)
            with job.Run(place, first.manifest()) as run:
                run.finish()

    def setUp(self):
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.folder = Path(kept.name)

    def second(self, place: Path, resume: Path | str, **fields) -> tally.Tally:
        alike = self.first._replace(checkpoints=str(place / "checkpoints"), resume=str(resume), epochs=4)
        return alike._replace(**fields)

    @contextmanager
    def going_on_from(self, resume: Path | str, environment: dict[str, str] | None = None,
                      **fields) -> Iterator[tuple[job.Run, InFiles]]:
        """A second job. When the block has ended it has to succeed, and what it has committed to be right."""
        place = Path(tempfile.mkdtemp(dir=self.folder))
        second, checkpoints = self.second(place, resume, **fields), InFiles(place / "checkpoints")
        with job.Run(place, second.manifest(), environment=environment) as run:
            yield run, checkpoints
            run.finish()
        self.assertEqual(tally.problems({checkpoints.folder: second}), [])
        self.assertGreater(min(map(step_of, checkpoints.names())), self.first_steps, "it began anew")

    def test_goes_on_to_the_end_with_other_numbers_of_members_in_any_consistency(self):
        for before, after, ps, workers in [("Sync", "Sync", 1, 3), ("Async", "Async", 3, 1), ("Sync", "Async", 2, 1),
                                           ("Async", "Sync", 1, 2)]:
            there = self.trained[before]
            files = bytes_in(there)
            with self.going_on_from(there, consistency=after, strategy=job.parameter_server(ps, workers)):
                pass
            self.assertEqual(bytes_in(there), files)

    def test_goes_on_from_another_storage(self):
        with object_store.fake_gcs("bucket") as server, object_store.fault_proxy(server) as proxy:
            environment = {"STORAGE_EMULATOR_HOST": proxy.url}
            first = self.first._replace(checkpoints="gs://bucket/first")
            with job.Run(self.folder / "first", first.manifest(), environment=environment) as run:
                run.finish()
            with self.going_on_from(first.checkpoints, environment):
                pass

    def test_holds_where_it_is_killed_before_its_first_commit(self):
        members = [("ps", 0), ("coordinator", 0), ("worker", 0), ("ps", 1)]
        with self.going_on_from(self.trained["Sync"], epochs=12, every_steps=1_000_000) as (run, checkpoints):
            for member in members:
                run.expect(lambda: checkpoints.owner() > 0 and bool(run.running(*member)), 20, "{}-{} runs".format(*member))
                time.sleep(0.1)
                run.kill(*member)
            self.assertEqual(checkpoints.names(), [], "it had committed already")
        self.assertEqual([len(run.starts(*member)) for member in members], [2] * len(members), "starts of each")

    def test_needs_the_other_folder_no_more_once_it_has_committed(self):
        members = [("coordinator", 0), ("ps", 0)]
        copy = shutil.copytree(self.trained["Sync"], self.folder / "copy")
        with self.going_on_from(copy, epochs=8) as (run, checkpoints):
            run.expect(lambda: checkpoints.committed_step() > 0, 20, "it commits")
            shutil.rmtree(copy)
            for member in members:
                run.expect(lambda: bool(run.running(*member)), 20, "{}-{} runs".format(*member))
                run.kill(*member)
        self.assertEqual([len(run.starts(*member)) for member in members], [2] * len(members), "starts of each")

    def refused(self, resume: Path, message: str, **fields) -> None:
        place = Path(tempfile.mkdtemp(dir=self.folder))
        with job.Run(place, self.second(place, resume, **fields).manifest()) as run:
            self.assertIn(f"Failed (UserError): coordinator 0: UserError: spec.checkpoint.resume: {resume} {message}\n",
                          run.finish(exit_code=1))

    def test_what_contradicts_the_checkpoint_is_refused_in_the_words_of_the_manifest(self):
        there, steps = self.trained["Sync"], self.first_steps
        self.refused(there, "was trained with seed 0; set spec.training.seed: 0", seed=3)
        self.refused(there, f"holds step {steps}, and with spec.training.epochs: 2 this job ends at step {steps}; set "
                     "more epochs", epochs=2)
        self.refused(there, f"is at record 0 of epoch 2 after {steps} steps; with spec.training.batch: 128 and 157 batches "
                     f"in spec.data.train this job would be at record {steps % 157 * 128} of epoch "
                     f"{steps // 157}; give it the data and the batch that it was trained with", batch=128)
        self.refused(there, "holds tensor tally as float32 [20000]; this job has tally as float32 [20001]: give it the "
                     "spec.model that it was trained with", records=RECORDS + 1)
        self.refused(self.folder, "holds no HEAD; name the checkpoint folder of a job")


if __name__ == "__main__":
    unittest.main()
