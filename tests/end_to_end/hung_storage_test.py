"""A parameter server whose storage never answers ends by itself and is started again, although no other server could show
that it hangs. A tally shows that nothing is lost. It takes more than five minutes, so it runs under long.chaos."""

import unittest

import job
import tally

RECORDS, BATCH, EPOCHS, EVERY_STEPS = 10_000, 128, 200, 100
# What trainer/loop/roles/watchdog.cc allows for saving a small range, and what the operator needs to start the server again.
ENDED_WITHIN_SECONDS = 300 + 60


class HungStorage(tally.TallyCase, unittest.TestCase):
    spec = tally.Tally("", "", RECORDS, EPOCHS, BATCH, EVERY_STEPS)

    def expect_a_new_server(self, spec: tally.Tally, point: job.Point) -> None:
        with job.Run(self.home, spec.manifest(), point) as run:
            run.expect(lambda: run.has_work_to_lose(self.checkpoints), 60, "the job gets under way")
            run.arm()
            run.expect(lambda: len(run.starts("ps", 0)) > 1, ENDED_WITHIN_SECONDS, "ps 0 is started again")
            run.disarm()
            log = run.finish(timeout=300)
        self.assertIn(f"saving to {self.checkpoints.folder} has not ended within 300 s; check that the storage answers", log)
        self.assertEqual(tally.problems({self.checkpoints.folder: spec}), [])

    def test_the_only_server_is_started_again(self):
        spec = self.spec._replace(strategy=job.parameter_server(1, 2))
        self.expect_a_new_server(spec, job.Point("folder.save_shard.before", "ps", 0, "sleep"))


if __name__ == "__main__":
    unittest.main()
