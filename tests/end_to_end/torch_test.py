"""Carrack against PyTorch: the same steps from the same weights, and losses and accuracies that are as good after training."""

import itertools
import json
import statistics
import subprocess
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Callable

import job
import networks
import shapes
from checkpoints import InFiles
from interop import peers, tensorflow_program

PROGRAM = Path(__file__).with_name("networks_torch.py")
IMAGES_PROGRAM = Path(__file__).with_name("shapes_torch.py")
AT_ONCE = 2

# Writes the records and checkpoints as numpy's archives: NUMBER.npz for the NUMBERth prefix.
DUMP = networks.READ + """
data, folder, *prefixes = sys.argv[1:]
np.savez(folder + "/records.npz", **{name: column.numpy() for name, column in columns(data).items() if column.dtype != tf.string})
for number, prefix in enumerate(prefixes):
    reader = tf.train.load_checkpoint(prefix)
    arrays = {name: reader.get_tensor(name) for name in reader.get_variable_to_shape_map()}
    np.savez(f"{folder}/{number}.npz", **{name: array for name, array in arrays.items() if isinstance(array, np.ndarray)})
"""

OPTIMIZERS = {  # as in networks_torch.py
    "SGD": "kind: SGD, learningRate: 0.1",
    "momentum": "kind: SGD, learningRate: 0.02, momentum: 0.9",
    "nesterov": "kind: SGD, learningRate: 0.02, momentum: 0.9, nesterov: true",
    "RMSProp": "kind: RMSProp, learningRate: 0.005, epsilon: 1e-30",  # which PyTorch adds behind the root
    "Adam": "kind: Adam, learningRate: 0.01",
    "AdamW": "kind: AdamW, learningRate: 0.01, weightDecay: 0.1",
    "Adagrad": "kind: Adagrad, learningRate: 0.05, initialAccumulator: 0.1",
}
LANES = [1, 8]
SEEDS, RUNS, EPOCHS = 5, 20, 40


