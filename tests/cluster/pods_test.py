"""What Carrack needs from a cluster: names, Services, the API server from inside, admission, logs, exec, gangs."""

import json
import unittest

from cluster import access, pods


class Pods(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.busybox, cls.kubectl_image = access.load_image("busybox"), access.load_image("kubectl")
        cls.namespace = cls.enterClassContext(access.namespace("pods"))
        shell = pods.container("shell", cls.busybox, ["sleep", "3600"])
        cls.create(*pods.web_server("web", cls.busybox), pods.pod("visitor", shell, pods.client(cls.kubectl_image)))
        cls.kubectl("wait", "pod/web", "pod/visitor", "--for=condition=Ready", "--timeout=60s")

    @classmethod
    def kubectl(cls, *arguments: str, input: str | None = None) -> str:
        return access.kubectl("--namespace", cls.namespace, *arguments, input=input)

    @classmethod
    def create(cls, *objects: dict) -> None:
        cls.kubectl("create", "-f", "-", input=json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))

    def in_shell(self, *command: str) -> str:
        return self.kubectl("exec", "visitor", "-c", "shell", "--", *command)

    def in_client(self, *arguments: str) -> str:
        return self.kubectl("exec", "visitor", "-c", "client", "--", "kubectl", *arguments)

    def fetched_from(self, server: str) -> str:
        """The page that the visitor gets. A Service answers only a moment after its pod is Ready."""
        fetch = [f"--server={server}", "get", "--raw", "/"]
        return access.eventually(f"{server} answers", 20, lambda: self.in_client(*fetch))

    def test_a_service_name_leads_to_its_pod(self):
        self.assertEqual(self.fetched_from("http://web"), "web")
        self.assertEqual(self.fetched_from(f"http://web.{self.namespace}.svc.cluster.local"), "web")

    def test_a_headless_service_name_is_the_address_of_its_pod(self):
        self.assertEqual(self.fetched_from("http://web-headless:8080"), "web")
        address = self.kubectl("get", "pod", "web", "-o", "jsonpath={.status.podIP}")
        self.assertIn(address, self.in_shell("nslookup", f"web-headless.{self.namespace}.svc.cluster.local"))

    def test_a_pod_is_known_to_the_api_server_by_its_service_account(self):
        user = self.in_client("auth", "whoami", "-o", "jsonpath={.status.userInfo.username}")
        self.assertEqual(user, f"system:serviceaccount:{self.namespace}:default")

    def test_logs_are_read_and_followed_to_their_end(self):
        self.create(pods.pod("speaker", pods.container("speaker", self.busybox, ["echo", "one line"])))
        self.kubectl("wait", "pod/speaker", "--for=jsonpath={.status.phase}=Succeeded", "--timeout=60s")
        self.assertEqual(self.kubectl("logs", "--follow", "speaker"), "one line\n")

    def test_the_restrictions_of_a_pod_hold(self):
        lines = self.in_shell("cat", "/proc/self/status").splitlines()
        status = dict(line.split(":\t", 1) for line in lines if ":\t" in line)
        self.assertEqual(status["Uid"].split()[0], str(pods.USER))
        self.assertEqual(status["Seccomp"], "2")
        self.assertEqual(status["NoNewPrivs"], "1")
        self.assertEqual(int(status["CapBnd"], 16), 0)
        with self.assertRaisesRegex(RuntimeError, "Read-only file system"):
            self.in_shell("sh", "-c", "echo written > /file")

    def test_a_privileged_pod_is_refused(self):
        privileged = pods.pod("privileged", pods.container("any", self.kubectl_image, ["version"]))
        privileged["spec"]["containers"][0]["securityContext"] = {"privileged": True}
        with self.assertRaisesRegex(RuntimeError, "violates PodSecurity \"restricted:latest\".*privileged"):
            self.create(privileged)

    def test_the_gang_scheduling_api_is_served(self):
        served = access.kubectl("api-resources", "--api-group=scheduling.k8s.io")
        self.assertIn("scheduling.k8s.io/v1alpha2", served)


if __name__ == "__main__":
    unittest.main(verbosity=2)
