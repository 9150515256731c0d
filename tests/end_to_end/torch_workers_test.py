"""Programs of PyTorch as workers of Carrack's parameter servers: `./dev test long.torch`."""

import json
import subprocess
import tempfile
import unittest
from pathlib import Path

from checkpoints import InFiles
from interop import peers, tensorflow_program
from interop.tensorflow_program import EXAMPLES
from launched import Launched, Spec
from package import PROGRAMS, Programs

TORCH = peers.installed_python("torch")

WRITE_CLASSES = EXAMPLES + """
import random
random.seed(1)
path, records = sys.argv[1], int(sys.argv[2])
write(path, ({"x": [random.gauss(record % 3 * (place % 3), 0.5) for place in range(8)], "y": [record % 3]} for record in range(records)))
"""

WRITE_PICTURES = EXAMPLES + """
import numpy as np
random = np.random.default_rng(1)
path, records = sys.argv[1], int(sys.argv[2])
write(path, ({"image": random.random(3 * 32 * 32).tolist(), "label": [record % 10]} for record in range(records)))
"""

# What PyTorch and TensorFlow read in a checkpoint: both print all values of the tensors, by name.
READ_TORCH = """
import carrack, json, sys, torch
found = carrack.load_checkpoint(sys.argv[1], optimizer=True)
assert all(isinstance(one, torch.Tensor) for one in found.values())
print(json.dumps({name: one.flatten().tolist() for name, one in found.items()}))
"""
READ_TENSORFLOW = """
import json, sys
import tensorflow as tf
reader = tf.train.load_checkpoint(sys.argv[1])
print(json.dumps({name: reader.get_tensor(name).flatten().tolist() for name in reader.get_variable_to_shape_map()}))
"""


def launch_line(line: str) -> str:
    """A line of `python -m carrack tensors` as one of the launch file."""
    name, shape = line.removeprefix("- {name: ").split(", shape: [")
    trained = "false" if line.endswith("trained: false}") else "true"
    shape = shape.split("]")[0].replace(" ", "")
    return f"Constant 0 {trained} {shape or '-'} {name}"


