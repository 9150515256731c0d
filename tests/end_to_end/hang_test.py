"""Members of a run on this machine that hang (SIGSTOP) are replaced, and training continues within 30 s. A tally shows that
nothing is lost."""

import os
import signal
import time
import unittest

import job
import tally

RECORDS, BATCH, EPOCHS, EVERY_STEPS = 10_000, 128, 300, 100
BACK_WITHIN_SECONDS = 30


class Hang(tally.TallyCase, unittest.TestCase):
    spec = tally.Tally("", "", RECORDS, EPOCHS, BATCH, EVERY_STEPS)

    def stop_in_turn(self, spec: tally.Tally, members: list[tuple[str, int]]) -> None:
        """Stops each member when there is a new commit, and all that run again once it has no work that is not lost."""
        with self.run_job(spec) as run:
            before = 0
            for role, index in members:
                run.expect(lambda: run.has_work_to_lose(self.checkpoints, before), 60, f"the {role} can be stopped")
                before = self.checkpoints.committed_step()
                starts = len(run.starts(role, index))
                os.kill(run.running(role, index)[-1].pid, signal.SIGSTOP)
                stopped = time.monotonic()
                run.expect(lambda: len(run.starts(role, index)) > starts, BACK_WITHIN_SECONDS, f"the {role} is replaced")
                replaced = time.monotonic()
                after = self.checkpoints.committed_step()
                run.expect(lambda: self.checkpoints.committed_step() > after, stopped + BACK_WITHIN_SECONDS - replaced,
                           f"training continues without the hung {role}")
                print(f"{role} {index} hung: replaced after {replaced - stopped:.1f} s, next commit after "
                      f"{time.monotonic() - stopped:.1f} s", flush=True)
            run.finish(timeout=300)
        self.assertEqual(tally.problems({self.checkpoints.folder: spec}), [])

    def test_a_member_of_each_role_is_replaced(self):
        self.stop_in_turn(self.spec, [("worker", 0), ("ps", 1), ("coordinator", 0)])

    def test_the_one_process_of_a_single_job_is_replaced(self):
        self.stop_in_turn(self.spec._replace(strategy=job.SINGLE), [("worker", 0)])


if __name__ == "__main__":
    unittest.main()
