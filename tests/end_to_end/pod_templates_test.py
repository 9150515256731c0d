"""Pods on a real cluster are as the templates of their roles say: service account, Secret, shared memory, sidecars, priority,
labels, and volumes with the data of a job. What the cluster does not know of a pod fails the job before any pod exists."""

import json
import unittest
import uuid

import on_cluster
from cluster import access
from interop import tensorflow_program
from interop.tensorflow_program import EXAMPLES

WRITE_LINE = EXAMPLES + """
import random
random.seed(1)
xs = [random.uniform(-1, 1) for _ in range(500)]
write(sys.argv[1], ({"x": [x], "y": [3 * x - 2]} for x in xs))
"""
# A Pod Security level applies to all containers of a pod.
RESTRICTED = "securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}"


def line(name: str, strategy: str, files: str, folder: str) -> str:
    return f"""
apiVersion: carrack.dev/v1alpha1
kind: TrainingJob
metadata: {{name: {name}}}
spec:
  {strategy}
  model: {{kind: LinearRegression, input: x, target: "y"}}
  data: {{train: {{files: ["{files}"]}}, features: {{x: {{type: float32}}, "y": {{type: float32}}}}}}
  training: {{batch: 20, epochs: 10, optimizer: {{kind: SGD, learningRate: 0.1}}}}
  checkpoint: {{folder: "{folder}"}}
  run: {{drainSeconds: 5}}
"""


def replicas(coordinator: str = "{}", ps: str = "{}", worker: str = "{}") -> str:
    roles = ", ".join(f"{role}: {{resources: {{requests: {{cpu: 50m, memory: 64Mi}}}}, template: {template}}}"
                      for role, template in (("coordinator", coordinator), ("ps", ps), ("worker", worker)))
    return f"strategy: ParameterServer\n  replicas: {{{roles}}}"