class Torch(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.python = peers.installed_python("torch")
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.data = cls.folder / "spiral.tfrecord"
        tensorflow_program.write(networks.WRITE, cls.data)

    def trained(self, jobs: list[dict]) -> list[InFiles]:
        """Each of a network, with fields of its manifest."""
        def train(one: dict) -> InFiles:
            layers, loss = networks.NETWORKS[one.pop("network")]
            return networks.train(Path(tempfile.mkdtemp(dir=self.folder)), self.data, layers, loss, deterministic="true", **one)

        with ThreadPoolExecutor(AT_ONCE) as pool:
            return list(pool.map(train, jobs))

    def torch(self, how: str, *arguments: object) -> list:
        command = [self.python, PROGRAM, how, self.folder, *map(str, arguments)]
        printed = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout
        return [json.loads(line) for line in printed.splitlines()]

    def test_takes_the_steps_that_pytorch_takes(self):
        cases = list(itertools.product(["classes", "windows", "norms", "masks", "ways", "numbers", "transformer"], OPTIMIZERS, LANES))
        ended = self.trained([{"network": network, "optimizer": OPTIMIZERS[kind], "more": f", lanes: {lanes}"}
                              for network, kind, lanes in cases])
        prefixes = [networks.prefix_at(checkpoints, step) for checkpoints in ended for step in (1, 11)]
        tensorflow_program.run(DUMP, self.data, self.folder, *prefixes)
        judged = self.torch("steps", *itertools.chain(*((network, kind, 2 * number, 2 * number + 1)
                                                        for number, (network, kind, _) in enumerate(cases))))
        self.assertEqual(len(judged), len(cases))
        for case, differences in zip(cases, judged):
            for tensor, difference in differences.items():
                with self.subTest(case=case, tensor=tensor):
                    self.assertLessEqual(difference, 1e-3)
        print(f"{len(cases)} jobs: furthest apart {max(max(differences.values()) for differences in judged):.1e}")

    def test_ends_with_the_loss_that_pytorch_ends_with(self):
        for network in ["classes", "autoencoder", "transformer"]:
            fields = {"optimizer": "kind: Adam, learningRate: 0.01", "epochs": EPOCHS, "every_steps": 100_000, "stages": "[shuffle: {}]"}
            ended = self.trained([{"network": network, "more": f", seed: {seed}", **fields} for seed in range(SEEDS)])
            prefixes = [str(checkpoints.last("manifest")[0]).removesuffix(".manifest") for checkpoints in ended]
            tensorflow_program.run(DUMP, self.data, self.folder, *prefixes)
            [found] = self.torch("losses", network, RUNS, EPOCHS, *range(SEEDS))
            ours, theirs, deviation = statistics.mean(found["ours"]), statistics.mean(found["theirs"]), statistics.stdev(found["theirs"])
            print(f"{network}: loss {ours:.5f}, PyTorch's {theirs:.5f} with a deviation of {deviation:.5f}")
            self.assertEqual((len(found["ours"]), len(found["theirs"])), (SEEDS, RUNS))
            self.assertLess(abs(ours - theirs), deviation, network)


class TorchOfImages(unittest.TestCase):
    """Residual networks of images of shapes."""

    @classmethod
    def setUpClass(cls):
        cls.python = peers.installed_python("torch")
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))

    def records(self, name: str, seed: int, count: int, size: int, noise: int) -> Path:
        path = self.folder / f"{name}.tfrecord"
        tensorflow_program.run(shapes.WRITE, path, *map(str, (seed, count, size, noise)))
        return path

    def train(self, layers: list[dict], data: Path, size: int, training: dict, stages: list, every_steps: int) -> InFiles:
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        checkpoints = InFiles(folder / "checkpoints")
        with job.Run(folder, shapes.manifest(layers, data, size, checkpoints.url, training, stages, every_steps)) as run:
            run.finish(timeout=600)
        return checkpoints

    def dump(self, prefixes: list[str]) -> list[Path]:
        """The checkpoints as numpy's archives."""
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        tensorflow_program.run(shapes.DUMP, folder, *prefixes)
        return [folder / f"{number}.npz" for number in range(len(prefixes))]

    def torch(self, how: str, *arguments: object) -> dict:
        command = [self.python, IMAGES_PROGRAM, how, *map(str, arguments)]
        return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout)

    def steps(self, layers: Callable[[int], list[dict]], kinks: bool, lanes: int) -> dict:
        """How far the change of each tensor over ten steps is from that in double precision: ours, and PyTorch's in single."""
        size, batch, steps = 64, 16, 10
        data = self.records("resnet18", 1, 2 * steps * batch, size, 30)
        training = {"batch": batch, "epochs": 1, "deterministic": True, "lanes": lanes,
                    "optimizer": {"kind": "SGD", "learningRate": 0.02, "momentum": 0.9}}
        checkpoints = self.train(layers(size), data, size, training, [], steps)
        archives = self.dump([networks.prefix_at(checkpoints, step) for step in (steps, 2 * steps)])
        found = self.torch("steps", f"{data}.npz", batch, steps, lanes, int(kinks), *archives)
        self.assertEqual(len(found["ours"]), 20 + 2 * 20 + 2, "tensors of convolutions, of BatchNorm and of the last layer")
        return found

    def test_takes_the_steps_of_a_resnet_18_without_kinks(self):
        for lanes in (1, 4):
            found = self.steps(lambda size: shapes.without_kinks(shapes.resnet18_layers(size)), False, lanes)
            print(f"ResNet-18 without kinks, {lanes} lanes: furthest apart {max(found['ours'].values()):.1e}")
            for tensor, difference in found["ours"].items():
                with self.subTest(lanes=lanes, tensor=tensor):
                    self.assertLessEqual(difference, 1e-3)

    def test_takes_the_steps_of_a_resnet_18_as_exactly_as_pytorch(self):
        """Where a value is nearly 0 before a ReLU, or two of a window are nearly equal, rounding decides which way a gradient goes.
        So also PyTorch's steps in single precision are a few hundredths from those in double."""
        found = self.steps(shapes.resnet18_layers, True, 4)
        ours, single = (statistics.median(found[side].values()) for side in ("ours", "single"))
        print(f"ResNet-18: half of the tensors nearer than {ours:.1e} to double precision, PyTorch's {single:.1e}")
        self.assertLess(ours, 2 * single)

    def test_recognizes_as_many_shapes_as_pytorch_does(self):
        size, batch, epochs, noise, count, runs = 24, 16, 10, 40, 600, 10
        train, test = self.records("train", 1, count, size, noise), self.records("test", 2, 1000, size, noise)
        schedule = {"kind": "Cosine", "steps": epochs * -(-count // batch), "final": 0}

        def trained(seed: int) -> InFiles:
            training = {"batch": batch, "epochs": epochs, "optimizer": {"kind": "Adam", "learningRate": 0.003}, "schedule": schedule, "seed": seed}
            return self.train(shapes.small_layers(size), train, size, training, [{"shuffle": {}}], 100_000)

        with ThreadPoolExecutor(AT_ONCE) as pool:
            ended = list(pool.map(trained, range(SEEDS)))
        archives = self.dump([str(one.last("manifest")[0]).removesuffix(".manifest") for one in ended])
        found = self.torch("accuracies", f"{train}.npz", f"{test}.npz", batch, epochs, runs, *archives)
        ours, theirs, deviation = statistics.mean(found["ours"]), statistics.mean(found["theirs"]), statistics.stdev(found["theirs"])
        print(f"residual network: accuracy {ours:.3f}, PyTorch's {theirs:.3f} with a deviation of {deviation:.3f}")
        self.assertEqual((len(found["ours"]), len(found["theirs"])), (SEEDS, runs))
        self.assertGreater(theirs, 0.7, "one in three is right without training")
        self.assertLess(abs(ours - theirs), deviation)


if __name__ == "__main__":
    unittest.main()
