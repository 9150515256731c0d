"""What keeps the pods of a job from running on a real cluster, one cause in each test: condition, columns of `kubectl get tj`
and `carrack explain` say it, and the job goes on by itself once the cause is gone. docs/reference/conditions.md lists them."""

import subprocess
import time
import unittest
from contextlib import contextmanager
from pathlib import Path
from typing import Callable, Iterator

import conditions
import on_cluster
import webhook
from cluster import access
from conditions import SMALL, single
from support import machine

QUOTA_SECONDS = 120


@contextmanager
def counted_versions(applied: on_cluster.Job, file: Path) -> Iterator[Callable[[], int]]:
    """Gives a function that says how many versions of the job there have been, with the one of now."""
    command = [machine.program("kubectl"), f"--kubeconfig={access.kubeconfig()}", "get", "tj", applied.name, "-n",
               applied.namespace, "--watch", "-o", "jsonpath={.metadata.resourceVersion}{'\\n'}"]
    with file.open("w") as output, subprocess.Popen(command, stdout=output) as watch:
        try:
            yield lambda: len(set(file.read_text().split()))
        finally:
            watch.kill()


class Conditions(conditions.ConditionsCase, unittest.TestCase):
    def expect_running(self, applied: on_cluster.Job, message: str = "") -> None:
        self.expect_condition(applied, "Running", "True", "MembersRunning", message)
        # Between its start and its first step a job may prepare its data, and does not run meanwhile.
        access.eventually("the State Running", 20, lambda: self.columns(applied)["STATE"] == "Running")

    def test_a_quota_that_has_room_for_three_of_nine_pods(self):
        team = self.enterContext(access.namespace("quota"))
        access.kubectl("create", "quota", "few", "--hard=pods=3", "-n", team)
        begin = time.monotonic()
        applied = self.apply("few", "strategy: ParameterServer\n"
                             f"  replicas: {{ps: {{count: 1, resources: {{requests: {SMALL}}}}}, "
                             f"worker: {{min: 1, max: 7, resources: {{requests: {SMALL}}}}}}}", namespace=team)
        versions = self.enterContext(counted_versions(applied, self.folder / "versions"))
        no_room = "not created: exceeded quota: few, requested: pods=1, used: pods=3, limited: pods=3"
        of_six = rf"6 of 7 workers \(1, 2, 3, ...\): {no_room}"
        access.eventually("it trains", 60, lambda: applied.step() > 0)
        self.expect_running(applied, of_six)
        with applied.watched() as pods:
            deleted = time.monotonic()
            replacement = applied.delete_pod("ps").rpartition("-")[0] + "-2"
            back = pods.when(replacement, "running") - deleted
        print(f"a ps is back in a namespace without room for more after {back:.2f} s", flush=True)
        self.assertLess(back, 15)  # 2 s on a machine that does nothing else
        step = applied.step()
        access.eventually("it trains again", 60, lambda: applied.step() > step)
        self.expect_running(applied, of_six)
        self.expect_condition(applied, "Restarting", "False", "NothingRestarts",
                              r"ps 0: is taken away by the cluster \(on \S+\)", 1)
        said = self.explained(applied)
        self.assertRegex(said[""], r"^few trains: ")
        self.assertRegex(said["cause"], rf"^MembersRunning, for \d+ s: {of_six}$")
        self.assertEqual(said["running"], "1 of 1 coordinator, 1 of 1 ps and 1 of 7 workers")
        none = self.apply("none", single(), namespace=team)
        self.expect_wait(none, "QuotaExceeded", f"worker 0: {no_room}", "waits: a quota has no room for worker 0",
                         "Free some of the quota (`kubectl describe resourcequota` shows what is used)")
        time.sleep(max(0, begin + QUOTA_SECONDS - time.monotonic()))
        written, events = versions() - 1, applied.events()
        print(f"{written} writes of its status in {QUOTA_SECONDS} s; events: {events}", flush=True)
        self.assertLessEqual(written, QUOTA_SECONDS / 12)
        self.assertLessEqual(len(events), 3)

    def test_a_node_that_no_pod_fits(self):
        applied = self.apply("placed", single("{spec: {nodeSelector: {disk: none}}}"))
        said = self.expect_wait(
            applied, "Unschedulable", r"worker 0: 0/\d+ nodes are available: .*didn't match Pod's node affinity/selector.*",
            "waits: no node can take worker 0", "Ask for less in spec.replicas.worker.resources, or add nodes.")
        self.assertRegex(said["worker-0"], r"^pending, pod placed-\w+-worker-0-0-1$")

    def test_a_gpu_that_no_node_has(self):
        applied = self.apply("gpu", single(limits="{nvidia.com/gpu: 1}"))
        self.expect_wait(
            applied, "Unschedulable", r"worker 0: 0/\d+ nodes are available: .*Insufficient nvidia.com/gpu.*",
            "waits: no node can take worker 0", "Ask for less in spec.replicas.worker.resources, or add nodes.")
        with self.node_that_says_it_has_a_gpu():
            self.expect_condition(
                applied, "Failed", "True", "UserError",
                r"worker 0: UserError: spec.replicas.worker.resources.limits.nvidia.com/gpu: this carrack-trainer was built "
                r"without CUDA; use the image carrack/trainer-cuda")

    @contextmanager
    def node_that_says_it_has_a_gpu(self) -> Iterator[None]:
        node = access.kubectl("get", "nodes", "-o", "jsonpath={.items[0].metadata.name}")

        def patch(operation: str) -> None:
            access.kubectl("patch", "node", node, "--subresource=status", "--type=json",
                           f'-p=[{{"op": "{operation}", "path": "/status/capacity/nvidia.com~1gpu", "value": "1"}}]')

        patch("add")
        try:
            yield
        finally:
            patch("remove")

    def test_an_image_that_is_missing(self):
        extra = "{name: setup, image: carrack.invalid/none:1, imagePullPolicy: Never, securityContext: {allowPrivilegeEscalation: " \
                "false, capabilities: {drop: [ALL]}}}"
        applied = self.apply("pulled", single(f"{{spec: {{initContainers: [{extra}]}}}}"))
        self.expect_wait(applied, "ImageUnavailable", r"worker 0: ErrImageNeverPull: .*carrack.invalid/none:1.* \(on \S+\)",
                         "waits: the image of worker 0 cannot be pulled", "Check the name of the image in the cause")

    def test_a_volume_that_is_missing(self):
        mount = "{containers: [{name: trainer, volumeMounts: [{name: out, mountPath: /out}]}], " \
                "volumes: [{name: out, persistentVolumeClaim: {claimName: later}}]}"
        applied = self.apply("mounted", single(f"{{spec: {mount}}}"))
        self.expect_wait(applied, "VolumeUnavailable", r'worker 0: .*persistentvolumeclaim "later" not found.*',
                         "waits: a volume of worker 0 is missing, or is not where the nodes are",
                         "Create or bind the PersistentVolumeClaim that the cause names")

    def test_a_secret_that_is_missing(self):
        env = "{name: TOKEN, valueFrom: {secretKeyRef: {name: later, key: token}}}"
        applied = self.apply("secret", single(f"{{spec: {{containers: [{{name: trainer, env: [{env}]}}]}}}}"))
        self.expect_wait(applied, "NodeRefused",
                         r'worker 0: CreateContainerConfigError: secret "later" not found \(on \S+\)',
                         "waits: a node does not run worker 0", "The cause is in the node's words")
        access.kubectl("create", "secret", "generic", "later", "--from-literal=token=a", "-n", self.team)
        self.expect_running(applied)

    def test_a_node_that_refuses_each_pod(self):
        team = self.enterContext(access.namespace("refused", enforce="privileged"))
        sysctl = "{spec: {securityContext: {sysctls: [{name: kernel.msgmax, value: '65536'}]}}}"
        applied = self.apply("refused", single(sysctl), namespace=team)
        # It is created again after ever longer pauses, in which that is said, too.
        access.eventually("it pauses for a while", 60,
                          lambda: applied.status()["members"].get("worker-0", {}).get("disruptions", 0) >= 5)
        words = r"worker 0: never ran: SysctlForbidden: .*kernel.msgmax.* \(on \S+\)"
        self.expect_wait(applied, "NodeRefused", words, "waits: a node does not run worker 0", "The cause is in the node's words")

    def test_a_webhook_that_denies_pods(self):
        team = self.enterContext(access.namespace("denied"))
        with webhook.that_denies(team, self.folder):
            applied = self.apply("denied", single(), namespace=team)
            self.expect_wait(applied, "Denied",
                             f'worker 0: not created: admission webhook "{webhook.NAME}" denied the request: {webhook.WORDS}',
                             "waits: worker 0 cannot be created",
                             "The cause names the policy, the webhook or the right that is missing.")
        self.expect_running(applied)
        self.assertEqual(applied.pods(), [f"pod/{applied.running('worker')}"])
        self.assertTrue(applied.running("worker").endswith("-worker-0-0-1"), "what was never created has no new number")

    def test_a_webhook_that_is_down(self):
        team = self.enterContext(access.namespace("down"))
        with webhook.that_is_down(team, self.folder) as port:
            applied = self.apply("down", single(), namespace=team)
            self.expect_wait(applied, "NotAnswered",
                             f'worker 0: not created: .*failed calling webhook "{webhook.NAME}".*:{port}.*connection refused',
                             "waits: the cluster does not answer for worker 0",
                             "The API server or a webhook is overloaded or broken.")
        self.expect_running(applied)


if __name__ == "__main__":
    unittest.main(verbosity=2)