class Torch(Programs, unittest.TestCase):
    def torch(self, program: str, *arguments: object) -> str:
        command = [TORCH, *(["-c", program] if "\n" in program else [PROGRAMS / program]), *map(str, arguments)]
        return subprocess.run(command, env=self.environment, stdout=subprocess.PIPE, check=True, text=True).stdout

    def torch_spec(self, program: str, features: list[str], data: Path, **fields) -> Spec:
        """Of the tensors that `python -m carrack tensors` prints for the program's module, beginning with its values."""
        weights = self.folder / "initial.safetensors"
        self.torch(f"{program}.py", weights)
        module = {"mlp": "Net", "resnet18": "ResNet18"}[program]
        printed = subprocess.run([TORCH, "-m", "carrack", "tensors", f"{program}:{module}"], cwd=PROGRAMS,
                                 env=self.environment, stdout=subprocess.PIPE, check=True, text=True).stdout
        return Spec([launch_line(line) for line in printed.splitlines()[1:]], features, [data], self.checkpoints.folder,
                    initial_weights=str(weights), **fields)

    def losses(self, job: Launched) -> dict[int, float]:
        """By step, those that any worker has printed."""
        lines = [line.split() for index in range(2) for line in job.log(job.member("worker", index)).splitlines()]
        return {int(words[1]): float(words[3]) for words in lines if words[0] == "step"}

    def expect_read_alike(self) -> dict[str, list[float]]:
        """PyTorch and TensorFlow read the same from the last checkpoint. Returns it."""
        by_torch = json.loads(self.torch(READ_TORCH, self.checkpoints.folder))
        prefix = str(self.checkpoints.last("manifest")[0]).removesuffix(".manifest")
        by_tensorflow = json.loads(tensorflow_program.run(READ_TENSORFLOW, prefix))
        self.assertEqual(by_torch, by_tensorflow)
        return by_torch

    def test_a_network_learns(self):
        data = self.folder / "classes.tfrecord"
        tensorflow_program.run(WRITE_CLASSES, data, "3000")
        features = ["float32 8 x", "int64 1 y"]
        for consistency, clip_norm in [("Sync", "-"), ("Async", "5")]:
            with self.subTest(consistency), tempfile.TemporaryDirectory() as folder:
                self.folder, self.checkpoints = Path(folder), InFiles(Path(folder) / "checkpoints")
                spec = self.torch_spec("mlp", features, data, batch=60, epochs=4, learning_rate=0.1, momentum=0.9,
                                       consistency=consistency, clip_norm=clip_norm, servers=1)
                with Launched(self.folder, spec, [TORCH, PROGRAMS / "mlp.py"], self.environment) as job:
                    job.finish()
                    losses = self.losses(job)
                    self.assertNotIn("Warning", job.logs())
                first, last = losses[min(losses)], losses[max(losses)]
                print(f"{consistency}: loss {first} at step {min(losses)}, {last} at step {max(losses)}", flush=True)
                self.assertGreater(first, 0.8)
                self.assertLess(last, 0.2)
                found = self.expect_read_alike()
                self.assertTrue(any(found["fc1.weight/SGD/momentum"]))
                self.assertFalse(any(found["bn1.running_mean/SGD/momentum"]), "the optimizer has changed the running mean")
                self.assertTrue(all(found["bn1.running_mean"]), "the running mean has followed the batches")

    def test_resnet18_takes_steps(self):
        data = self.folder / "pictures.tfrecord"
        tensorflow_program.run(WRITE_PICTURES, data, "32")
        spec = self.torch_spec("resnet18", ["shaped float32 3,32,32 image", "int64 1 label"], data, batch=16, epochs=2,
                               learning_rate=0.01)
        job = self.launched(spec, [TORCH, PROGRAMS / "resnet18.py"])
        job.finish()
        found = self.expect_read_alike()
        self.assertEqual(sum(map(len, found.values())), 11_183_562)  # Its parameters, and the averages of its BatchNorms.
        self.assertEqual(len(self.losses(job)), 4)

    def test_what_is_bound_must_be_the_model(self):
        data = self.folder / "classes.tfrecord"
        tensorflow_program.run(WRITE_CLASSES, data, "60")
        spec = self.torch_spec("mlp", ["float32 8 x", "int64 1 y"], data, batch=60, epochs=1, learning_rate=0.1, servers=1, workers=1)
        changes = {
            "Constant 0 true 3 fc3.bias": "bind: spec.model.tensors has 'fc3.bias', which is no parameter of the module, and no buffer "
                                          "of its state",
            "Constant 0 true 4 fc2.bias": "bind: 'fc2.bias' has the shape [3] in the module, and [4] in spec.model.tensors",
            "Constant 0 true 64 bn1.running_var": "bind: 'bn1.running_var' is a buffer of the module, so it needs `trained: false` in "
                                                  "spec.model.tensors",
            None: "bind: spec.model.tensors lacks 'fc2.bias' of the module; `python -m carrack tensors` prints all of them",
        }
        for line, message in changes.items():
            name = line.split()[-1] if line else "fc2.bias"
            tensors = [one for one in spec.tensors if not one.endswith(f" {name}")] + ([line] if line else [])
            with self.subTest(line), tempfile.TemporaryDirectory() as folder:
                changed = spec._replace(tensors=tensors, initial_weights="", checkpoints=Path(folder) / "checkpoints")
                with Launched(Path(folder), changed, [TORCH, PROGRAMS / "mlp.py"], self.environment) as job:
                    worker = job.member("worker")
                    worker.process.wait(60)
                    self.assertEqual((worker.process.returncode, job.log(worker).splitlines()[-1]), (81, message))

    def test_the_package_works_beside_it(self):
        for order in ["import torch, carrack", "import carrack; carrack._library.library(); import torch"]:
            with self.subTest(order):
                self.assertEqual(self.torch(f"{order}\nprint(carrack._library.last_error() == '')"), "True\n")


if __name__ == "__main__":
    unittest.main()
