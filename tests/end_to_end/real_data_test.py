"""Networks learn rows of real data as well as PyTorch does with the same layers, judged on rows that are kept apart:
scikit-learn's digits (classes) and diabetes (a number)."""

import json
import statistics
import subprocess
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import job
from interop import peers, tensorflow_program

SEEDS, RUNS, AT_ONCE = 5, 20, 2

# Both sets with values near 1, in rows to train on and rows to judge by.
SPLIT = """
import sys
import numpy as np
from sklearn import datasets, model_selection
folder = sys.argv[1]
digits, diabetes = datasets.load_digits(), datasets.load_diabetes()
wanted = (diabetes.target - diabetes.target.mean()) / diabetes.target.std()
for name, x, y in ("digits", digits.data / 16, digits.target), ("diabetes", diabetes.data * 21, wanted):
    train_x, test_x, train_y, test_y = model_selection.train_test_split(x.astype(np.float32), y, test_size=0.3, random_state=1)
    np.savez(f"{folder}/{name}.npz", train_x=train_x, test_x=test_x, train_y=train_y, test_y=test_y)
"""

RECORDS = tensorflow_program.EXAMPLES + """
import numpy as np
folder = sys.argv[1]
for name, as_target in ("digits", int), ("diabetes", float):
    arrays = np.load(f"{folder}/{name}.npz")
    for part in "train", "test":
        write(f"{folder}/{name}-{part}.tfrecord", ({"x": [float(one) for one in x], "y": [as_target(y)]}
                                                   for x, y in zip(arrays[part + "_x"], arrays[part + "_y"])))
"""

# Prints the metric of each run on the rows that are kept apart.
TORCH = """
import json, sys
import numpy as np
import torch
from torch import nn
from torch.nn import functional
torch.set_num_threads(1)
path, name, units, batch, epochs, rate, runs = sys.argv[1:2] + sys.argv[2:3] + [float(one) for one in sys.argv[3:]]
arrays = {key: torch.from_numpy(value) for key, value in np.load(path).items()}
is_classes = name == "digits"
found = []
for seed in range(int(runs)):
    torch.manual_seed(seed)
    layers = [nn.Linear(arrays["train_x"].shape[1], int(units)), nn.ReLU(), nn.Linear(int(units), 10 if is_classes else 1)]
    for layer in layers[::2]:
        nn.init.xavier_uniform_(layer.weight)
        nn.init.zeros_(layer.bias)
    network = nn.Sequential(*layers)
    optimizer = torch.optim.Adam(network.parameters(), rate, eps=1e-7)
    for _ in range(int(epochs)):
        for rows in torch.randperm(len(arrays["train_x"])).split(int(batch)):
            optimizer.zero_grad()
            outputs, wanted = network(arrays["train_x"][rows]), arrays["train_y"][rows]
            loss = functional.cross_entropy(outputs, wanted) if is_classes else functional.mse_loss(outputs[:, 0], wanted.float())
            loss.backward()
            optimizer.step()
    with torch.no_grad():
        outputs = network(arrays["test_x"])
    if is_classes:
        found.append((outputs.argmax(1) == arrays["test_y"]).double().mean().item())
    else:
        found.append(functional.mse_loss(outputs[:, 0], arrays["test_y"].float()).item())
print(json.dumps(found))
"""

MANIFEST = """
apiVersion: carrack.dev/v1alpha1
kind: TrainingJob
metadata: {{name: {name}}}
spec:
  strategy: Single
  model:
    layers:
    - {{kind: Dense, inputs: [x], units: {units}, activation: ReLU}}
    - {{kind: Dense, units: {outputs}}}
    loss: {{kind: {loss}, target: "y"}}
  data:
    train: {{files: ["{folder}/{name}-train.tfrecord"]}}
    features: {{x: {{type: float32, size: {inputs}}}, "y": {{type: {type}}}}}
  training: {{batch: {batch}, epochs: {epochs}, seed: {seed}, optimizer: {{kind: Adam, learningRate: {rate}}}}}
  checkpoint: {{folder: "{checkpoints}"}}
"""


class Case(NamedTuple):
    name: str
    metric: str
    inputs: int
    outputs: int
    loss: str
    type: str
    units: int
    batch: int
    epochs: int
    rate: float


CASES = [Case("digits", "accuracy", 64, 10, "SoftmaxCrossEntropy", "int64", 32, 32, 15, 0.003),
         Case("diabetes", "mean squared error", 10, 1, "MSE", "float32", 16, 32, 40, 0.003)]


class RealData(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        subprocess.run([peers.installed_python("scikit-learn"), "-c", SPLIT, self.folder], check=True)
        tensorflow_program.run(RECORDS, self.folder)

    def metric(self, case: Case, seed: int) -> float:
        """Of one job, on the rows that it has not seen."""
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        manifest = MANIFEST.format(folder=self.folder, checkpoints=folder / "checkpoints", seed=seed, **case._asdict())
        with job.Run(folder, manifest) as run:
            run.finish()
        command = [job.BIN / "carrack", "predict", folder / "checkpoints", self.folder / f"{case.name}-test.tfrecord"]
        printed = subprocess.run(command, capture_output=True, text=True, check=True).stderr
        [value] = [one.removeprefix(case.metric) for one in printed.strip().partition(": ")[2].split(", ") if one.startswith(case.metric)]
        return float(value)

    def test_is_learned_as_well_as_by_pytorch(self):
        for case in CASES:
            with self.subTest(case.name):
                arguments = [self.folder / f"{case.name}.npz", case.name, case.units, case.batch, case.epochs, case.rate, RUNS]
                command = [peers.installed_python("torch"), "-c", TORCH, *map(str, arguments)]
                theirs = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
                with ThreadPoolExecutor(AT_ONCE) as pool:
                    ours = list(pool.map(lambda seed: self.metric(case, seed), range(SEEDS)))
                mean, expected, deviation = statistics.mean(ours), statistics.mean(theirs), statistics.stdev(theirs)
                print(f"{case.name}: {case.metric} {mean:.4f}, PyTorch's {expected:.4f} with a deviation of {deviation:.4f}")
                self.assertEqual((len(ours), len(theirs)), (SEEDS, RUNS))
                self.assertLess(abs(mean - expected), deviation)


if __name__ == "__main__":
    unittest.main()
