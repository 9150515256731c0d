"""`kubectl scale` changes the number of workers while a tally trains on a real cluster: from 1 to 3, to 2 and back to 3.
Workers that leave hand back their records, so every record is counted exactly once in each epoch."""

import json
import unittest

import job
import on_cluster
import tally
from checkpoints import InBucket
from cluster import access
from support import machine

SMALL = "{cpu: 50m, memory: 64Mi}"
# Long enough that a fast machine does not finish before the last change.
RECORDS, BATCH, EPOCHS, EVERY_STEPS = 10_000, 128, 400, 1_000


class Scale(on_cluster.OnCluster, unittest.TestCase):
    def scale_of(self, name: str) -> dict:
        """What a HorizontalPodAutoscaler reads."""
        return json.loads(access.kubectl("get", "--raw", f"/apis/carrack.dev/v1alpha1/namespaces/{self.team}/trainingjobs/{name}/scale"))

    def scale(self, applied: on_cluster.Job, workers: int) -> None:
        self.assertEqual(access.kubectl("scale", "tj", applied.name, f"--replicas={workers}", "-n", self.team),
                         f"trainingjob.carrack.dev/{applied.name} scaled\n")
        counts = {"desired": workers, "pending": 0, "running": workers}
        access.eventually(f"{workers} workers run", 90, lambda: applied.status().get("replicas", {}).get("worker") == counts)
        self.assertEqual(applied.condition("Running").get("status"), "True", applied.describe())
        scale = self.scale_of(applied.name)
        self.assertEqual((scale["spec"]["replicas"], scale["status"]["replicas"]), (workers, workers))
        selected = ("get", "pods", "-n", self.team, "-l", scale["status"]["selector"], "-o", "name")
        access.eventually(f"there are {workers} pods of workers", 90,
                          lambda: len(access.kubectl(*selected).split()) == workers)
        self.assertEqual(sorted(access.kubectl(*selected).split()), sorted(applied.pods("worker")))
        step = applied.step()
        access.eventually(f"it trains with {workers} workers", 60, lambda: applied.step() > step + 10)

    def test_the_number_of_workers_changes_while_a_tally_trains(self):
        tally.write_records(self.folder / "data", RECORDS)
        for file in (self.folder / "data").glob("*.tfrecord"):
            self.store.put(f"tally/{file.name}", file.read_bytes())
        checkpoints = InBucket(self.store.outside, on_cluster.BUCKET, "tally-out", self.folder / "tally-out")
        spec = tally.Tally(f"gs://{on_cluster.BUCKET}/tally", checkpoints.url, RECORDS, EPOCHS, BATCH, EVERY_STEPS,
                           job.parameter_server(1, 1, SMALL))
        applied = on_cluster.Job(self.team, spec.manifest())
        applied.wait("Running", 120)
        for workers in (3, 2):
            self.scale(applied, workers)
        left = applied.status()["members"]["worker-2"]
        self.assertEqual((left["incarnation"], left["ended"], left.get("failures", 0)), (1, True, 0))
        self.scale(applied, 3)
        self.assertEqual(applied.status()["members"]["worker-2"]["incarnation"], 2)
        self.assertFalse(applied.condition("Finished").get("status") == "True", "it ended before all changes were made")
        applied.wait("Succeeded", 400)
        status = applied.status()
        self.assertEqual((status.get("attempt", 0), status["observedGeneration"]), (0, 4))
        self.assertEqual({name: member["incarnation"] for name, member in status["members"].items()},
                         {"coordinator-0": 1, "ps-0": 1, "worker-0": 1, "worker-1": 1, "worker-2": 2})
        self.assertEqual(tally.problems({checkpoints.local(): spec}), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
