"""Faults from outside that a user mends, on this machine: HEAD is lost, the disk is full, nobody reads the output, the path
of the data is misspelt. Nothing is trained twice silently, and the same command continues."""

import json
import resource
import shutil
import signal
import subprocess
import unittest
from pathlib import Path

import job
import tally

RECORDS, BATCH, EPOCHS, EVERY_STEPS = 8192, 64, 20, 100


class Mishaps(tally.TallyCase, unittest.TestCase):
    spec = tally.Tally("", "", RECORDS, EPOCHS, BATCH, EVERY_STEPS)

    def status(self) -> dict:
        return json.loads((self.folder / "job.json").read_text()).get("status", {}) if self.folder.exists() else {}

    def known_commit(self) -> int:
        try:
            return self.status().get("lastCheckpoint", {}).get("step", 0)
        except FileNotFoundError:
            return 0

    def succeeds(self, spec: tally.Tally) -> str:
        with self.run_job(spec) as run:
            printed = run.finish()
        self.assertEqual(tally.problems({self.checkpoints.folder: spec}), [])
        return printed

    def test_a_lost_head_fails_the_job_until_it_is_restored(self):
        with self.run_job(self.spec) as run:
            run.expect(lambda: self.known_commit() > 0, 60, "a commit is known")
            run.process.send_signal(signal.SIGINT)
            run.finish(exit_code=130)
        step, name = self.known_commit(), self.status()["lastCheckpoint"]["name"]
        (head,) = self.checkpoints.folder.glob("HEAD.*")
        head.rename(self.home / "kept")
        for _ in range(2):
            with self.run_job(self.spec) as run:
                self.assertIn(f"\nFailed (CheckpointLost): spec.checkpoint.folder: {self.checkpoints.folder} holds no commit, "
                              f"and step {step} was committed there ({name}); restore the newest HEAD and the files of that name\n",
                              run.finish(exit_code=1))
        (self.home / "kept").rename(self.checkpoints.folder / "HEAD.1000")
        self.assertIn(f"goes on with the run in {self.folder}, from step {step}\n", self.succeeds(self.spec))

    def test_commits_that_were_not_reported_count(self):
        with self.run_job(self.spec) as run:
            run.expect(lambda: self.known_commit() > 0, 60, "a commit is known")
            for _ in range(2):
                run.process.send_signal(signal.SIGINT)
            printed = run.finish(exit_code=130)
        committed = self.checkpoints.committed_step()
        self.assertIn(f"it goes on from step {committed}", printed)
        saved = json.loads((self.folder / "job.json").read_text())
        del saved["status"]["lastCheckpoint"]  # As if the coordinator had been killed before it could report one.
        (self.folder / "job.json").write_text(json.dumps(saved))
        with self.run_job(self.spec._replace(batch=2 * BATCH)) as run:
            self.assertIn("holds the run of another job, as spec.training.batch differs", run.finish(exit_code=2))
        self.assertIn(f"goes on with the run in {self.folder}, from step {committed}\n", self.succeeds(self.spec))

    def test_data_that_was_misspelt_is_corrected_and_the_same_command_trains(self):
        misspelt = self.spec._replace(data=f"{self.home}/date")
        with self.run_job(misspelt) as run:
            printed = run.finish(exit_code=2)
        self.assertRegex(printed, rf"spec\.data\.train\.files\[0\]: no file matches {self.home}/date/tally-\*\.tfrecord \(line \d+\)\n$")
        self.assertEqual((run.starts(), self.folder.exists()), ([], False))
        with self.run_job(misspelt, job.WITHOUT_LOOK) as run:
            printed = run.finish(exit_code=1)
        self.assertIn(f"no file matches {self.home}/date/tally-*.tfrecord\n", printed)
        self.assertTrue(printed.endswith(f"to try again, if that can be mended: carrack run {' '.join(run.arguments)}\n"), printed)
        self.succeeds(self.spec)

    def test_data_that_was_missing_is_restored_and_the_same_command_trains(self):
        misplaced = self.spec._replace(data=f"{self.home}/data")
        with self.run_job(misplaced, job.WITHOUT_LOOK) as run:
            run.finish(exit_code=1)
        with self.run_job(misplaced) as run:
            run.finish(exit_code=2)
        shutil.copytree(self.data, self.home / "data")
        self.succeeds(misplaced)
        self.assertEqual(self.status()["attempt"], 1)

    def test_a_file_that_may_not_be_as_long_is_named_and_the_run_goes_on_once_it_may(self):
        usual = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (RECORDS, usual[1]))  # a tally needs four times as much
        try:
            run = self.run_job(self.spec)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, usual)
        with run:
            run.expect(lambda: "cannot write it: File too large" in run.logs(), 60, "a server cannot save its part")
        self.succeeds(self.spec)

    def test_a_status_that_may_not_be_as_long_is_named(self):
        (self.home / "job.yaml").write_text(self.spec.manifest())
        run = subprocess.Popen([job.BIN / "carrack", "run", "job.yaml", "--folder", "run"], cwd=self.home, text=True,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)))
        with run:
            self.assertIn("run/job.json.new: cannot be written: File too large", run.stderr.readline())
            run.send_signal(signal.SIGINT)
            next(line for line in run.stderr if "interrupt again to end at once" in line)
            run.send_signal(signal.SIGINT)
        self.assertEqual(run.returncode, 130)

    def test_a_status_that_cannot_be_kept_is_told_and_the_run_ends_once_it_can(self):
        with self.run_job(self.spec) as run:
            run.expect(lambda: self.known_commit() > 0, 60, "a commit is known")
            obstacle = self.folder / "job.json.new" / "x"
            run.expect(lambda: make_folder(obstacle), 10, "nothing is written for a moment")
            line = next(line for line in run.process.stdout if "cannot be written" in line)
            self.assertEqual(line, f"carrack run: {self.folder}/job.json.new: cannot be written: Is a directory; tries again, until "
                                   "it is interrupted\n")
            shutil.rmtree(obstacle.parent)
            printed = run.finish()
        self.assertNotIn("cannot be written", printed, "the message is printed once")
        self.assertEqual(tally.problems({self.checkpoints.folder: self.spec}), [])

    def test_trains_to_the_end_though_nobody_reads_what_is_printed(self):
        (self.home / "job.yaml").write_text(self.spec.manifest())
        done = subprocess.run(["bash", "-c", f"{job.BIN}/carrack run job.yaml --folder run | head -1; exit $PIPESTATUS"],
                              cwd=self.home, capture_output=True, text=True, timeout=120)
        self.assertEqual((done.returncode, done.stdout.count("\n"), done.stderr), (0, 1, ""))
        self.assertEqual(tally.problems({self.checkpoints.folder: self.spec}), [])

    def test_goes_on_with_the_same_data_from_another_folder_or_says_that_it_is_other(self):
        for folder in ["a", "b"]:
            (self.home / folder).mkdir()
        (self.home / "a/data").symlink_to(self.data)
        self.spec = self.spec._replace(data="data")
        (self.home / "job.yaml").write_text(self.spec.manifest())

        def carrack(cwd: str) -> subprocess.CompletedProcess[str]:
            return subprocess.run([job.BIN / "carrack", "run", "../job.yaml", "--folder", "../run"], cwd=self.home / cwd,
                                  capture_output=True, text=True, timeout=120)

        self.assertEqual(carrack("a").returncode, 0)
        other = carrack("b")
        self.assertEqual((other.returncode, other.stdout), (2, ""))
        self.assertTrue(other.stderr.startswith(f"carrack run: {self.folder}: holds the run of another job, as spec.data.train.files "
                                                "differs; "), other.stderr)
        (self.home / "b/data").symlink_to(self.data)
        self.assertIn("this run has ended: Succeeded", carrack("b").stdout)


def make_folder(path: Path) -> bool:
    """Whether it could make this folder, which keeps its parent from being replaced."""
    try:
        path.mkdir(parents=True)
    except (FileExistsError, NotADirectoryError):
        return False
    return True


if __name__ == "__main__":
    unittest.main()
