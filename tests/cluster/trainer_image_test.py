"""The trainer's image runs where pods may do least; beside it Services and the API server are in reach."""

import json
import unittest

from cluster import access, pods
from support import machine

IMAGE = "docker.io/carrack/trainer:dev"
ARCHIVE = machine.cache() / "images" / "trainer.tar"


class TrainerImage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not ARCHIVE.exists():
            machine.skip(f"{ARCHIVE} is not there; run ./dev images")
        access.load_archive(ARCHIVE)
        client, busybox = access.load_image("kubectl"), access.load_image("busybox")
        cls.namespace = cls.enterClassContext(access.namespace("trainer"))
        trainer = pods.pod("trainer", pods.container("trainer", IMAGE, ["--version"]), pods.client(client))
        cls.kubectl("create", "-f", "-", input=json.dumps(
            {"apiVersion": "v1", "kind": "List", "items": [trainer, *pods.web_server("web", busybox)]}))
        cls.kubectl("wait", "pod/web", "--for=condition=Ready", "--timeout=60s")

    @classmethod
    def kubectl(cls, *arguments: str, input: str | None = None) -> str:
        return access.kubectl("--namespace", cls.namespace, *arguments, input=input)

    def in_client(self, *arguments: str) -> str:
        return self.kubectl("exec", "trainer", "-c", "client", "--", "kubectl", *arguments)

    def test_it_says_its_version_and_ends_well(self):
        path = 'jsonpath={.status.containerStatuses[?(@.name=="trainer")].state.terminated.exitCode}'
        code = access.eventually("the trainer ends", 60, lambda: self.kubectl("get", "pod", "trainer", "-o", path))
        log = self.kubectl("logs", "trainer", "-c", "trainer")
        self.assertEqual(code, "0", log)
        self.assertTrue(log.startswith("carrack-trainer "), log)

    def test_its_pod_reaches_services_and_the_api_server(self):
        page = access.eventually("web answers", 60, lambda: self.in_client("--server=http://web", "get", "--raw", "/"))
        self.assertEqual(page, "web")
        self.assertIn(f"system:serviceaccount:{self.namespace}:", self.in_client("auth", "whoami"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
