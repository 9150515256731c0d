"""Our images run under the `restricted` level; the trainer's pod reaches Services and the API server."""

import json
import unittest

from cluster import access, pods
from support import machine

IMAGES = ["operator", "trainer"]


class ImagesInPods(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        for image in IMAGES:
            access.load_archive(machine.product_image(image))
        client, busybox = access.load_image("kubectl"), access.load_image("busybox")
        cls.namespace = cls.enterClassContext(access.namespace("images"))
        operator, trainer = (pods.container(image, f"docker.io/carrack/{image}:dev", ["--version"]) for image in IMAGES)
        ours = [pods.pod("operator", operator), pods.pod("trainer", trainer, pods.client(client))]
        cls.kubectl("create", "-f", "-", input=json.dumps(
            {"apiVersion": "v1", "kind": "List", "items": [*ours, *pods.web_server("web", busybox)]}))
        cls.kubectl("wait", "pod/web", "--for=condition=Ready", "--timeout=60s")

    @classmethod
    def kubectl(cls, *arguments: str, input: str | None = None) -> str:
        return access.kubectl("--namespace", cls.namespace, *arguments, input=input)

    def in_client(self, *arguments: str) -> str:
        return self.kubectl("exec", "trainer", "-c", "client", "--", "kubectl", *arguments)

    def test_each_says_its_version_and_ends_well_on_a_read_only_root(self):
        for image in IMAGES:
            with self.subTest(image):
                ours = f'[?(@.name=="{image}")]'
                code = f"jsonpath={{.status.containerStatuses{ours}.state.terminated.exitCode}}"
                root = f"jsonpath={{.spec.containers{ours}.securityContext.readOnlyRootFilesystem}}"
                ended = access.eventually(f"{image} ends", 60, lambda: self.kubectl("get", "pod", image, "-o", code))
                log = self.kubectl("logs", image, "-c", image)
                self.assertEqual(ended, "0", log)
                self.assertTrue(log.startswith(f"carrack-{image} "), log)
                self.assertEqual(self.kubectl("get", "pod", image, "-o", root), "true")

    def test_the_trainers_pod_reaches_services_and_the_api_server(self):
        page = access.eventually("web answers", 60, lambda: self.in_client("--server=http://web", "get", "--raw", "/"))
        self.assertEqual(page, "web")
        self.assertIn(f"system:serviceaccount:{self.namespace}:", self.in_client("auth", "whoami"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
