"""From the README's `helm install` and `kubectl apply` to Succeeded on a real cluster, with records and checkpoints in a
bucket. A tally job is exact although a pod of every role and the operator's pod are deleted. A deleted job leaves only its
checkpoints. An autoencoder of sensors, whose pods are deleted likewise, is the one that a laptop trains, and TensorFlow serves it.
TensorFlow writes the records and reads the checkpoints."""

import json
import os
import statistics
import subprocess
import sys
import time
import unittest

import job
import on_cluster
import tally
from checkpoints import InBucket
from cluster import access
from interop import tensorflow_program
from interop.tensorflow_program import EXAMPLES
from support import machine

WRITE_LINE = EXAMPLES + """
import random
random.seed(1)
xs = [random.uniform(-1, 1) for _ in range(2000)]
write(sys.argv[1], ({"x": [x], "y": [3 * x - 2]} for x in xs))
"""
READ_LINE = """
import json, sys
import tensorflow as tf
checkpoint = tf.train.load_checkpoint(sys.argv[1])
print(json.dumps([float(checkpoint.get_tensor("w").ravel()[0]), float(checkpoint.get_tensor("b").ravel()[0])]))
"""
SERVE = """
import json, sys
import tensorflow as tf
signature = tf.saved_model.load(sys.argv[1]).signatures["examples"]
found = signature(examples=tf.constant(list(tf.data.TFRecordDataset(sys.argv[2]).as_numpy_iterator())))
print(json.dumps({name: found[name].numpy().tolist() for name in ("error", "errors")}))
"""
SENSORS = machine.REPOSITORY / "docs" / "examples" / "sensors"
SMALL = "{cpu: 50m, memory: 64Mi}"  # fits all pods of a job and their replacements on one node
LINE = f"""
apiVersion: carrack.dev/v1alpha1
kind: TrainingJob
metadata: {{name: line}}
spec:
  {job.parameter_server(1, 2, SMALL)}
  model: {{kind: LinearRegression, input: x, target: "y"}}
  data:
    train: {{files: ["gs://{on_cluster.BUCKET}/line/*.tfrecord"]}}
    features: {{x: {{type: float32}}, "y": {{type: float32}}}}
  training: {{batch: 20, epochs: 10, optimizer: {{kind: SGD, learningRate: 0.1}}}}
  checkpoint: {{folder: "gs://{on_cluster.BUCKET}/line-out", everySteps: 100}}
"""
# Long enough that a fast machine does not finish before the last pod is deleted.
RECORDS, BATCH, EPOCHS, EVERY_STEPS = 10_000, 128, 500, 100


