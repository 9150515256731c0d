"""Commands on a job with a model of kind Own. Its workers are here a shell script: what they print and how they end."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from dataloader.cli.records import example, file

BIN = Path(os.environ["CARRACK_BUILD"]) / "bin"

JOB = """apiVersion: carrack.dev/v1alpha1
kind: TrainingJob
metadata: {name: fit}
spec:
  strategy: ParameterServer
  replicas:
    ps: {count: 2}
    worker:
      count: 1
      template: {spec: {containers: [{name: trainer, image: mine, command: [sh, fit.sh], env: [{name: LEVEL, value: high}]}]}}
  model:
    kind: Own
    tensors:
    - {name: fc.weight, shape: [64, 128], initial: {kind: Uniform, scale: 0.01}}
    - {name: fc.bias, shape: [64]}
  data: {train: {files: [data.tfrecord]}, features: {x: {type: float32, size: 2}, label: {type: int64}}}
  training: {batch: 8, optimizer: {kind: Adam}}
"""
NO_CLUSTER = {"HOME": "/nowhere", "KUBECONFIG": ""}


class OwnWorkers(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.folder / "data.tfrecord").write_bytes(file(*[example(x=[0.5, 1.0], label=[n]) for n in range(16)]))
        (self.folder / "job.yaml").write_text(JOB)

    def carrack(self, *arguments: str, code: int = 0) -> subprocess.CompletedProcess:
        done = subprocess.run([BIN / "carrack", *arguments], cwd=self.folder, env=os.environ | NO_CLUSTER, capture_output=True,
                              text=True, timeout=120)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def run_with(self, script: str) -> str:
        """Runs a job that fails, and returns what is said."""
        (self.folder / "fit.sh").write_text(script)
        return self.carrack("run", "job.yaml", "--folder", "run", code=1).stdout

    def test_a_worker_is_launched_as_a_member_and_ends_the_job_with_exit_code_81(self):
        said = self.run_with("""
test -s "$CARRACK_KEYS/key" && grep -q "model.tensor Uniform 0.01 true 64,128 fc.weight" "$CARRACK_CONFIG" || exit 3
echo "$CARRACK_ROLE $CARRACK_INDEX at level $LEVEL does not like ${CARRACK_COORDINATOR%%:*}" >&2
exit 81
""")
        self.assertTrue(said.startswith("spec.replicas.worker.template: runs its command on this machine, without its image and "
                                        "volumes\n"), said)
        self.assertIn("Failed (UserError): worker 0: UserError: worker 0 at level high does not like shm\n", said)

    def test_a_worker_that_ends_with_another_code_is_started_again(self):
        said = self.run_with("""
test "$CARRACK_INCARNATION" = 2 && echo "the second start" && exit 81
echo "Traceback: no such thing"
exit 1
""")
        self.assertIn("Failed (UserError): worker 0: UserError: the second start\n", said)
        first, = (self.folder / "run/logs").glob("*-worker-0-0-1.log")
        self.assertEqual(first.read_text(), "Traceback: no such thing\n")

    def test_a_program_that_is_not_there_is_named_before_anything_starts(self):
        (self.folder / "job.yaml").write_text(JOB.replace("[sh, fit.sh]", "[no-such-program]"))
        refused = self.carrack("run", "job.yaml", "--folder", "run", code=2)
        self.assertEqual(refused.stderr, "job.yaml: spec.replicas.worker.template.spec.containers[0].command[0]: 'no-such-program' is not a "
                                         "program on this machine; the image is not used here (line 10)\n")
        self.assertFalse((self.folder / "run").exists())

    def test_its_data_is_looked_at(self):
        self.assertEqual(self.carrack("validate", "job.yaml").stdout,
                         "job.yaml: is valid; 1 file, features label (int64), x (float32, 2)\n")
        (self.folder / "job.yaml").write_text(JOB.replace("size: 2", "size: 3"))
        self.assertIn("job.yaml: spec.data.features.x.size: is 3, but ", self.carrack("validate", "job.yaml", code=2).stderr)

    def test_its_plan_has_the_memory_of_servers_and_not_that_of_the_program(self):
        printed = self.carrack("plan", "job.yaml").stdout
        self.assertRegex(printed, r"\nthe job's program +2 +8,256\n")
        self.assertIn("\nmemory of each of 2 parameter servers\n", printed)
        self.assertIn("\nmemory of the worker, without what its program takes\n  parameters ", printed)
        self.assertNotIn("results of the layers", printed)
        self.assertNotIn("worker.resources", printed)

    def test_a_step_of_it_cannot_be_computed(self):
        self.assertEqual(self.carrack("step", "job.yaml", code=2).stderr,
                         "carrack step: spec.model.kind is Own; only the job's program can compute the model\n")

    def test_what_needs_a_model_that_carrack_computes_is_refused(self):
        text = JOB.replace("data: {", "data: {eval: {files: [data.tfrecord]}, ").replace("batch: 8", "batch: 8, deterministic: true, patience: 2")
        (self.folder / "job.yaml").write_text(text)
        self.assertEqual(self.carrack("validate", "job.yaml", code=2).stderr.splitlines(), [
            "job.yaml: spec.training.deterministic: is true, and how the program of a model of kind Own rounds is not known; leave it out "
            "(line 17)",
            "job.yaml: spec.data.eval: needs a model that Carrack computes, and one of kind Own is computed by the job's program; leave it "
            "out (line 16)",
            "job.yaml: spec.training.patience: counts evaluations, and a model of kind Own has none; leave it out (line 17)"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
