"""A job on a real cluster is deleted while it trains, and the same manifest is applied again: what becomes of its checkpoint
folder, as checkpoint.onTaken says. A tally shows that nothing is lost or counted twice."""

import unittest

import job
import on_cluster
import tally
from checkpoints import InBucket, step_of
from cluster import access

SMALL = "{cpu: 50m, memory: 64Mi}"
RECORDS, BATCH, EVERY_STEPS, EPOCHS = 10_000, 128, 500, 300


class ApplyAgain(on_cluster.OnCluster, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        tally.write_records(cls.folder / "data", RECORDS)
        cls.store.put_records("tally", cls.folder / "data")

    def applied_again(self, on_taken: str) -> tuple[on_cluster.Job, InBucket, tally.Tally, int]:
        """The second job; the checkpoints, what trains, and the step of the last commit before it."""
        checkpoints = InBucket(self.store.outside, on_cluster.BUCKET, f"out-{on_taken}", self.folder / on_taken)
        spec = tally.Tally(f"gs://{on_cluster.BUCKET}/tally", checkpoints.url, RECORDS, EPOCHS, BATCH, EVERY_STEPS,
                           job.parameter_server(1, 1, SMALL), on_taken=on_taken)
        first = on_cluster.Job(self.team, spec.manifest())
        access.eventually("it commits", 120, lambda: checkpoints.committed_step() > 0)
        first.delete()
        return on_cluster.Job(self.team, spec.manifest()), checkpoints, spec, checkpoints.committed_step()

    def test_fails_by_default(self):
        second, checkpoints, _, _ = self.applied_again("Fail")
        self.addCleanup(second.delete)
        second.wait("Failed", 120)
        self.assertEqual(second.condition("Failed")["reason"], "CheckpointTaken")
        self.assertEqual([line for line in checkpoints.head().splitlines() if second.uid in line], [])

    def test_goes_on_from_the_last_commit(self):
        second, checkpoints, spec, before = self.applied_again("GoOn")
        self.addCleanup(second.delete)
        second.wait("Succeeded", 240)
        status = second.status()
        self.assertEqual(status["attempt"], 0)
        self.assertEqual(status["lastCheckpoint"]["step"], checkpoints.committed_step())
        self.assertEqual(tally.problems({checkpoints.local(): spec}), [])
        self.assertIn(before, map(step_of, checkpoints.names()))

    def test_begins_anew(self):
        second, checkpoints, spec, _ = self.applied_again("Replace")
        self.addCleanup(second.delete)
        second.wait("Succeeded", 240)
        self.assertEqual(tally.problems({checkpoints.local(): spec}), [])
        self.assertEqual({name.split("-")[2] for name in checkpoints.names()}, {"1"}, "what the first job left is removed")


if __name__ == "__main__":
    unittest.main()