class Kubernetes(on_cluster.OnCluster, unittest.TestCase):
    def checkpoints(self, name: str) -> InBucket:
        return InBucket(self.store.outside, on_cluster.BUCKET, name, self.folder / name)

    def test_a_job_goes_from_apply_to_succeeded_and_leaves_its_checkpoints_alone(self):
        records = self.folder / "line.tfrecord"
        tensorflow_program.write(WRITE_LINE, records)
        self.store.put("line/line.tfrecord", records.read_bytes())
        manifest = self.folder / "line.yaml"
        manifest.write_text(LINE)
        for command in on_cluster.readme_commands()[1:]:
            kubectl, *words = command.replace(manifest.name, str(manifest)).split()
            self.assertEqual(kubectl, "kubectl")
            access.kubectl(*words, "-n", self.team)
        applied = on_cluster.Job(self.team, LINE)  # exists already, and does not change
        applied.wait("Finished", 1)
        status = applied.status()
        progress = status["progress"]
        self.assertEqual((status["state"], progress["step"], progress["steps"], status["lastCheckpoint"]["step"]),
                         ("Succeeded", 1000, 1000, 1000), applied.describe())
        self.assertLess(progress["loss"], 1e-6)
        self.assertEqual(applied.condition("Succeeded")["status"], "True")
        self.assertEqual(applied.condition("Running")["reason"], "Finished")
        self.assertEqual([reason for reason in applied.events() if reason in (
            "JobCreated", "MembersRunning", "TrainingSucceeded")], ["JobCreated", "MembersRunning", "TrainingSucceeded"])
        checkpoints = self.checkpoints("line-out")
        last = checkpoints.local() / status["lastCheckpoint"]["name"].removesuffix(".manifest")
        w, b = json.loads(tensorflow_program.run(READ_LINE, last))
        self.assertAlmostEqual(w, 3, delta=0.01)
        self.assertAlmostEqual(b, -2, delta=0.01)
        names = sorted(checkpoints.names())
        applied.delete()
        access.eventually("nothing is left of the job", 60, lambda: not applied.objects_left() and not applied.keys())
        self.assertEqual(sorted(checkpoints.names()), names)

    def test_a_job_that_is_deleted_and_applied_again_trains_in_a_folder_of_its_own(self):
        records = self.folder / "again.tfrecord"
        tensorflow_program.write(WRITE_LINE, records)
        self.store.put("again/line.tfrecord", records.read_bytes())
        manifest = (LINE.replace("name: line", "name: again").replace("/line/*", "/again/*")
                    .replace("/line-out", "/again-out/$(NAME)-$(UID)"))
        for _ in range(2):
            applied = on_cluster.Job(self.team, manifest)
            applied.wait("Finished", 60)
            self.assertEqual(applied.condition("Succeeded").get("status"), "True", applied.describe())
            self.assertEqual(self.checkpoints(f"again-out/again-{applied.uid}").committed_step(), 1000)
            applied.delete()

    def wait_for_work_to_lose(self, applied: on_cluster.Job, checkpoints: InBucket) -> None:
        before = checkpoints.committed_step()
        try:
            access.eventually(f"a commit after step {before}, and work beyond", 60,
                              lambda: applied.step() > checkpoints.committed_step() > before)
        except TimeoutError as error:
            raise AssertionError(f"{error}; it is at {applied.step()}, {checkpoints.head()}\n{applied.describe()}") from None

    def test_a_tally_holds_when_a_pod_of_every_role_and_the_operator_are_deleted(self):
        tally.write_records(self.folder / "data", RECORDS)
        for file in (self.folder / "data").glob("*.tfrecord"):
            self.store.put(f"tally/{file.name}", file.read_bytes())
        checkpoints = self.checkpoints("tally-out")
        spec = tally.Tally(f"gs://{on_cluster.BUCKET}/tally", checkpoints.url, RECORDS, EPOCHS, BATCH, EVERY_STEPS,
                         job.parameter_server(2, 2, SMALL))
        applied = on_cluster.Job(self.team, spec.manifest())
        for victim in ("worker", "ps", "coordinator", "operator"):
            self.wait_for_work_to_lose(applied, checkpoints)
            if victim == "operator":
                access.kubectl("delete", "pods", "-n", self.system, "-l", "app.kubernetes.io/name=carrack", "--wait=false")
            else:
                applied.delete_pod(victim)
        applied.wait("Succeeded", 400)
        members = applied.status()["members"]
        self.assertEqual({name: members[name]["incarnation"] for name in ("worker-0", "ps-0", "coordinator-0")},
                         {"worker-0": 2, "ps-0": 2, "coordinator-0": 2})
        self.assertEqual(tally.problems({checkpoints.local(): spec}), [])

    def test_an_autoencoder_of_sensors_is_that_of_a_laptop_and_tensorflow_serves_it(self):
        for name, *arguments in ("healthy", "2000", "1"), ("today", "300", "2", "12"):
            lines = subprocess.run([sys.executable, SENSORS / "machine.py", *arguments], check=True, capture_output=True).stdout
            (self.folder / f"{name}.jsonl").write_bytes(lines)
            self.carrack("data", "convert", f"{name}.jsonl", "--to", f"{name}.tfrecord")
        self.store.put("sensors/healthy.tfrecord", (self.folder / "healthy.tfrecord").read_bytes())
        # Data in a bucket would be shuffled in blocks by default.
        laptop = ((SENSORS / "job.yaml").read_text().replace("epochs: 20", "epochs: 120")
                  .replace("[healthy.tfrecord]", "[healthy.tfrecord], stages: [shuffle: {kind: Full}]"))
        self.assertIn("kind: Full", laptop)
        (self.folder / "laptop.yaml").write_text(laptop)
        self.carrack("run", "laptop.yaml")
        folder = f"gs://{on_cluster.BUCKET}/sensors-out"
        on_kubernetes = laptop
        for ours, theirs in [("strategy: Single", job.parameter_server(2, 2, SMALL)),
                             ("healthy.tfrecord", f'"gs://{on_cluster.BUCKET}/sensors/healthy.tfrecord"'),
                             ("folder: checkpoints", f'folder: "{folder}", everySteps: 100')]:
            self.assertIn(ours, on_kubernetes)
            on_kubernetes = on_kubernetes.replace(ours, theirs)
        applied = on_cluster.Job(self.team, on_kubernetes)
        for victim in ("worker", "ps", "coordinator"):
            self.wait_for_work_to_lose(applied, self.checkpoints("sensors-out"))
            applied.delete_pod(victim)
        applied.wait("Succeeded", 400)
        predicted = self.carrack("predict", folder, "today.tfrecord")
        self.assertEqual(predicted, self.carrack("predict", "checkpoints", "today.tfrecord"))
        self.carrack("export", folder, "--to", "model")
        served = json.loads(tensorflow_program.run(SERVE, self.folder / "model", self.folder / "today.tfrecord"))
        ours = [json.loads(line) for line in predicted.splitlines()]
        self.assertEqual(len(ours), 300)
        for line, error, errors in zip(ours, served["error"], served["errors"], strict=True):
            for one, other in [(line["loss"], error), *zip(line["errors"], errors, strict=True)]:
                self.assertLess(abs(one - other), 1e-5 * max(1, abs(one)), line["record"])

    def carrack(self, *arguments: str) -> str:
        """What the command prints, in this machine's folder, with the cluster's bucket."""
        environment = os.environ | {"STORAGE_EMULATOR_HOST": self.store.outside}
        done = subprocess.run([job.BIN / "carrack", *arguments], cwd=self.folder, env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, f"carrack {arguments}\n{done.stderr}")
        return done.stdout

    def test_a_deleted_parameter_server_is_back_within_seconds(self):
        """Measures five times how long it takes from the request to delete its pod to the next step of the job."""
        tally.write_records(self.folder / "back", RECORDS)
        for file in (self.folder / "back").glob("*.tfrecord"):
            self.store.put(f"back/{file.name}", file.read_bytes())
        checkpoints = self.checkpoints("back-out")
        spec = tally.Tally(f"gs://{on_cluster.BUCKET}/back", checkpoints.url, RECORDS, 10_000, BATCH, EVERY_STEPS,
                         job.parameter_server(2, 2, SMALL))
        applied = on_cluster.Job(self.team, spec.manifest().replace("name: tally", "name: back"))
        with applied.watched() as pods:
            durations = [self.replace_server(applied, checkpoints, pods, incarnation) for incarnation in range(2, 7)]
        applied.delete()
        for split in durations:
            print("ps replaced:", *(f"{what} {seconds:.2f} s" for what, seconds in split.items()), flush=True)
        median = statistics.median(split["in all"] for split in durations)
        print(f"ps replaced: median of {len(durations)}: {median:.2f} s", flush=True)
        self.assertLess(median, 15)

    def replace_server(self, applied: on_cluster.Job, checkpoints: InBucket, pods: on_cluster.PodTimes,
                 incarnation: int) -> dict[str, float]:
        """The durations of its parts, in seconds."""
        self.wait_for_work_to_lose(applied, checkpoints)
        deleted = time.monotonic()
        replacement = applied.delete_pod("ps").rpartition("-")[0] + f"-{incarnation}"
        created, scheduled, running = (pods.when(replacement, what) for what in ("created", "scheduled", "running"))
        at = applied.step()
        while applied.step() <= at:
            at = min(at, applied.step())  # It returns to the last commit first.
            if time.monotonic() > running + 60:
                self.fail(f"it does not continue\n{applied.describe()}")
            time.sleep(0.01)
        goes_on = time.monotonic()
        return {"detect": created - deleted, "schedule": scheduled - created, "start": running - scheduled,
                "restore": goes_on - running, "in all": goes_on - deleted}


if __name__ == "__main__":
    unittest.main(verbosity=2)
