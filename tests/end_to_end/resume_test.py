"""A job continues from another job's checkpoint, on this machine: with other numbers of members, on another storage, killed
before and after its first commit. TensorFlow writes the records and reads the checkpoints."""

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

machine.program("fake-gcs-server")  # skips this file if it is not built
RECORDS, BATCH, EVERY_STEPS = 20_000, 64, 50
FIRST_EPOCHS = 2


def bytes_in(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


class Resume(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        data = Path(temporary.name, "data")
        tally.write_records(data, RECORDS)
        cls.first = tally.Tally(str(data), "", RECORDS, FIRST_EPOCHS, BATCH, EVERY_STEPS)
        cls.first_steps = FIRST_EPOCHS * cls.first.steps_in_epoch()
        cls.trained = {}
        for consistency in ["Sync", "Async"]:
            folder = Path(temporary.name, consistency)
            cls.trained[consistency] = folder / "checkpoints"
            first = cls.first._replace(checkpoints=str(folder / "checkpoints"), consistency=consistency)
            with job.Run(folder, first.manifest()) as run:
                run.finish()

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def second(self, folder: Path, resume: Path | str, **fields) -> tally.Tally:
        spec = self.first._replace(checkpoints=str(folder / "checkpoints"), resume=str(resume), epochs=4)
        return spec._replace(**fields)

    @contextmanager
    def continuing_from(self, resume: Path | str, environment: dict[str, str] | None = None,
                      **fields) -> Iterator[tuple[job.Run, InFiles]]:
        """Runs a second job. After the block it must succeed, and its commits must be exact."""
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        second, checkpoints = self.second(folder, resume, **fields), InFiles(folder / "checkpoints")
        with job.Run(folder, second.manifest(), environment=environment) as run:
            yield run, checkpoints
            run.finish()
        self.assertEqual(tally.problems({checkpoints.folder: second}), [])
        self.assertGreater(min(map(step_of, checkpoints.names())), self.first_steps, "it began anew")

    def test_goes_on_to_the_end_with_other_numbers_of_members_in_any_consistency(self):
        for before, after, ps, workers in [("Sync", "Sync", 1, 3), ("Async", "Async", 3, 1), ("Sync", "Async", 2, 1),
                                           ("Async", "Sync", 1, 2)]:
            resume = self.trained[before]
            files = bytes_in(resume)
            with self.continuing_from(resume, consistency=after, strategy=job.parameter_server(ps, workers)):
                pass
            self.assertEqual(bytes_in(resume), files)

    def test_goes_on_from_another_storage(self):
        with object_store.fake_gcs("bucket") as server, object_store.fault_proxy(server) as proxy:
            environment = {"STORAGE_EMULATOR_HOST": proxy.url}
            first = self.first._replace(checkpoints="gs://bucket/first")
            with job.Run(self.folder / "first", first.manifest(), environment=environment) as run:
                run.finish()
            with self.continuing_from(first.checkpoints, environment):
                pass

    def test_holds_where_it_is_killed_before_its_first_commit(self):
        # The coordinator is the last one: when it is back, it commits what the parameter servers hold.
        members = [("ps", 0), ("worker", 0), ("ps", 1), ("coordinator", 0)]
        with self.continuing_from(self.trained["Sync"], epochs=12, every_steps=1_000_000) as (run, checkpoints):
            for member in members:
                run.expect(lambda: checkpoints.owner() > 0 and bool(run.running(*member)), 20, "{}-{} runs".format(*member))
                time.sleep(0.1)
                self.assertEqual(checkpoints.names(), [], "it had committed already")
                run.kill(*member)
        self.assertEqual([len(run.starts(*member)) for member in members], [2] * len(members), "starts of each")

    def test_needs_the_other_folder_no_more_once_it_has_committed(self):
        members = [("coordinator", 0), ("ps", 0)]
        copy = shutil.copytree(self.trained["Sync"], self.folder / "copy")
        with self.continuing_from(copy, epochs=8) as (run, checkpoints):
            run.expect(lambda: checkpoints.committed_step() > 0, 20, "it commits")
            shutil.rmtree(copy)
            for member in members:
                run.expect(lambda: bool(run.running(*member)), 20, "{}-{} runs".format(*member))
                run.kill(*member)
        self.assertEqual([len(run.starts(*member)) for member in members], [2] * len(members), "starts of each")

    def assert_refused(self, resume: Path, message: str, **fields) -> None:
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        with job.Run(folder, self.second(folder, resume, **fields).manifest(), options=job.WITHOUT_LOOK) as run:
            self.assertIn(f"Failed (UserError): coordinator 0: UserError: spec.checkpoint.resume: {resume} {message}\n",
                          run.finish(exit_code=1))

    def test_what_contradicts_the_checkpoint_is_refused_in_the_words_of_the_manifest(self):
        resume, steps = self.trained["Sync"], self.first_steps
        self.assert_refused(resume, "was trained with seed 0; set spec.training.seed: 0", seed=3)
        self.assert_refused(resume, f"holds step {steps}, and with spec.training.epochs: 2 this job ends at step {steps}; set "
                     "more epochs", epochs=2)
        self.assert_refused(resume, f"is at record 0 of epoch 2 after {steps} steps; with spec.training.batch: 128 and 157 batches "
                     f"in spec.data.train this job would be at record {steps % 157 * 128} of epoch "
                     f"{steps // 157}; give it the data and the batch that it was trained with", batch=128)
        self.assert_refused(resume, "holds tensor tally as float32 [20000]; this job has tally as float32 [20001]: give it the "
                     "spec.model that it was trained with", records=RECORDS + 1)
        with job.Run(self.folder / "new", self.second(self.folder / "new", self.folder).manifest()) as run:
            self.assertIn(f"spec.checkpoint.resume: {self.folder}: holds no HEAD; name the checkpoint folder of a job (line ",
                          run.finish(exit_code=2))
        self.assert_refused(self.folder, "holds no HEAD; name the checkpoint folder of a job")


if __name__ == "__main__":
    unittest.main()
