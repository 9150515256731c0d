"""A worker of which one thread alone hangs, a worker that reaches all servers but one, and a server that no worker reaches
are replaced, and training continues. A tally shows that nothing is lost."""

import time
import unittest

import job
import tally

RECORDS, BATCH, EPOCHS, EVERY_STEPS = 10_000, 128, 200, 100
# A minute for the coordinator to conclude it (docs/design/parameter-server.md), and what the operator needs.
REPLACED_WITHIN_SECONDS = 120
STANDS_STILL_SECONDS = 5


class Stuck(tally.TallyCase, unittest.TestCase):
    spec = tally.Tally("", "", RECORDS, EPOCHS, BATCH, EVERY_STEPS)

    def expect_replaced(self, run: job.Run, role: str, index: int) -> None:
        run.expect(lambda: len(run.starts(role, index)) > 1, REPLACED_WITHIN_SECONDS, f"{role} {index} is replaced")

    def expect_to_end_well(self, run: job.Run, spec: tally.Tally, words: str) -> None:
        """The words are in condition Restarting, if that is seen, or else in a line about the end of the member."""
        self.assertIn(words, run.finish(timeout=300))
        self.assertEqual(tally.problems({self.checkpoints.folder: spec}), [])

    def stand_still(self, run: job.Run) -> None:
        """Waits until the job has made no step for a while."""
        last, since = run.step(), time.monotonic()

        def stands_still() -> bool:
            nonlocal last, since
            if run.step() != last:
                last, since = run.step(), time.monotonic()
            return time.monotonic() > since + STANDS_STILL_SECONDS

        run.expect(stands_still, 60, "the job stands still")

    def test_a_worker_whose_computing_thread_hangs_is_replaced(self):
        point = job.Point("worker.compute.before", "worker", 1, "sleep")
        with job.Run(self.home, self.spec.manifest(), point) as run:
            run.expect(lambda: run.has_work_to_lose(self.checkpoints), 60, "the job gets under way")
            run.arm()
            self.stand_still(run)
            run.disarm()
            hung = run.running("worker", 1)[-1]
            self.expect_replaced(run, "worker", 1)
            self.expect_to_end_well(run, self.spec, "hung: has computed step ")
        self.assertEqual(job.state_of(hung), "")

    def test_a_worker_that_cannot_reach_one_server_is_replaced(self):
        with job.Run(self.home, self.spec.manifest(), job.Point("worker.connect.0", "worker", 1, "fail")) as run:
            run.arm()
            self.expect_replaced(run, "worker", 1)
            run.disarm()
            self.expect_to_end_well(run, self.spec, "hung: has not reached parameter server 0 for ")

    def test_a_server_that_no_worker_reaches_is_replaced(self):
        spec = self.spec._replace(strategy=job.parameter_server(2, 1))
        with job.Run(self.home, spec.manifest(), job.Point("worker.connect.0", "worker", 0, "fail")) as run:
            run.arm()
            self.expect_replaced(run, "ps", 0)
            run.disarm()
            self.expect_to_end_well(run, spec, "hung: no worker reaches it")


if __name__ == "__main__":
    unittest.main()
