"""Programs of TensorFlow and PyTorch run unmodified as pods, find each other by their host names, and go on when a worker's
pod is deleted.

    own_pods_test.py [torch]"""

import json
import tempfile
import unittest
from pathlib import Path

import on_cluster
import own_programs
from cluster import access
from cluster.instance import NODE
from support import machine

PROGRAM = own_programs.chosen()


class OwnPods(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        machine.program("helm")  # skips this file if it is not built
        cls.busybox = access.load_image("busybox")
        cls.system = cls.enterClassContext(access.namespace("carrack-system"))
        cls.team = cls.enterClassContext(access.namespace("team", enforce="privileged"))
        cls.enterClassContext(on_cluster.installed(cls.system, "http://nowhere"))

    def kubectl(self, *arguments: str) -> str:
        return access.kubectl("-n", self.team, *arguments)

    def log(self, pod: str) -> str:
        try:
            return self.kubectl("logs", pod)
        except RuntimeError:  # It has not started.
            return ""

    def test_goes_on_when_the_pod_of_a_worker_is_deleted(self):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        pod = own_programs.host_folders(PROGRAM, folder)
        applied = on_cluster.Job(self.team, own_programs.manifest("own", PROGRAM, folder, self.busybox, pod))
        role, _, index = PROGRAM.leader.rpartition("-")
        leader = access.eventually("the leader runs", 90, lambda: applied.running(role, int(index)))
        access.eventually("it trains", 120, lambda: own_programs.last_step(self.log(leader)) > 40)
        deleted = applied.delete_pod("worker", 1)
        applied.wait("Finished", 180)
        self.assertEqual(applied.condition("Succeeded").get("status"), "True", applied.describe())
        (last,) = applied.pods(role)[-1:]
        log = self.log(last)
        self.assertEqual(own_programs.first_step(log) > 0, PROGRAM.restarts_as_one, applied.describe())
        slope, intercept = own_programs.fitted(log)
        self.assertAlmostEqual(slope, 3, delta=0.05)
        self.assertAlmostEqual(intercept, 2, delta=0.05)
        self.assertNotIn(f"pod/{deleted}", applied.pods("worker"))
        status = applied.status()
        self.assertEqual(status.get("unchargedRestarts", 0), 1 if PROGRAM.restarts_as_one else 0, status)
        access.eventually("its Service is gone", 30, lambda: not self.kubectl("get", "services", "-o", "name").strip())

    def offer_gpus(self, count: int | None) -> None:
        """What the node's plugin for devices does; None takes them away."""
        patch = [{"op": "remove" if count is None else "add", "path": "/status/capacity/nvidia.com~1gpu",
                  **({} if count is None else {"value": str(count)})}]
        access.kubectl("patch", "node", NODE, "--subresource=status", "--type=json", "-p", json.dumps(patch))

    def test_a_gpu_that_no_node_has_is_waited_for(self):
        job = {"apiVersion": "carrack.dev/v1alpha1", "kind": "TrainingJob", "metadata": {"name": "gpu"},
               "spec": {"strategy": "Own", "replicas": {"worker": {
                   "resources": {"limits": {"nvidia.com/gpu": 1}},
                   "template": {"spec": {"containers": [
                       {"name": "trainer", "image": self.busybox, "imagePullPolicy": "IfNotPresent", "command": ["sleep", "0"]}]}}}}}}
        applied = on_cluster.Job(self.team, json.dumps(job))
        access.eventually("it waits for a node", 60, lambda: applied.condition("Running").get("reason") == "Unschedulable")
        self.assertIn("Insufficient nvidia.com/gpu", applied.condition("Running")["message"])
        (pod,) = json.loads(self.kubectl("get", "pods", "-l", f"carrack.dev/job-uid={applied.uid}", "-o", "json"))["items"]
        self.assertIn({"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}, pod["spec"]["tolerations"])
        self.offer_gpus(1)
        self.addCleanup(self.offer_gpus, None)
        applied.wait("Succeeded", 90)

    def test_processes_find_each_other_by_their_host_names(self):
        job = {"apiVersion": "carrack.dev/v1alpha1", "kind": "TrainingJob", "metadata": {"name": "shell"},
               "spec": {"strategy": "Own", "success": "AllWorkers", "replicas": {"worker": {"count": 2, "template": {"spec": {
                   "containers": [{"name": "trainer", "image": self.busybox, "imagePullPolicy": "IfNotPresent",
                                   "command": ["sh", "-c", "nslookup ${CARRACK_LEADER%:*}.cluster.local && test $(cat /etc/hostname) = worker-$CARRACK_INDEX"
                                               " || exit 1"]}]}}}}}}
        applied = on_cluster.Job(self.team, json.dumps(job))
        applied.wait("Finished", 120)
        self.assertEqual(applied.condition("Succeeded").get("status"), "True", applied.describe())


if __name__ == "__main__":
    unittest.main(verbosity=2)
