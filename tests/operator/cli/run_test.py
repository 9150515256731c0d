"""`carrack run` refuses a manifest that cannot be run before it starts or writes anything."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

BIN = Path(os.environ["CARRACK_BUILD"]) / "bin"

MANIFEST = """
apiVersion: carrack.dev/v1alpha1
kind: TrainingJob
metadata: {name: line}
spec:
  strategy: ParameterServer
  replicas: {ps: {count: 5}}
  model: {kind: LinearRegression, input: x, target: y}
  data: {train: {files: [line.tfrecord]}, features: {x: {type: float32, size: 5000}, y: {type: float32}}}
  training: {batch: 32, optimizer: {kind: SGD}}
"""


class Run(unittest.TestCase):
    def refused(self, text: str, problems: list[str]) -> None:
        with tempfile.TemporaryDirectory() as folder:
            manifest = Path(folder, "job.yaml")
            manifest.write_text(text)
            done = subprocess.run([BIN / "carrack", "run", "job.yaml"], cwd=folder, capture_output=True, text=True, timeout=10)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertEqual(done.stderr, "".join(f"job.yaml: {problem}\n" for problem in problems))
            self.assertEqual(list(Path(folder).iterdir()), [manifest], "something was written")

    def test_more_parameter_servers_than_the_model_has_blocks(self):
        self.refused(MANIFEST, ["spec.replicas.ps: is 5; the model has 3 blocks of parameters, so at most 3"])

    def test_a_model_of_features_that_are_not_there_beside_what_else_is_wrong(self):
        self.refused(MANIFEST.replace("input: x", "input: z").replace("batch: 32", "batch: 0"),
                     ["spec.model.input: 'z' is none of spec.data.features", "spec.training.batch: is 0; at least 1"])


if __name__ == "__main__":
    unittest.main()
