"""Fake nodes run more pods than a real node here could, and only pods that select them."""

import json
import unittest

from cluster import access, fake_nodes, pods
from support import machine

NODES, PODS = 50, 200


class FakeNodes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if access.OWN.is_replaced_by_users_cluster():
            machine.skip("KUBECONFIG is set, and only our own cluster has fake nodes")
        before = len(fake_nodes.names(access.OWN))
        cls.addClassCleanup(fake_nodes.set_number, before, access.OWN)
        fake_nodes.set_number(NODES, access.OWN)

    def create(self, namespace: str, items: list[dict]) -> None:
        access.kubectl("create", "--namespace", namespace, "-f", "-",
                       input=json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))

    def running_pods(self, namespace: str) -> list[dict] | None:
        """All pods, once all are Running; otherwise None."""
        found = json.loads(access.kubectl("get", "pods", "--namespace", namespace, "-o", "json"))["items"]
        return found if [pod["status"]["phase"] for pod in found] == ["Running"] * PODS else None

    def all_nodes(self) -> dict[str, str]:
        """The UID of each node, including the real one."""
        path = "jsonpath={range .items[*]}{.metadata.name}={.metadata.uid} {end}"
        return dict(node.split("=") for node in access.kubectl("get", "nodes", "-o", path).split())

    def test_a_change_of_their_number_leaves_all_other_nodes_alone(self):
        before = self.all_nodes()
        fake_nodes.set_number(NODES - 10, access.OWN)
        fewer = self.all_nodes()
        self.assertEqual(set(before) - set(fewer), {f"fake-{index}" for index in range(NODES - 10, NODES)})
        fake_nodes.set_number(NODES, access.OWN)
        after = self.all_nodes()
        self.assertEqual(set(after), set(before))
        self.assertEqual({name: after[name] for name in fewer}, fewer)

    def test_pods_that_ask_for_them_run_on_them(self):
        where = {"nodeSelector": fake_nodes.LABEL, "tolerations": [fake_nodes.TOLERATION]}
        many = [pods.pod(f"pod-{index}", pods.container("any", "not/there", []), **where) for index in range(PODS)]
        with access.namespace("fake-nodes") as namespace:
            # kwok 0.8 makes its pool of addresses with its first pod, without a lock: of two pods that come first at
            # the same time each may get a pool, and both the same address.
            self.create(namespace, many[:1])
            access.kubectl("wait", "pod/pod-0", "--namespace", namespace, "--for=condition=Ready", "--timeout=60s")
            self.create(namespace, many[1:])
            running = access.eventually(f"{PODS} pods are Running", 60, lambda: self.running_pods(namespace))
        self.assertEqual({condition["status"] for pod in running for condition in pod["status"]["conditions"]
                          if condition["type"] == "Ready"}, {"True"})
        self.assertEqual(len({pod["status"]["podIP"] for pod in running}), PODS)
        self.assertLessEqual({pod["spec"]["nodeName"] for pod in running}, set(fake_nodes.names(access.OWN)))

    def test_other_pods_stay_away_from_them(self):
        image = access.load_image("busybox")
        with access.namespace("real-node") as namespace:
            pod = pods.pod("ordinary", pods.container("sleep", image, ["sleep", "3600"]))
            access.kubectl("create", "--namespace", namespace, "-f", "-", input=json.dumps(pod))
            access.kubectl("wait", "pod/ordinary", "--namespace", namespace, "--for=condition=Ready", "--timeout=60s")
            node = access.kubectl("get", "pod", "ordinary", "--namespace", namespace, "-o", "jsonpath={.spec.nodeName}")
        self.assertNotIn(node, fake_nodes.names(access.OWN))


if __name__ == "__main__":
    unittest.main(verbosity=2)
