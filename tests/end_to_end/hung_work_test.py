"""A process ends by itself and is started again if its storage never answers, or if the thread that handles its messages
hangs: there is no other process that could show it. A tally shows that nothing is lost. The watchdog of that process counts
less than a second as a second, so that its limits of 5, 15 and 90 minutes last some seconds."""

import re
import unittest

import job
import tally

RECORDS, BATCH, EPOCHS, EVERY_STEPS = 10_000, 128, 200, 100
FEW_EPOCHS = 5  # where nothing happens once the job trains
FILES_OF_FIRST_PASS = 12  # not fewer than lanes
# The limits of 15 and of 5 minutes last 18 s and 6 s.
SECOND = "CARRACK_TEST_WATCHDOG_SECOND_MS=20"
# The limit of 90 minutes lasts 54 s.
SHORT_SECOND = "CARRACK_TEST_WATCHDOG_SECOND_MS=10"
# On a busy machine each of the watchdog's seconds may last longer.
ENDED_WITHIN_SECONDS = 120
ENDED_AT_START_WITHIN_SECONDS = 240


class HungWork(tally.TallyCase, unittest.TestCase):
    spec = tally.Tally("", "", RECORDS, EPOCHS, BATCH, EVERY_STEPS, strategy=job.parameter_server(1, 2))

    def assert_says_why(self, printed: str, role: str, message: str) -> None:
        """Condition Restarting says it, if that is seen, or else a line about the end of the member."""
        self.assertRegex(printed, rf"{role}[ -]0.*PlatformError\)?: {re.escape(message)}")

    def expect_a_new_server(self, point: str, message: str) -> None:
        with job.Run(self.home, self.spec.manifest(), job.Point(point, "ps", 0, "sleep", SECOND)) as run:
            run.expect(lambda: run.has_work_to_lose(self.checkpoints), 60, "the job gets under way")
            run.arm()
            run.expect(lambda: len(run.starts("ps", 0)) > 1, ENDED_WITHIN_SECONDS, "ps 0 is started again")
            run.disarm()
            self.assert_says_why(run.finish(timeout=300), "ps", message)
        self.assertEqual(tally.problems({self.checkpoints.folder: self.spec}), [])

    def expect_a_second_start(self, spec: tally.Tally, point: str, role: str, message: str) -> None:
        """The first process of the member hangs before the job has made a step."""
        spec = spec._replace(epochs=FEW_EPOCHS)
        (self.home / "armed").touch()
        with job.Run(self.home, spec.manifest(), job.Point(point, role, 0, "sleep", SHORT_SECOND)) as run:
            run.expect(lambda: len(run.starts(role, 0)) > 1, ENDED_AT_START_WITHIN_SECONDS, f"{role} 0 is started again")
            run.disarm()
            self.assert_says_why(run.finish(timeout=300), role, message)
        self.assertEqual(tally.problems({self.checkpoints.folder: spec}), [])

    def test_a_server_whose_save_never_ends_is_started_again(self):
        limit = 15 * 60  # The range has less than 1 MiB.
        self.expect_a_new_server("folder.save_shard.before", f"saving to {self.checkpoints.folder} has not ended within {limit} s; "
                                                             "check that the storage answers")

    def test_a_server_whose_thread_for_messages_hangs_is_started_again(self):
        self.expect_a_new_server("ps.saved.before", "the handling of messages has not ended within 300 s")

    def test_a_coordinator_whose_claim_of_the_folder_never_ends_is_started_again(self):
        self.expect_a_second_start(self.spec, "folder.claim.before", "coordinator",
                                   "the start of this process has not ended within 5400 s; check that the storage answers")

    def test_the_only_worker_is_started_again_if_its_read_of_records_never_ends(self):
        data = self.home / "data"
        tally.write_records(data, RECORDS, FILES_OF_FIRST_PASS)
        spec = self.spec._replace(data=str(data), strategy=job.parameter_server(1, 1), first_pass=True)
        self.expect_a_second_start(spec, "worker.read_first_pass.before", "worker",
                                   "reading batch 0 has not ended within 5400 s; check that the storage answers")


if __name__ == "__main__":
    unittest.main()
