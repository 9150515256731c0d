"""A worker that should compute on a GPU, on a machine without one: the `cuda_dev` build says what is missing."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from support import machine

TRAINER = machine.REPOSITORY / "build" / "cuda_dev" / "bin" / "carrack-trainer"
CARRACK = Path(os.environ["CARRACK_BUILD"]) / "bin" / "carrack"

if not TRAINER.exists():
    machine.skip(f"{TRAINER} is not there; `./dev build cuda_dev` makes it")
if subprocess.run(["sh", "-c", "nvidia-smi -L"], capture_output=True).returncode == 0:
    machine.skip("there is a GPU")

MANIFEST = """
apiVersion: carrack.dev/v1alpha1
kind: TrainingJob
metadata: {name: line}
spec:
  strategy: Single
  replicas: {worker: {resources: {limits: {nvidia.com/gpu: 1}}}}
  model: {kind: LinearRegression, input: x, target: "y"}
  data: {train: {files: [line.tfrecord]}, features: {x: {type: float32, size: 1}, "y": {type: float32}}}
  training: {batch: 2, epochs: 1, optimizer: {kind: SGD, learningRate: 0.1}}
  checkpoint: {folder: out}
  run: {backoffLimit: 0}
"""


class NoDevice(unittest.TestCase):
    def test_is_said_in_words(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "line.csv").write_text("x,y\n1,2\n2,4\n")
            (Path(folder) / "job.yaml").write_text(MANIFEST)
            subprocess.run([CARRACK, "data", "convert", "line.csv", "--to", "line.tfrecord", "--types", "x=float32,y=float32"],
                           cwd=folder, check=True, capture_output=True)
            done = subprocess.run([CARRACK, "run", "job.yaml", "--trainer", TRAINER], cwd=folder, capture_output=True, text=True,
                                  timeout=60)
            self.assertRegex(done.stdout + done.stderr,
                             "PlatformError: spec.replicas.worker.resources.limits.nvidia.com/gpu: this process sees no GPU; look whether "
                             "nvidia-smi lists one on its machine, and whether the driver is recent enough for CUDA [0-9.]+\\n")
            self.assertEqual(done.returncode, 1)


if __name__ == "__main__":
    unittest.main()
