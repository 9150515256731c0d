"""A job takes over the checkpoint folder of another one, on this machine, as checkpoint.onTaken says: what it trains is exact,
also if it is killed on the way, and the job before finishes nothing once it has lost. TensorFlow writes the records and reads
the checkpoints."""

import contextlib
import os
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Iterator

import job
import tally
from checkpoints import InBucket, InFiles, step_of
from support import machine, object_store
from support.tfrecord import crc32c

machine.program("fake-gcs-server")  # skips this file if it is not built
RECORDS, BATCH, EVERY_STEPS, EPOCHS = 5_000, 64, 40, 60


def attempt_of(name: str) -> int:
    return int(name.partition("checkpoint-")[2].split("-")[1])


class Taken(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.data = Path(cls.enterClassContext(tempfile.TemporaryDirectory()), "data")
        tally.write_records(cls.data, RECORDS)

    def setUp(self):
        self.home = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.checkpoints = InFiles(self.home / "checkpoints")
        self.environment: dict[str, str] = {}
        self.spec = tally.Tally(str(self.data), self.checkpoints.url, RECORDS, EPOCHS, BATCH, EVERY_STEPS)

    def run_job(self, name: str, on_taken: str, point: str | None = None, **fields) -> job.Run:
        spec = self.spec._replace(on_taken=on_taken, **fields)
        armed = job.Point(point, "coordinator") if point else None
        run = job.Run(self.home / name, spec.manifest(), armed, self.environment)
        if armed:
            run.arm()
        return self.enterContext(run)

    def train_half(self, **fields) -> int:
        """Runs a first job until it has committed and works on, and kills it. Returns the step of its last commit."""
        run = self.run_job("first", "Fail", **fields)
        run.expect(lambda: run.has_work_to_lose(self.checkpoints), 60, "the first job gets under way")
        run.kill_all()
        return self.checkpoints.committed_step()

    def assert_exact(self) -> None:
        local = self.checkpoints.local()
        self.assertEqual(tally.problems({local: self.spec}), [])

    def lines(self, key: str) -> list[str]:
        return [line for line in self.checkpoints.head().splitlines() if line.startswith(f"{key} ")]

    def strike(self, run: job.Run) -> None:
        """Kills the coordinator once it has stopped at the point with which the job was started."""
        def stopped() -> list[job.Start]:
            return [start for start in run.starts("coordinator") if job.state_of(start) == "T"]
        run.expect(lambda: bool(stopped()), 90, "it passes the point")
        run.disarm()
        os.kill(stopped()[0].pid, signal.SIGKILL)

    def test_goes_on_exactly_from_the_last_commit(self):
        half = self.train_half()
        before = set(self.checkpoints.names())
        second = self.run_job("second", "GoOn")
        second.expect(lambda: second.has_work_to_lose(self.checkpoints, half), 90, "it goes on")
        for role in ["ps", "coordinator"]:
            second.kill(role)
        second.finish()
        self.assert_exact()
        own = [name for name in self.checkpoints.names() if name not in before]
        self.assertGreater(min(map(step_of, own)), half, "it began anew")
        self.assertEqual({attempt_of(name) for name in own}, {1})
        third = self.run_job("third", "GoOn")
        third.finish()
        self.assertEqual([len(self.lines(key)) for key in ("owner", "manifest")], [2, 1])
        said = self.run_job("second", "GoOn").finish()
        self.assertIn("this run has ended: Succeeded", said)
        self.assertRegex(said, rf"; checkpoints: {self.checkpoints.folder}, which another job has now, with UID \w+; to train from the start, give another --folder")

    def test_begins_anew_in_its_place_and_removes_what_was_trained_there(self):
        half = self.train_half()
        manifest, crc = self.checkpoints.head().partition("manifest ")[2].split()[:2]
        best = f"carrack best 1\nmanifest {manifest} {crc}\nloss 0.5\n"
        Path(self.checkpoints.folder, "BEST").write_text(f"{best}crc32c {crc32c(best.encode()):08x}\n")
        self.spec = self.spec._replace(seed=1)
        second = self.run_job("second", "Replace", "folder.commit.before")
        second.expect(lambda: bool(self.lines("kept")), 60, "it has taken the folder over")
        read = subprocess.check_output([job.BIN / "carrack", "checkpoint", "inspect", self.checkpoints.url], text=True)
        self.assertIn(f"\nstep {half:,}, ", read)
        self.strike(second)
        self.assertTrue(Path(self.checkpoints.folder, "BEST").exists())
        second.finish()
        self.assertEqual({attempt_of(name) for name in self.checkpoints.names()}, {1})
        self.assertFalse(Path(self.checkpoints.folder, "BEST").exists())
        self.assert_exact()
        self.assertEqual(min(map(step_of, self.checkpoints.names())), EVERY_STEPS)

    def test_holds_where_the_coordinator_is_killed_on_the_way(self):
        points = [f"{point}.{side}" for point in ("request_answer", "take_over", "withdraw_request") for side in ("before", "after")]
        for on_taken, point in [*(("GoOn", point) for point in points), ("Replace", "take_over.after")]:
            with self.subTest(on_taken, point=point):
                self.setUp()
                self.train_half()
                second = self.run_job("second", on_taken, f"folder.{point}")
                self.strike(second)
                second.finish()
                self.assert_exact()

    def test_waits_for_a_job_that_is_on_its_way_out(self):
        endless = {"epochs": 1_000_000, "every_steps": 20 * EVERY_STEPS}
        first = self.run_job("first", "Fail", "folder.answer_request.after", **endless)
        first.expect(lambda: first.has_work_to_lose(self.checkpoints), 60, "the first job gets under way")
        second = self.run_job("second", "GoOn", **endless)
        self.strike(first)  # It starts again, and answers.
        second.expect(lambda: "it answers; waiting until it has ended" in second.logs(), 60, "it is answered")
        self.assertEqual(self.lines("owner"), [])
        job_file = self.home / "second/run/job.json"
        second.expect(lambda: '"WaitingForFolder"' in job_file.read_text(), 10, "the job's condition says so")
        first.process.send_signal(signal.SIGINT)
        self.assertIn("Suspended", first.finish(exit_code=130))
        left = self.checkpoints.committed_step()
        second.expect(lambda: second.has_work_to_lose(self.checkpoints, left), 60, "it goes on")
        second.process.send_signal(signal.SIGINT)
        second.finish(exit_code=130)
        self.spec = self.spec._replace(epochs=self.checkpoints.committed_step() // self.spec.steps_in_epoch() + 2)
        self.run_job("third", "GoOn").finish()
        self.assert_exact()

    @contextlib.contextmanager
    def silent(self, run: job.Run) -> Iterator[None]:
        """The coordinator of the job is stopped, and so is what would replace it, as on a machine that hangs."""
        stopped = [run.process.pid, run.running("coordinator")[-1].pid]
        for process in stopped:
            os.kill(process, signal.SIGSTOP)
        try:
            yield
        finally:
            for process in reversed(stopped):
                os.kill(process, signal.SIGCONT)

    def test_a_job_that_is_silent_but_lives_finishes_nothing_and_takes_nothing_back(self):
        first = self.run_job("first", "GoOn")
        first.expect(lambda: first.has_work_to_lose(self.checkpoints), 60, "the first job gets under way")
        with self.silent(first):
            second = self.run_job("second", "GoOn")
            second.expect(lambda: bool(self.lines("owner")), 60, "it has taken the folder over")
        self.assertIn(f"CheckpointTaken: spec.checkpoint.folder: {self.checkpoints.url} was taken over by another job",
                      first.finish(exit_code=1))
        second.finish()
        self.assert_exact()

    def test_in_a_bucket(self):
        with object_store.fake_gcs("bucket") as server, object_store.fault_proxy(server) as proxy:
            self.environment = {"STORAGE_EMULATOR_HOST": proxy.url}
            for on_taken in ["GoOn", "Replace"]:
                with self.subTest(on_taken):
                    self.home = Path(self.enterContext(tempfile.TemporaryDirectory()))
                    self.checkpoints = InBucket(server, "bucket", on_taken, self.home / "copies")
                    self.spec = self.spec._replace(checkpoints=self.checkpoints.url)
                    half = self.train_half(epochs=10 * EPOCHS)
                    self.spec = self.spec._replace(epochs=half // self.spec.steps_in_epoch() + EPOCHS)
                    self.run_job("second", on_taken).finish()
                    self.assert_exact()
                    self.assertEqual(self.checkpoints.names() and self.lines("kept"), [])


if __name__ == "__main__":
    unittest.main()
