"""Pods of workers that run a program of the user's, which uses the package `carrack`: they count records on Carrack's parameter
servers, and each record counts exactly once in each epoch, although the pods of a worker and of a server are deleted."""

import json
import shutil
import tempfile
import unittest
from pathlib import Path

import on_cluster
import own_programs
import package
import tally
from checkpoints import InBucket
from cluster import access
from interop import peers
from support import machine

RECORDS, BATCH, EPOCHS, EVERY_STEPS = 10_000, 64, 40, 200
SMALL = {"requests": {"cpu": "50m", "memory": "64Mi"}}


class OwnWorkerPods(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        for program in ("fake-gcs-server", "helm"):
            machine.program(program)  # skips this file if it is not built
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.busybox = access.load_image("busybox")
        cls.system = cls.enterClassContext(access.namespace("carrack-system"))
        cls.team = cls.enterClassContext(access.namespace("team", enforce="privileged"))
        cls.store = on_cluster.store(cls.system)
        cls.enterClassContext(on_cluster.installed(cls.system, cls.store.inside))

    def manifest(self, checkpoints: str) -> str:
        """The worker's program, the package and its Python come from folders of this machine."""
        package.install(self.folder / "package")
        shutil.copy(package.PROGRAMS / "count_records.py", self.folder)
        places = own_programs.host_folders(own_programs.TENSORFLOW, self.folder)
        container = {"name": "trainer", "image": self.busybox, "imagePullPolicy": "IfNotPresent",
                     "command": [str(peers.python("tensorflow")), str(self.folder / "count_records.py")],
                     "env": [{"name": "PYTHONPATH", "value": str(self.folder / "package")}], "volumeMounts": places["volumeMounts"]}
        worker = {"count": 2, "template": {"spec": {"containers": [container], "volumes": places["volumes"]}}}
        return json.dumps({
            "apiVersion": "carrack.dev/v1alpha1", "kind": "TrainingJob", "metadata": {"name": "count"},
            "spec": {
                "strategy": "ParameterServer",
                "replicas": {"ps": {"count": 2, "resources": SMALL}, "worker": worker},
                "model": {"kind": "Own", "tensors": [{"name": "tally", "shape": [RECORDS]}]},
                "data": {"train": {"files": [f"gs://{on_cluster.BUCKET}/count/*.tfrecord"]}, "features": {"id": {"type": "int64"}}},
                "training": {"batch": BATCH, "epochs": EPOCHS, "reduction": "Sum", "optimizer": {"kind": "SGD", "learningRate": 1}},
                "checkpoint": {"folder": checkpoints, "everySteps": EVERY_STEPS, "keepLast": 1_000_000}}})

    def test_count_each_record_once_an_epoch_though_pods_are_deleted(self):
        tally.write_records(self.folder / "data", RECORDS)
        self.store.put_records("count", self.folder / "data")
        checkpoints = InBucket(self.store.outside, on_cluster.BUCKET, "count-out", self.folder / "count-out")
        applied = on_cluster.Job(self.team, self.manifest(checkpoints.url))
        applied.wait("Running", 180)
        for role, index in (("worker", 1), ("ps", 0)):
            before = applied.step()
            access.eventually(f"it trains before the {role} is deleted", 120, lambda: applied.step() > before + EVERY_STEPS)
            applied.delete_pod(role, index)
        applied.wait("Succeeded", 400)
        members = applied.status()["members"]
        self.assertEqual((members["worker-1"]["incarnation"], members["ps-0"]["incarnation"]), (2, 2), members)
        spec = tally.Tally("", checkpoints.url, RECORDS, EPOCHS, BATCH, EVERY_STEPS)
        self.assertEqual(tally.problems({checkpoints.local(): spec}), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
