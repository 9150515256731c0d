"""Carrack against PyTorch: the same steps from the same weights, and losses that are as good after training."""

import itertools
import json
import statistics
import subprocess
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import networks
from checkpoints import InFiles
from interop import peers, tensorflow_program

PROGRAM = Path(__file__).with_name("networks_torch.py")
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
        tensorflow_program.run(networks.WRITE, cls.data)

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


if __name__ == "__main__":
    unittest.main()
