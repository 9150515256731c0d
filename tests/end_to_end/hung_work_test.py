"""A parameter server ends by itself and is started again if its storage never answers, or if the thread that handles its
messages hangs: there is no other server that could show it. A tally shows that nothing is lost. The watchdog of that
server counts a fiftieth of a second as a second, so that the limits of 15 and of 5 minutes last 18 s and 6 s."""

import unittest

import job
import tally

RECORDS, BATCH, EPOCHS, EVERY_STEPS = 10_000, 128, 200, 100
SECOND = "CARRACK_TEST_WATCHDOG_SECOND_MS=20"
# On a busy machine each of the watchdog's 900 seconds may last longer.
ENDED_WITHIN_SECONDS = 120


class HungWork(tally.TallyCase, unittest.TestCase):
    spec = tally.Tally("", "", RECORDS, EPOCHS, BATCH, EVERY_STEPS, strategy=job.parameter_server(1, 2))

    def expect_a_new_server(self, point: str, message: str) -> None:
        with job.Run(self.home, self.spec.manifest(), job.Point(point, "ps", 0, "sleep", SECOND)) as run:
            run.expect(lambda: run.has_work_to_lose(self.checkpoints), 60, "the job gets under way")
            run.arm()
            run.expect(lambda: len(run.starts("ps", 0)) > 1, ENDED_WITHIN_SECONDS, "ps 0 is started again")
            run.disarm()
            self.assertIn(f"ps-0 has ended and starts again: exit code 82 (PlatformError): {message}", run.finish(timeout=300))
        self.assertEqual(tally.problems({self.checkpoints.folder: self.spec}), [])

    def test_a_server_whose_save_never_ends_is_started_again(self):
        limit = 15 * 60  # The range has less than 1 MiB.
        self.expect_a_new_server("folder.save_shard.before", f"saving to {self.checkpoints.folder} has not ended within {limit} s; "
                                                             "check that the storage answers")

    def test_a_server_whose_thread_for_messages_hangs_is_started_again(self):
        self.expect_a_new_server("ps.saved.before", "the handling of messages has not ended within 300 s")


if __name__ == "__main__":
    unittest.main()
