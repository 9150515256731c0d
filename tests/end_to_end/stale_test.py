"""In Async the job says how stale its gradients are, by worker. With a bound none is staler, however slow a worker is; without one a
slow worker's are. A tally shows that each batch counts once."""

import os
import signal
import time
import unittest

import job
import tally

RECORDS, BATCH, EPOCHS, EVERY_STEPS = 10_000, 50, 20, 500
BOUND = 3
STOPPED_SECONDS, RUNNING_SECONDS = 0.2, 0.02


class Stale(tally.TallyCase, unittest.TestCase):
    spec = tally.Tally("", "", RECORDS, EPOCHS, BATCH, EVERY_STEPS, strategy=job.parameter_server(2, 2), consistency="Async")

    def staleness_of(self, spec: tally.Tally) -> dict:
        """What the job says of it last. Worker 0 is stopped most of the time, until half of the job is done."""
        last: dict = {}

        def is_half_done() -> bool:
            for start in run.running("worker", 0):
                os.kill(start.pid, signal.SIGSTOP)
                time.sleep(STOPPED_SECONDS)
                os.kill(start.pid, signal.SIGCONT)
            time.sleep(RUNNING_SECONDS)
            return ended() or last.get("step", 0) > RECORDS // BATCH * EPOCHS / 2

        def ended() -> bool:
            last.update(run.progress())
            return run.ended()

        with self.run_job(spec) as run:
            run.expect(lambda: run.step() > 0, 60, "it trains")
            run.until(is_half_done, 120)
            run.until(ended, 120)
            run.finish()
        self.assertEqual(tally.problems({self.checkpoints.folder: spec}), [])
        print(last["staleness"], flush=True)
        return last["staleness"]

    def test_has_a_bound(self):
        staleness = self.staleness_of(self.spec._replace(bound=f" maxStaleness: {BOUND},"))
        self.assertLessEqual(len(staleness["all"]), BOUND.bit_length() + 1)
        self.assertGreater(sum(staleness["all"][1:]), 0, "some are stale")
        self.assertEqual(set(staleness["workers"]), {"0", "1"})
        self.assertEqual([sum(counts) for counts in zip(*staleness["workers"].values())][:1], staleness["all"][:1])

    def test_has_none_unless_it_is_set(self):
        staleness = self.staleness_of(self.spec)
        self.assertGreater(len(staleness["workers"]["0"]), BOUND.bit_length() + 1)


if __name__ == "__main__":
    unittest.main()
