"""Checkpoints are taken by time, and old ones are removed while a job runs: which ones stay, what is left when a member is
killed during a removal, and what is done if storage refuses. TensorFlow writes the records and reads the checkpoints."""

import unittest
from collections import Counter

import job
import tally
from checkpoints import Checkpoints, InBucket, InFiles, step_of
from support import machine, object_store

machine.program("fake-gcs-server")  # skips this file if it is not built
RECORDS, BATCH, EPOCHS, EVERY_STEPS = 10_000, 128, 8, 10
LAST_STEP = 632  # 79 in an epoch
KEEP = "keepLast: 2, keepEverySteps: 150"
STAYING = [150, 300, 450, 600, 630, LAST_STEP]

BUCKET = "bucket"
NO_REMOVALS = {"rules": [{"method": "DELETE", "answer": {"status": 403}}]}
REFUSED = "old checkpoints are not removed: "


def steps_in(checkpoints: Checkpoints) -> list[int]:
    """The steps with a manifest."""
    return sorted(step_of(name) for name in checkpoints.names() if name.endswith(".manifest"))


def wrong_in(checkpoints: Checkpoints) -> list[str]:
    """The files that manifests name and that are missing, and those without a manifest."""
    names = set(checkpoints.names())
    whole = {f"{name.removesuffix('.manifest')}.{ending}" for name in names if name.endswith(".manifest")
             for ending in ("manifest", "index", "data-00000-of-00002", "data-00001-of-00002")}
    return sorted(whole ^ names)


class Retention(tally.TallyCase, unittest.TestCase):
    spec = tally.Tally("", "", RECORDS, EPOCHS, BATCH, EVERY_STEPS, keep=KEEP)

    def setUp(self):
        super().setUp()
        self.spec = self.spec._replace(checkpoints=self.checkpoints.url)

    def assert_only_these_stay(self, steps: list[int], spec: tally.Tally) -> None:
        self.assertEqual(steps_in(self.checkpoints), steps)
        self.assertEqual(wrong_in(self.checkpoints), [])
        self.assertEqual(tally.problems({self.checkpoints.folder: spec}), [])

    def test_the_last_ones_and_one_of_each_so_many_steps_stay(self):
        with self.run_job(self.spec) as run:
            run.finish()
        self.assert_only_these_stay(STAYING, self.spec)

    def test_a_job_of_one_process_needs_no_more_than_the_last_one_to_go_on(self):
        spec = self.spec._replace(strategy=job.SINGLE, keep="keepLast: 1")
        with self.run_job(spec) as run:
            run.kill_in_turn(["worker", "worker"], self.checkpoints)
            run.finish()
        self.assertEqual(steps_in(self.checkpoints), [LAST_STEP])
        self.assertEqual(tally.problems({self.checkpoints.folder: spec}), [])

    def test_members_that_are_killed_go_on_from_the_last_one(self):
        spec = self.spec._replace(keep="keepLast: 1", consistency="Async")
        with self.run_job(spec) as run:
            run.kill_in_turn(["ps", "coordinator", "worker"], self.checkpoints)
            run.finish()
        self.assert_only_these_stay([LAST_STEP], spec)

    def test_another_job_goes_on_from_what_stays(self):
        with self.run_job(self.spec._replace(keep="keepLast: 1")) as run:
            run.finish()
        resume = self.checkpoints.folder.rename(self.home / "first")
        second = self.spec._replace(epochs=EPOCHS + 1, resume=str(resume))
        with job.Run(self.home / "second", second.manifest()) as run:
            run.finish()
        self.assert_only_these_stay([640, 710, 711], second)
        self.assertEqual([step_of(path.name) for path in resume.glob("*.manifest")], [LAST_STEP])

    def test_one_is_taken_every_so_many_seconds(self):
        spec = self.spec._replace(every_steps=1_000_000_000, epochs=1_000_000, keep="keepLast: 1000000, everySeconds: 2")
        for consistency in ("Sync", "Async"):
            checkpoints = InFiles(self.home / consistency)
            with job.Run(self.home / f"run-{consistency}",
                         spec._replace(consistency=consistency, checkpoints=checkpoints.url).manifest()) as run:
                run.expect(lambda: len(steps_in(checkpoints)) >= 4, 60, "it commits")
                run.kill_all()
            written = sorted(path.stat().st_mtime for path in checkpoints.folder.glob("*.manifest"))
            apart = [later - earlier for earlier, later in zip(written, written[1:])]
            self.assertGreater(min(apart), 1.5, f"{consistency}: {apart}")
            self.assertLess(min(apart), 6, f"{consistency}: {apart}")

    def killed_while_it_removes(self, point: str) -> None:
        """Kills the run there. The last commit is whole, no manifest names a missing file, of a checkpoint before the last
        one no more is left than what its manifest named, and the next run clears up."""
        with job.Run(self.home, self.spec.manifest(), job.Point(point, "coordinator")) as run:
            run.expect(lambda: run.step() > self.checkpoints.committed_step() > 150, 60, "it gets under way")
            run.arm()
            run.expect(lambda: job.state_of(run.starts("coordinator")[0]) == "T", 60, f"it stops at {point}")
            run.kill_all()
        committed = self.checkpoints.committed_step()
        self.assertIn(committed, steps_in(self.checkpoints))
        names, wrong = self.checkpoints.names(), wrong_in(self.checkpoints)
        self.assertEqual([name for name in wrong if name not in names], [])
        with self.run_job(self.spec) as run:
            run.finish()
        self.assert_only_these_stay(STAYING, self.spec)
        # On a slow machine several checkpoints may be due at once.
        left = Counter(step_of(name) for name in wrong if step_of(name) < committed)
        self.assertLessEqual(max(left.values(), default=0), 3, "an index and two shards")

    def test_a_run_that_is_killed_before_a_file_is_removed_goes_on(self):
        self.killed_while_it_removes("folder.remove.before")

    def test_a_run_that_is_killed_after_a_file_was_removed_goes_on(self):
        self.killed_while_it_removes("folder.remove.after")

    def test_a_bucket_that_refuses_is_logged_once_and_training_goes_on(self):
        with object_store.fake_gcs(BUCKET) as server, object_store.fault_proxy(server) as proxy:
            checkpoints = InBucket(server, BUCKET, "out", self.home / "out")
            # In a bucket it commits once a second.
            spec = self.spec._replace(checkpoints=checkpoints.url, epochs=200, keep="keepLast: 2")
            proxy.set(NO_REMOVALS)
            with job.Run(self.home, spec.manifest(), environment={"STORAGE_EMULATOR_HOST": proxy.url}) as run:
                run.expect(lambda: REFUSED in run.logs(), 60, "the refusal is logged")
                before = checkpoints.committed_step()
                run.expect(lambda: checkpoints.committed_step() >= before + 4 * EVERY_STEPS, 60, "it commits in spite of that")
                self.assertGreater(len(steps_in(checkpoints)), 3)
                self.assertEqual(run.logs().count(REFUSED), 1, run.logs())
                proxy.set({"rules": []})
                run.finish()
                self.assertEqual(run.logs().count(REFUSED), 1, run.logs())
            left = steps_in(checkpoints)
            self.assertEqual((len(left), left[-1]), (2, 200 * 79))
            self.assertEqual(wrong_in(checkpoints), [])
            self.assertEqual(tally.problems({checkpoints.local(): spec}), [])


if __name__ == "__main__":
    unittest.main()
