"""`carrack plan` says what a job will take. It reads the manifest alone: no file of the data is there in these tests."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

BIN = Path(os.environ["CARRACK_BUILD"]) / "bin"

JOB = """
apiVersion: carrack.dev/v1alpha1
kind: TrainingJob
metadata: {name: job}
spec:
  strategy: ParameterServer
  replicas: {ps: {count: 1}, worker: {count: 7REQUESTS}}
  model: {layers: [{kind: Dense, name: wide, inputs: [x], units: UNITS}, {kind: Dense, name: last, units: 1}],
          loss: {kind: MSE, target: "y"}}
  data: {train: {files: [not-there-*]}, features: {x: {type: float32, size: 1000}, "y": {type: float32}}}
  training: {batch: 320, deterministic: true, optimizer: {kind: Adam}}
"""


class Plan(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def plan(self, *arguments: str, code: int = 0, units: int = 10, requests: str = "", job: str = JOB) -> str:
        """What it prints: on one of both streams only."""
        (self.folder / "job.yaml").write_text(job.replace("UNITS", str(units)).replace("REQUESTS", requests))
        done = subprocess.run([BIN / "carrack", "plan", *arguments], cwd=self.folder, capture_output=True, text=True,
                              timeout=60)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertEqual(done.stdout if code else done.stderr, "")
        return done.stderr if code else done.stdout

    def test_prints_the_plan_and_leaves_nothing_behind(self):
        printed = self.plan("job.yaml")
        self.assertIn("in all                    4      10,021\n", printed)
        self.assertIn("a batch of 320 records in 8 lanes on 7 workers: 40 to 80 records each, 43% of the workers' time is waiting;"
                      " with training.lanes: 32 it is 9%\n", printed)
        self.assertIn("a checkpoint: 120.3 kB in 3 files, every 300 seconds\n", printed)
        self.assertNotIn("requests.memory", printed)
        self.assertEqual([file.name for file in self.folder.iterdir()], ["job.yaml"])

    def test_prints_what_the_reference_shows(self):
        root = Path(__file__).parents[3]
        shown = (root / "docs/reference/plan.md").read_text().split("```\n")[1].splitlines()
        example, *options = shown[0].removeprefix("$ carrack plan ").split()
        printed = self.plan(str(root / example), *options).splitlines()
        self.assertGreater(len(shown), 20)
        self.assertEqual([line for line in shown[1:] if line not in [*printed, "..."]], [])

    def test_makes_names_safe_for_a_terminal(self):
        refused = self.plan("job.yaml", code=2, job=JOB.replace("name: wide", 'name: "gr\\u00fc\\u001b[31m"'))
        self.assertIn("spec.model.layers[0].name: 'gr\u00fc\\x1b[31m' contains a blank, or a character that is not ASCII", refused)

    def test_says_how_little_a_single_process_requests(self):
        job = JOB[:JOB.index("  strategy")] + "  strategy: Single\n" + JOB[JOB.index("  model"):]
        self.assertNotIn("requests", self.plan("job.yaml", job=job))
        self.assertRegex(self.plan("job.yaml", units=50_000, job=job), "spec.replicas.worker.resources.requests.memory: is 512Mi, less ")

    def test_counts_a_worker_that_has_a_batch_alone(self):
        job = JOB.replace("batch: 320", "batch: 140000")
        self.assertRegex(self.plan("job.yaml", job=job), r"\nspec\.replicas\.worker\.resources\.requests\.memory: is 512Mi, less ")

    def test_counts_without_end(self):
        job = JOB.replace("size: 1000", "size: 8000000000").replace("batch: 320", "batch: 2147483647")
        self.assertIn("A worker takes 9223.4 PB while it is the only one.\n", self.plan("job.yaml", units=1, job=job))

    def test_counts_working_memory_by_cpus(self):
        one, many = (self.plan("job.yaml", "--cpus", cpus, units=1000) for cpus in ("1", "64"))
        self.assertNotEqual(one, many)
        self.assertIn("  65 batches that are read ahead ", many)

    def test_names_requests_of_memory_that_are_too_small(self):
        printed = self.plan("job.yaml", units=20_000)
        self.assertRegex(printed, r"\nspec\.replicas\.ps\.resources\.requests\.memory: is 256Mi, less than the process takes, with 30 MB "
                                  r"before it trains; give at least \d{3}Mi\n$")
        self.assertNotIn("worker.resources", printed)
        printed = self.plan("job.yaml", requests=", resources: {requests: {memory: 20Mi}}")
        self.assertRegex(printed, r"\nspec\.replicas\.worker\.resources\.requests\.memory: is 20Mi, .* at least \d\dMi\n$")
        printed = self.plan("job.yaml", requests=", resources: {requests: {memory: 20Mi}, limits: {memory: 21Mi}}")
        self.assertRegex(printed, r"\nspec\.replicas\.worker\.resources\.limits\.memory: is 21Mi, .* at least \d\dMi\n$")
        self.assertNotIn("limits", self.plan("job.yaml", requests=", resources: {requests: {memory: 1Mi}, limits: {memory: 1Gi}}"))

    def test_prints_what_is_wrong_with_the_manifest(self):
        printed = self.plan("job.yaml", code=2, units=0)
        self.assertEqual(printed, "job.yaml: spec.model.layers[0].units: is 0; must be from 1 to 1048576 (line 8)\n")
        self.assertIn("job.yaml: spec.model.layers: ", self.plan("job.yaml", code=2, job=JOB.replace("layers:", "layer:")))
        self.assertIn("carrack plan: missing.yaml: ", self.plan("missing.yaml", code=2))

    def test_plans_with_values_of_the_command_line(self):
        printed = self.plan("job.yaml", "--set", "spec.training.batch=64", "--set", "spec.model.layers.0.units=20")
        self.assertIn("in all                    4      20,041\n", printed)
        self.assertIn("a batch of 64 records", printed)
        self.assertEqual(self.plan("job.yaml", "--set", "spec.training.bacth=64", code=2),
                         "job.yaml: spec.training.bacth: is unknown; did you mean 'batch'? (--set spec.training.bacth)\n")

    def test_fails_if_its_output_cannot_be_written(self):
        (self.folder / "job.yaml").write_text(JOB.replace("UNITS", "10").replace("REQUESTS", ""))
        with open("/dev/full", "w") as full:
            done = subprocess.run([BIN / "carrack", "plan", "job.yaml"], cwd=self.folder, stdout=full, stderr=subprocess.PIPE,
                                  text=True, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "cannot write to standard output: No space left on device\n")

    def test_prints_what_is_wrong_with_the_command_line(self):
        for cpus in ("0", "1025", "two", "1.5", "-1"):
            self.assertEqual(self.plan("job.yaml", f"--cpus={cpus}", code=2),
                             f"carrack plan: --cpus: is '{cpus}'; must be a whole number from 1 to 1024\n")
        self.assertTrue(self.plan(code=2).startswith("usage: carrack plan MANIFEST "))
        self.assertTrue(self.plan("--help").startswith("usage: carrack plan MANIFEST "))
        self.assertIn("--cpu", self.plan("job.yaml", "--cpu", "2", code=2))


if __name__ == "__main__":
    unittest.main()