class PodTemplates(on_cluster.OnCluster, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.busybox = access.load_image("busybox")
        cls.records = cls.folder / "line.tfrecord"
        tensorflow_program.run(WRITE_LINE, cls.records)
        cls.store.put("line/line.tfrecord", cls.records.read_bytes())
        cls.files = f"gs://{on_cluster.BUCKET}/line/*.tfrecord"

    def kubectl(self, *arguments: str) -> str:
        return access.kubectl("-n", self.team, *arguments)

    def pods(self, applied: on_cluster.Job) -> dict[str, dict]:
        """The pods of the job, by role."""
        found = json.loads(self.kubectl("get", "pods", "-l", f"carrack.dev/job-uid={applied.uid}", "-o", "json"))["items"]
        return {pod["metadata"]["labels"]["carrack.dev/role"]: pod for pod in found}

    def test_pods_are_as_their_templates_say(self):
        priority = f"low-{uuid.uuid4().hex[:6]}"
        access.kubectl("create", "priorityclass", priority, "--value=10")
        self.addCleanup(access.kubectl, "delete", "priorityclass", priority)
        self.kubectl("create", "serviceaccount", "trainer")
        self.kubectl("create", "secret", "generic", "tokens", "--from-literal=reader=secret")
        account = "{spec: {serviceAccountName: trainer}}"
        # Neither ends by itself, so the job has to end with both.
        worker = f"""{{
      metadata: {{labels: {{cost-center: maintenance}}, annotations: {{team.example.com/owner: sea}}}},
      spec: {{
        serviceAccountName: trainer, priorityClassName: {priority},
        initContainers: [
          {{name: token, image: {self.busybox}, imagePullPolicy: IfNotPresent, {RESTRICTED}, command: [sh, -c, 'test $TOKEN = secret'],
            env: [{{name: TOKEN, valueFrom: {{secretKeyRef: {{name: tokens, key: reader}}}}}}]}},
          {{name: native, image: {self.busybox}, imagePullPolicy: IfNotPresent, {RESTRICTED}, command: [sleep, "86400"],
            restartPolicy: Always}}],
        containers: [
          {{name: trainer, env: [{{name: TOKEN, valueFrom: {{secretKeyRef: {{name: tokens, key: reader}}}}}}],
            volumeMounts: [{{name: shm, mountPath: /dev/shm}}]}},
          {{name: sidecar, image: {self.busybox}, imagePullPolicy: IfNotPresent, {RESTRICTED}, command: [sleep, "86400"]}}],
        volumes: [{{name: shm, emptyDir: {{medium: Memory, sizeLimit: 8Mi}}}}]}}}}"""
        applied = on_cluster.Job(self.team, line("templates", replicas(account, account, worker), self.files,
                                                 f"gs://{on_cluster.BUCKET}/templates-out"))
        pods = access.eventually("a pod of each role", 60, lambda: (found := self.pods(applied)) and len(found) == 3 and found)
        for role, pod in pods.items():
            self.assertEqual(pod["spec"]["serviceAccountName"], "trainer", role)
            self.assertEqual(pod["spec"]["containers"][0]["resources"],
                             {"requests": {"cpu": "50m", "memory": "64Mi"}, "limits": {"memory": "64Mi"}}, role)
            self.assertEqual(pod["metadata"]["annotations"]["cluster-autoscaler.kubernetes.io/safe-to-evict"], "false", role)
        made = pods["worker"]
        self.assertEqual((made["metadata"]["labels"]["cost-center"], made["metadata"]["annotations"]["team.example.com/owner"]),
                         ("maintenance", "sea"))
        self.assertEqual((made["spec"]["priorityClassName"], made["spec"]["priority"]), (priority, 10))
        self.assertEqual([one["name"] for one in made["spec"]["containers"]], ["trainer", "sidecar"])
        self.assertIn({"name": "shm", "mountPath": "/dev/shm"}, made["spec"]["containers"][0]["volumeMounts"])
        self.assertEqual(pods["ps"]["spec"].get("priority"), 0)
        applied.wait("Finished", 120)
        self.assertEqual(applied.condition("Succeeded").get("status"), "True", applied.describe())
        access.eventually("the sidecars of the job end", 120, lambda: "worker" not in self.pods(applied))

    def test_a_job_reads_and_writes_the_volumes_of_its_template(self):
        self.kubectl("create", "configmap", "records", f"--from-file={self.records}")
        template = """{spec: {containers: [{name: trainer, volumeMounts: [{name: data, mountPath: /data}, {name: out,
      mountPath: /out}]}], volumes: [{name: data, configMap: {name: records}}, {name: out, emptyDir: {}}],
      securityContext: {fsGroup: 65532}}}"""
        single = f"strategy: Single\n  replicas: {{worker: {{template: {template}}}}}"
        applied = on_cluster.Job(self.team, line("volumes", single, "/data/*.tfrecord", "/out/$(NAME)"))
        applied.wait("Finished", 120)
        self.assertEqual(applied.condition("Succeeded").get("status"), "True", applied.describe())

    def failed(self, name: str, strategy: str, files: str) -> str:
        """The message of a job that fails before it has a pod."""
        applied = on_cluster.Job(self.team, line(name, strategy, files, f"gs://{on_cluster.BUCKET}/{name}-out"))
        applied.wait("Finished", 60)
        condition = applied.condition("Failed")
        self.assertEqual(condition.get("reason"), "InvalidSpec", applied.describe())
        events = json.loads(self.kubectl("get", "events", "-o", "json"))["items"]
        of_pods = [event for event in events if event["involvedObject"]["name"].startswith(f"{name}-")]
        self.assertEqual((applied.pods(), of_pods), ([], []))
        return condition["message"]

    def test_a_template_that_the_cluster_does_not_know_fails_before_any_pod(self):
        for name, template, message in [
                ("unknown", "{spec: {nodeSelectr: {a: b}}}", 'unknown field "spec.nodeSelectr"'),
                ("typed", "{spec: {hostNetwork: 8}}", "cannot unmarshal number"),
                ("invalid", "{spec: {containers: [{name: trainer, volumeMounts: [{name: shm, mountPath: /a}]}]}}",
                 'spec.containers[0].volumeMounts[1].name: Not found: "shm"')]:
            with self.subTest(name):
                said = self.failed(name, replicas(worker=template), self.files)
                self.assertTrue(said.startswith("spec.replicas.worker.template: "), said)
                self.assertIn(message, said)

    def test_what_belongs_to_the_operator_and_paths_on_no_volume_fail_before_any_pod(self):
        self.assertEqual(self.failed("owned", replicas(ps="{spec: {nodeName: a}}"), self.files),
                         "spec.replicas.ps.template.spec.nodeName: belongs to the operator; use nodeSelector or affinity")
        self.assertEqual(self.failed("local", replicas(), "/data/*.tfrecord"),
                         "spec.data.train.files[0]: '/data/*.tfrecord' is on no volume in pods; mount one there in "
                         "spec.replicas.coordinator.template and spec.replicas.worker.template, or use gs://")

    def test_a_service_account_that_is_missing_is_waited_for(self):
        applied = on_cluster.Job(self.team, line("waits", replicas(worker="{spec: {serviceAccountName: later}}"), self.files,
                                                 f"gs://{on_cluster.BUCKET}/waits-out"))
        access.eventually("a refusal", 60, lambda: applied.condition("Running").get("reason") == "Denied")
        self.assertIn("later", applied.condition("Running")["message"])
        self.kubectl("create", "serviceaccount", "later")
        applied.wait("Succeeded", 120)


if __name__ == "__main__":
    unittest.main(verbosity=2)
