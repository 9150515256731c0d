"""What holds of TrainingJobs in a cluster: their defaults, what may change of them, who writes their status, and what
`kubectl` shows and waits for."""

import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from cluster import access
from crds import definition
from support import machine

CARRACK = Path(os.environ["CARRACK_BUILD"]) / "bin" / "carrack"
TALLY = machine.REPOSITORY / "crds" / "examples" / "tally.yaml"
MANIFESTS = [*sorted(TALLY.parent.glob("*.yaml")), machine.REPOSITORY / "docs" / "demo" / "line.yaml"]
BEGAN = "2026-01-31T23:59:58Z"


def condition(kind: str, status: str, reason: str, message: str = "") -> dict:
    return {"type": kind, "status": status, "reason": reason, "message": message, "lastTransitionTime": BEGAN}


class Objects(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.enterClassContext(definition.applied())
        cls.namespace = cls.enterClassContext(access.namespace("jobs"))

    def tearDown(self):
        self.kubectl("delete", "tj", "--all")

    def kubectl(self, *arguments: str, input: str | None = None) -> str:
        return access.kubectl("--namespace", self.namespace, *arguments, input=input)

    def refused(self, *arguments: str, input: str | None = None) -> list[str]:
        with self.assertRaises(RuntimeError) as raised:
            self.kubectl(*arguments, input=input)
        return definition.refusals(str(raised.exception).split(": ", 1)[1])

    def read(self, manifest: Path) -> dict:
        return json.loads(self.kubectl("create", "--dry-run=client", "-o", "json", "-f", str(manifest)))

    def created(self, manifest: Path = TALLY) -> dict:
        self.kubectl("apply", "-f", str(manifest))
        return self.job()

    def job(self, name: str = "tally") -> dict:
        return json.loads(self.kubectl("get", "tj", name, "-o", "json"))

    def tell(self, status: dict) -> None:
        self.kubectl("patch", "tj", "tally", "--subresource=status", "--type=merge", "-p", json.dumps({"status": status}))

    def test_the_definition_is_applied_again_by_the_same_command(self):
        self.assertEqual(access.kubectl("apply", "-f", str(definition.CRDS)), f"{definition.NAME} unchanged\n")

    def test_every_manifest_that_we_show_is_taken_as_it_is(self):
        for manifest in MANIFESTS:
            with self.subTest(manifest.name):
                taken = json.loads(self.kubectl("apply", "--dry-run=server", "-o", "json", "-f", str(manifest)))["spec"]
                self.assertEqual(self.differing(self.read(manifest)["spec"], taken), [])

    def differing(self, asked: dict, taken: dict, path: str = "spec") -> list[str]:
        """Fields that are not as asked, where fields may have been added."""
        found = []
        for name, value in asked.items():
            found += self.differing_value(value, taken.get(name), f"{path}.{name}")
        return found

    def differing_value(self, asked: object, taken: object, path: str) -> list[str]:
        if isinstance(asked, dict) and isinstance(taken, dict):
            return self.differing(asked, taken, path)
        if isinstance(asked, list) and isinstance(taken, list) and len(asked) == len(taken):
            return [line for i, value in enumerate(asked) for line in self.differing_value(value, taken[i], f"{path}[{i}]")]
        return [] if asked == taken else [f"{path}: {asked} became {taken}"]

    def test_defaults_appear(self):
        minimal = self.read(TALLY)
        del minimal["spec"]["replicas"], minimal["spec"]["checkpoint"]["everySteps"], minimal["spec"]["training"]["epochs"]
        self.kubectl("apply", "-f", "-", input=json.dumps(minimal))
        self.assertEqual(self.job()["spec"], {
            "strategy": "ParameterServer", "replicas": {"worker": {"count": 1}},
            "model": {"kind": "Tally", "record": "record", "records": 50000},
            "data": {"train": {"files": ["data/*.tfrecord"]}, "features": {"record": {"type": "int64"}}, "onDamage": "stop"},
            "training": {"batch": 64, "lanes": 8, "epochs": 1, "optimizer": {"kind": "SGD", "learningRate": 1}, "seed": 0,
                         "consistency": "Sync", "reduction": "Sum", "deterministic": False},
            "checkpoint": {"folder": "checkpoints", "everySeconds": 300, "keepLast": 3, "onTaken": "Fail"},
            "run": {"backoffLimit": 6, "drainSeconds": 60, "keepPods": "All", "suspend": False}})

    def test_defaults_of_an_image_appear(self):
        manifest = self.read(TALLY)
        manifest["spec"]["data"]["features"]["image"] = {"type": "float32", "image": {"height": 8, "width": 12, "crop": {}}}
        self.kubectl("apply", "-f", "-", input=json.dumps(manifest))
        self.assertEqual(self.job()["spec"]["data"]["features"]["image"], {"type": "float32", "image": {
            "height": 8, "width": 12, "channels": 3, "layout": "NHWC", "mirror": False, "black": 0, "white": 255,
            "crop": {"kind": "Whole"}}})

    def test_defaults_of_stages_appear(self):
        manifest = self.read(TALLY)
        shuffled = {"shuffle": {"kind": "ByPlace", "block": 0, "window": 16}}
        mix = [{"files": ["a"], "weight": 1, "stages": [{"shuffle": {}}]}, {"files": ["b"], "weight": 2}]
        manifest["spec"]["data"]["train"] = {"mix": mix, "stages": [{"shuffle": {}}]}
        self.kubectl("apply", "-f", "-", input=json.dumps(manifest))
        self.assertEqual(self.job()["spec"]["data"]["train"], {
            "mix": [{"files": ["a"], "weight": 1, "stages": [shuffled]}, {"files": ["b"], "weight": 2}], "stages": [shuffled]})

    def test_an_unknown_field_is_dropped_where_kubectl_is_told_to_let_it_pass(self):
        unknown = TALLY.read_text().replace("epochs: 3", "epoch: 3")
        self.kubectl("apply", "--validate=warn", "-f", "-", input=unknown)
        training = self.job()["spec"]["training"]
        self.assertEqual((training.get("epoch"), training["epochs"]), (None, 1))

    def test_what_a_job_is_trained_by_cannot_be_changed(self):
        self.created()
        another = "create another job, with spec.checkpoint.resume where it is to go on from this one"
        but_count = {"replicas": " except for worker.count", "replicas.worker": " except for worker.count"}
        single = {"strategy": "Single", "replicas": None}
        for change, fields in [
                (single, ["replicas", "strategy"]),
                ({"replicas": {"ps": {"count": 3}}}, ["replicas"]),
                ({"replicas": {"coordinator": {"resources": {"requests": {"cpu": 1}}}}}, ["replicas"]),
                ({"replicas": {"worker": {"min": 1, "max": 3}}}, ["replicas.worker"]),
                ({"replicas": {"worker": {"resources": {"requests": {"cpu": 1}}}}}, ["replicas.worker"]),
                ({"replicas": None}, ["replicas"]),
                ({"replicas": {"worker": {"template": {"spec": {"priorityClassName": "low"}}}}}, ["replicas.worker"]),
                ({"model": {"records": 50001}}, ["model"]),
                ({"data": {"train": {"files": ["other"]}}}, ["data"]),
                ({"data": {"features": {"more": {"type": "int64"}}}}, ["data"]),
                ({"training": {"batch": 65}}, ["training"]),
                ({"training": {"seed": 1}}, ["training"]),
                ({"checkpoint": {"resume": "another"}}, ["checkpoint"])]:
            with self.subTest(change):
                patch = json.dumps({"spec": change})
                self.assertEqual(self.refused("patch", "tj", "tally", "--type=merge", "-p", patch),
                                 [f"spec.{field}: Forbidden: cannot be changed{but_count.get(field, '')}; {another}"
                                  for field in fields])

    def test_a_pod_template_cannot_be_changed(self):
        manifest = self.read(TALLY)
        manifest["spec"]["replicas"]["worker"]["template"] = {"spec": {"priorityClassName": "low"}}
        self.kubectl("apply", "-f", "-", input=json.dumps(manifest))
        patch = {"spec": {"replicas": {"worker": {"template": {"spec": {"priorityClassName": "high"}}}}}}
        (refusal,) = self.refused("patch", "tj", "tally", "--type=merge", "-p", json.dumps(patch))
        self.assertTrue(refusal.startswith("spec.replicas.worker: Forbidden: cannot be changed except for worker.count; "), refusal)

    def scale(self, replicas: int) -> tuple[str, ...]:
        return ("scale", "tj", "tally", f"--replicas={replicas}")

    def scale_of_job(self) -> dict:
        """What a HorizontalPodAutoscaler reads."""
        path = f"/apis/carrack.dev/v1alpha1/namespaces/{self.namespace}/trainingjobs/tally/scale"
        return json.loads(access.kubectl("get", "--raw", path))

    def test_the_number_of_workers_can_be_changed_up_to_the_lanes(self):
        self.created()
        for workers in (1, 8):
            self.kubectl(*self.scale(workers))
            self.assertEqual(self.job()["spec"]["replicas"], {"ps": {"count": 2}, "worker": {"count": workers}})
        self.assertEqual(self.job()["metadata"]["generation"], 3)
        self.assertEqual(self.refused(*self.scale(9)), [
            "spec.training.lanes: Invalid value: is below the workers of spec.replicas.worker; each needs a lane"])
        self.assertEqual(self.refused(*self.scale(0)), [
            "spec.replicas.worker.count: Invalid value: 0: spec.replicas.worker.count in body should be greater than or "
            "equal to 1"])

    def test_the_number_of_workers_stays_between_min_and_max(self):
        manifest = self.read(TALLY)
        manifest["spec"]["replicas"]["worker"] = {"min": 2, "max": 4}
        self.kubectl("apply", "-f", "-", input=json.dumps(manifest))
        with self.assertRaisesRegex(RuntimeError, r'the spec replicas field ".spec.replicas.worker.count" does not exist'):
            self.scale_of_job()
        self.kubectl(*self.scale(4))
        for workers in (1, 5):
            self.assertEqual(self.refused(*self.scale(workers)), [
                "spec.replicas.worker.count: Invalid value: is not from min to max"])
        self.assertEqual(self.job()["spec"]["replicas"]["worker"], {"min": 2, "max": 4, "count": 4})

    def test_the_one_process_of_single_does_not_scale(self):
        self.kubectl("apply", "-f", str(TALLY.parent / "single.yaml"))
        self.assertEqual(self.refused("scale", "tj", "single", "--replicas=2"), [
            "spec.replicas.worker: Invalid value: Single is one process; leave it out, or use strategy ParameterServer"])

    def test_an_autoscaler_finds_the_workers(self):
        self.created()
        scale = self.scale_of_job()
        self.assertEqual((scale["spec"], scale["status"]), ({"replicas": 2}, {"replicas": 0}))
        selector = "carrack.dev/job-uid=1b4e28ba,carrack.dev/role=worker"
        self.tell({"workerSelector": selector, "replicas": {"worker": {"desired": 2, "pending": 1, "running": 1}}})
        self.assertEqual(self.scale_of_job()["status"], {"replicas": 1, "selector": selector})
        self.kubectl("create", "-f", "-", input=json.dumps({
            "apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "tally"},
            "spec": {"scaleTargetRef": {"apiVersion": "carrack.dev/v1alpha1", "kind": "TrainingJob", "name": "tally"},
                     "minReplicas": 1, "maxReplicas": 4,
                     "metrics": [{"type": "Resource", "resource": {"name": "cpu", "target": {
                         "type": "Utilization", "averageUtilization": 80}}}]}}))
        # Without a metrics server it can read the target, and not decide. That shows that it found the scale.
        access.eventually("the autoscaler reads the scale", 60, lambda: self.autoscaler().get("AbleToScale") == "SucceededGetScale")
        access.eventually("it has no metrics", 60, lambda: self.autoscaler().get("ScalingActive") == "FailedGetResourceMetric")
        self.assertEqual(self.job()["spec"]["replicas"]["worker"], {"count": 2})
        self.kubectl("delete", "hpa", "tally")

    def autoscaler(self) -> dict[str, str]:
        """The reasons of its conditions."""
        status = json.loads(self.kubectl("get", "hpa", "tally", "-o", "json")).get("status", {})
        return {one["type"]: one["reason"] for one in status.get("conditions", [])}

    def test_how_it_is_run_can(self):
        self.assertEqual(self.created()["metadata"]["generation"], 1)
        change = {"run": {"suspend": True, "backoffLimit": 0, "drainSeconds": 5, "keepPods": "Failed",
                          "ttlSecondsAfterFinished": 7,
                          "failureRules": [{"exitCodes": [3], "reasons": ["Evicted"], "roles": ["ps"], "action": "Fail"}]}}
        self.kubectl("patch", "tj", "tally", "--type=merge", "-p", json.dumps({"spec": change}))
        job = self.job()
        self.assertEqual({name: job["spec"][name] for name in change}, change)
        self.assertEqual(job["metadata"]["generation"], 2)

    def test_only_the_subresource_writes_the_status(self):
        manifest = self.read(TALLY) | {"status": {"attempt": 3}}
        self.kubectl("apply", "-f", "-", input=json.dumps(manifest))
        self.assertNotIn("status", self.job())
        self.kubectl("patch", "tj", "tally", "--type=merge", "-p", '{"status": {"attempt": 4}}')
        self.assertNotIn("status", self.job())
        self.kubectl("patch", "tj", "tally", "--subresource=status", "--type=merge", "-p",
                     '{"status": {"attempt": 5}, "spec": {"run": {"suspend": true}}}')
        job = self.job()
        self.assertEqual((job["status"], job["spec"]["run"]["suspend"], job["metadata"]["generation"]), ({"attempt": 5}, False, 1))

    def test_the_status_as_the_operator_writes_it_is_taken_whole(self):
        for example in ("single", "tally"):
            with self.subTest(example), tempfile.TemporaryDirectory() as folder:
                manifest = self.read(TALLY.parent / f"{example}.yaml")
                manifest["spec"]["run"] = {"suspend": True}  # It ends at once, as no process is ever started.
                Path(folder, "job.yaml").write_text(json.dumps(manifest))
                subprocess.run([CARRACK, "run", "job.yaml", "--folder", "run", "--no-data"], cwd=folder, stdout=subprocess.DEVNULL, timeout=60)
                kept = json.loads(Path(folder, "run", "job.json").read_text())
                del kept["metadata"]["uid"], kept["metadata"]["generation"]
                self.kubectl("create", "-f", "-", input=json.dumps(kept))
                self.kubectl("replace", "--subresource=status", "-f", "-", input=json.dumps(kept))
                job = self.job(example)
                self.assertEqual(job["status"], kept["status"])
                self.assertEqual(job["status"]["state"], "Suspended")
                self.assertEqual(self.differing(kept["spec"], job["spec"]), [])

    def test_a_status_that_the_operator_could_not_read_is_refused(self):
        self.created()
        status = json.dumps({"status": {"conditions": [condition("Running", "Unknown", "None")]}})
        self.assertEqual(self.refused("patch", "tj", "tally", "--subresource=status", "--type=merge", "-p", status), [
            'status.conditions[0].status: Unsupported value: "Unknown": supported values: "False", "True"'])

    def test_a_condition_that_only_a_newer_operator_knows_is_taken(self):
        self.created()
        stalled = condition("Paused", "False", "None")
        self.tell({"conditions": [stalled]})
        self.assertEqual(self.job("tally")["status"]["conditions"], [stalled])

    def test_columns_follow_the_status(self):
        self.created()
        self.assertEqual(self.columns(), {"NAME": "tally"})
        self.tell({"state": "Running", "attempt": 2, "progress": {"step": 73, "steps": 500}, "lastCheckpoint": {"step": 60},
                   "conditions": [condition("Running", "True", "MembersRunning")]})
        told = {"NAME": "tally", "STATE": "Running", "STEP": "73", "STEPS": "500", "CHECKPOINT": "60", "ATTEMPT": "2"}
        self.assertEqual(self.columns(), told)
        waits = "worker 1: Insufficient cpu"
        self.tell({"state": "Created", "conditions": [condition("Running", "False", "WaitingForMembers", waits)]})
        self.assertEqual(self.columns(), told | {"STATE": "Created", "WAITING": waits})
        why = "worker 0: UserError: no such file"
        self.tell({"state": "Failed", "conditions": [condition("Running", "False", "Finished"),
                                                     condition("Failed", "True", "UserError", why)]})
        self.assertEqual(self.columns(), told | {"STATE": "Failed", "FAILURE": why})
        self.assertRegex(self.kubectl("get", "tj"), r"\ANAME +STATE +STEP +STEPS +CHECKPOINT +AGE *\n")

    def columns(self) -> dict[str, str]:
        """What is shown of the one job, without its age, and without what is empty."""
        head, row = self.kubectl("get", "tj", "--output=wide").splitlines()
        begins = [name.start() for name in re.finditer(r"\S+", head)]
        cells = {head[begin:end].strip(): row[begin:end].strip() for begin, end in zip(begins, [*begins[1:], None])}
        self.assertRegex(cells.pop("AGE"), r"\A\d+m?s\Z")
        return {name: cell for name, cell in cells.items() if cell not in ("", "<none>")}

    def test_kubectl_waits_for_its_end(self):
        self.created()
        self.tell({"observedGeneration": 1, "state": "Running", "conditions": [condition("Finished", "False", "NotFinished")]})
        self.assertEqual(self.refused("wait", "tj/tally", "--for=condition=Finished", "--timeout=1s"),
                         ["error: timed out waiting for the condition on trainingjobs/tally"])
        self.tell({"state": "Succeeded", "conditions": [condition("Succeeded", "True", "TrainingSucceeded"),
                                                        condition("Finished", "True", "TrainingSucceeded")]})
        for waited in ("condition=Finished", "condition=Succeeded", "jsonpath={.status.state}=Succeeded"):
            self.assertEqual(self.kubectl("wait", "tj/tally", f"--for={waited}", "--timeout=10s"),
                             "trainingjob.carrack.dev/tally condition met\n")

    def test_kubectl_waits_for_what_does_not_hold(self):
        self.created()
        failed = condition("Failed", "False", "NotFinished") | {"observedGeneration": 1}
        self.tell({"observedGeneration": 1, "conditions": [failed]})
        wait = ("wait", "tj/tally", "--for=condition=Failed=false", "--timeout=2s")
        self.assertEqual(self.kubectl(*wait), "trainingjob.carrack.dev/tally condition met\n")
        self.kubectl("patch", "tj", "tally", "--type=merge", "-p", '{"spec": {"run": {"suspend": true}}}')
        self.assertEqual(self.refused(*wait), ["error: timed out waiting for the condition on trainingjobs/tally"])

    def test_a_condition_is_refused_that_no_metav1_condition_can_be(self):
        self.created()
        for change, refusal in [
                ({"reason": ""}, "reason: Invalid value: \"\": conditions[0].reason in body should be at least 1 chars long"),
                ({"observedGeneration": -1}, "observedGeneration: Invalid value: -1: conditions[0].observedGeneration in body "
                                             "should be greater than or equal to 0"),
                ({"message": "m" * 32769}, "message: Too long: may not be more than 32768 bytes")]:
            with self.subTest(list(change)):
                status = {"status": {"conditions": [condition("Running", "False", "None") | change]}}
                refused = self.refused("patch", "tj", "tally", "--subresource=status", "--type=merge", "-p", json.dumps(status))
                self.assertIn(f"status.conditions[0].{refusal}", refused)

    def test_kubectl_explains_it(self):
        fields = re.findall(r"^  (\w+)\t<(.+?)>(.*)\n((?:  enum: .*\n)?(?:    .*\n)+)", self.kubectl("explain", "tj.spec.checkpoint"), re.M)
        self.assertEqual([(name, kind, needed.strip(), " ".join(text.split())) for name, kind, needed, text in fields], [
            ("everySeconds", "integer", "", "Seconds between two commits."),
            ("everySteps", "integer", "", "A commit is also made at each multiple of this number of updates; in a bucket at "
                                          "most one a second."),
            ("folder", "string", "-required-", "Where checkpoints are written, as path, file:// or gs://; of this job alone. $(NAME) and $(UID) are "
                                              "those of the job."),
            ("keepEverySteps", "integer", "", "The first commit at or after each multiple of this step stays, too."),
            ("keepLast", "integer", "", "How many of the last commits stay. Older checkpoints are removed."),
            ("onTaken", "string", "", "enum: Fail, GoOn, Replace If another job has claimed the folder, as one of the same name that was "
                                      "deleted: Fail, GoOn (from its last commit) or Replace (begin again in its place). A job "
                                      "that still trains there is left alone."),
            ("resume", "string", "", "Another job's folder, which is only read. Training starts from its last commit where "
                                     "this job has none yet.")])


if __name__ == "__main__":
    unittest.main(verbosity=2)
