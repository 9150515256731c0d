"""With `deterministic: true` a job ends with the same bits for 1, 2 and 3 workers, 1 and 2 parameter servers, in one
process, and through kills; also if it clips gradients by their norm, at whose points members are killed. Linear regressions of
3 and of 20,000 features with Adam; weights and optimizer state are compared by the manifest's digest. TensorFlow computes it
again, and checks that the model has learnt. Networks also end with the same bits for 1 to 4 workers, 1 to 3 parameter servers,
and one and two threads in each process."""

import itertools
import json
import os
import re
import signal
import subprocess
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import job
import line
import networks
from checkpoints import InFiles
from interop import tensorflow_program
from interop.tensorflow_program import DIGEST, EXAMPLES

AT_ONCE = 2
CPUS = os.sched_getaffinity(0)
BLOCK_BYTES = 4096 * 4

WRITE = EXAMPLES + """
import numpy as np
folder, records, features = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
random = np.random.default_rng(7)
truth = random.standard_normal(features).astype(np.float32) / np.sqrt(features)
for file in range(2):
    xs = (random.standard_normal(features).astype(np.float32) for record in range(file, records, 2))
    write(f"{folder}/line-{file}.tfrecord", ({"x": x, "y": [x @ truth + 0.5]} for x in xs))
"""

# Prints, for each folder's last checkpoint, the text of its digest, the loss before and after training, and the number of
# weights that are not zero.
READ = DIGEST + """
import glob, json
data, features = sys.argv[1], int(sys.argv[2])
layout = {"x": tf.io.FixedLenFeature([features], tf.float32), "y": tf.io.FixedLenFeature([], tf.float32)}
records = tf.data.TFRecordDataset(glob.glob(data + "/line-*.tfrecord")).batch(64).map(lambda r: tf.io.parse_example(r, layout))
x, y = map(np.concatenate, zip(*((r["x"].numpy(), r["y"].numpy()) for r in records)))
for folder in sys.argv[3:]:
    prefix = max(glob.glob(folder + "/*.index"), key=lambda name: int(name.split("-")[-4])).removesuffix(".index")
    weights = tf.train.load_checkpoint(prefix).get_tensor("w")
    bias = tf.train.load_checkpoint(prefix).get_tensor("b")
    print(json.dumps([digest(prefix), float(np.mean(y ** 2)), float(np.mean((x @ weights + bias - y) ** 2)),
                      int(np.count_nonzero(weights))]))
"""


# Passed only by jobs that clip by norm. The point, and the member that is killed there.
NORM_POINTS = [job.Point(f"{name}.{side}", role) for name, role in [
    ("ps.report_norm", "ps"), ("ps.norm_total", "ps"), ("send.norm", "ps"), ("coordinator.add_norm", "coordinator"),
    ("send.norm_total", "coordinator")] for side in ("before", "after")]


class Size(NamedTuple):
    features: int
    records: int
    epochs: int
    every_steps: int
    rate: float


SMALL = Size(features=3, records=2_000, epochs=8, every_steps=20, rate=0.02)
LARGE = Size(features=20_000, records=256, epochs=24, every_steps=7, rate=0.0002)
STRATEGIES = {f"{ps}-{workers}": job.parameter_server(ps, workers) for ps, workers in itertools.product([1, 2], [1, 2, 3])}
STRATEGIES["single"] = job.SINGLE
KILLS = [("2-3", ["worker", "ps", "coordinator"]), ("1-2", ["ps", "worker"]), ("single", ["worker"])]

# Each has more than three blocks of parameters.
NETWORKS = {
    "autoencoder": ("""
    - {kind: LSTM, inputs: [track], units: 32, returnSequences: true}
    - {kind: LSTM, units: 16}
    - {kind: RepeatVector, times: 4}
    - {kind: LSTM, units: 32, returnSequences: true}
    - {kind: TimeDistributed, units: 3}
""", "kind: MSE, target: track"),
    "mlp": ("""
    - {kind: Dense, inputs: [point], units: 128, activation: ReLU}
    - {kind: Dropout, rate: 0.1}
    - {kind: Dense, units: 112, activation: Tanh}
    - {kind: LayerNorm}
    - {kind: Dense, units: 3}
""", "kind: SoftmaxCrossEntropy, target: class, weight: importance"),
    "images": ("""
    - {kind: Reshape, inputs: [track], shape: [4, 3, 1]}
    - {kind: Conv2D, name: first, filters: 32, kernelSize: [3], padding: Same, bias: false}
    - {kind: BatchNorm}
    - {kind: Activation, name: before, activation: ReLU}
    - {kind: Conv2D, filters: 32, kernelSize: [3, 2], padding: Same, groups: 2, activation: SiLU}
    - {kind: Add, inputs: [before, conv2d]}
    - {kind: AveragePool2D, size: [2], strides: [1], padding: Same}
    - {kind: MaxPool2D, size: [2], strides: [1]}
    - {kind: Conv2D, name: last, filters: 16, kernelSize: [2], strides: [2, 1]}
    - {kind: Flatten}
    - {kind: Dense, units: 2}
""", "kind: MSE, target: point"),
    "transformer": ("""
    - {kind: Embedding, inputs: [question], vocabulary: 8, units: 48}
    - {kind: PositionEmbedding, name: tokens}
    - {kind: LayerNorm}
    - {kind: MultiHeadAttention, name: attention, heads: 4, keySize: 12}
    - {kind: Add, name: read, inputs: [tokens, attention]}
    - {kind: Dense, units: 96, activation: GELU}
    - {kind: Dense, name: inner, units: 48, activation: SiLU}
    - {kind: Add, inputs: [read, inner]}
    - {kind: Flatten}
    - {kind: Dense, units: 8}
""", "kind: SoftmaxCrossEntropy, target: answer"),
}


NETWORKS["batches"] = (NETWORKS["mlp"][0].replace("kind: LayerNorm", "kind: BatchNorm"), NETWORKS["mlp"][1])


class Way(NamedTuple):
    """How a network is trained."""
    strategy: str
    cpus: int
    victims: list[str]
    trainer: str = "carrack-trainer"
    epochs: int = 10
    small_gpus: bool = False


WAYS = [Way(job.SINGLE, 1, []), Way(job.SINGLE, 2, []), Way(job.parameter_server(1, 1), 2, []),
        Way(job.parameter_server(3, 1), 1, []), Way(job.parameter_server(2, 3), 2, ["worker"]), Way(job.parameter_server(3, 4), 1, [])]
GPU = "limits: {nvidia.com/gpu: 1}"
GPUS = "limits: {nvidia.com/gpu: 4}"
ON_CPUS = Way(job.SINGLE, 2, [], epochs=1)
# By CUDA kernels, which run on the CPU.
ON_GPUS = Way(job.parameter_server(1, 2, of_worker=GPU), 2, [], "carrack-trainer-cuda-on-cpu", epochs=1)
# The memory of each GPU is too small for the two of the eight lanes that it computes.
ON_SMALL_GPUS = Way(job.parameter_server(1, 1, of_worker=GPUS), 2, [], "carrack-trainer-cuda-on-cpu", epochs=1, small_gpus=True)


class Deterministic(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.data = self.folder / "data"
        self.data.mkdir()

    def train(self, size: Size, members: str, victims: list[str], more: str = "", point: job.Point | None = None) -> InFiles:
        folder = self.folder / "-".join([members, *victims, *(["clipped"] if more else []), *([point.name] if point else [])])
        checkpoints = InFiles(folder / "checkpoints")
        training = f"batch: 32, epochs: {size.epochs}, seed: 11, deterministic: true, " \
                   f"optimizer: {{kind: Adam, learningRate: {size.rate}}}{more}"
        manifest = line.manifest(STRATEGIES[members], f"{self.data}/line-*.tfrecord", checkpoints.url, training,
                                 size.every_steps, size.features)
        with job.Run(folder, manifest, point) as run:
            if point:
                self.kill_at(run, point, checkpoints)
            run.kill_in_turn(victims, checkpoints)
            run.finish()
            for role in victims:
                self.assertEqual(len(run.starts(role, 0)), 2, f"{folder.name}: {role} was not replaced")
        return checkpoints

    def kill_at(self, run: job.Run, point: job.Point, checkpoints: InFiles):
        def stopped() -> list[job.Start]:
            return [start for start in run.starts(point.role, point.index) if job.state_of(start) == "T"]

        run.expect(lambda: run.has_work_to_lose(checkpoints), 60, f"the job gets under way ({point.name})")
        run.arm()
        run.expect(lambda: bool(stopped()), 60, f"passes {point.name}")
        victims = stopped()
        run.disarm()
        for victim in victims:
            os.kill(victim.pid, signal.SIGKILL)

    def check_bits(self, size: Size) -> dict[str, InFiles]:
        """Compares all jobs. Returns the checkpoints of those without kills."""
        tensorflow_program.run(WRITE, self.data, str(size.records), str(size.features))
        jobs = [(members, []) for members in STRATEGIES] + KILLS
        with ThreadPoolExecutor(AT_ONCE) as pool:
            ended = list(pool.map(lambda one: self.train(size, *one), jobs))
        read = tensorflow_program.run(READ, self.data, str(size.features), *(checkpoints.folder for checkpoints in ended))
        results = [json.loads(printed) for printed in read.splitlines()]
        self.assertEqual(len(results), len(jobs))
        for checkpoints, (digest, before, after, trained_weights) in zip(ended, results):
            folder = checkpoints.folder
            self.assertEqual(digest, results[0][0], f"{folder}: differs from {ended[0].folder}")
            self.assertIn("\nw/Adam/v ", digest, folder)
            self.assertIn(digest.splitlines()[-1], checkpoints.last("manifest")[0].read_text().splitlines(), folder)
            self.assertLess(after, before / 10, folder)
            self.assertEqual(trained_weights, size.features, folder)
        print(f"{size.features} features: {len(jobs)} jobs of one {digest.splitlines()[-1]}; loss {before:.4f} to {after:.6f}")
        return dict(zip(STRATEGIES, ended))

    def test_three_features(self):
        self.check_bits(SMALL)

    def test_twenty_thousand_features(self):
        for shard in self.check_bits(LARGE)["2-2"].last("data-*"):
            # weights and the two states of Adam
            self.assertGreaterEqual(shard.stat().st_size, 3 * 2 * BLOCK_BYTES, shard)

    def test_clipped_by_norm(self):
        tensorflow_program.run(WRITE, self.data, str(SMALL.records), str(SMALL.features))
        clipped = ", clip: {norm: 0.25}"
        jobs = [("2-2", [], "", None)] + [(members, [], clipped, None) for members in ("1-1", "1-3", "2-1", "2-3", "single")]
        jobs += [("2-2", [], clipped, point) for point in NORM_POINTS]
        with ThreadPoolExecutor(AT_ONCE) as pool:
            ended = list(pool.map(lambda one: self.train(SMALL, *one), jobs))
        read = tensorflow_program.run(READ, self.data, str(SMALL.features), *(checkpoints.folder for checkpoints in ended))
        digests = [json.loads(printed)[0] for printed in read.splitlines()]
        self.assertEqual(len(digests), len(jobs))
        self.assertNotEqual(digests[0], digests[1], "the norm was never reached")
        for checkpoints, digest in zip(ended[1:], digests[1:]):
            self.assertEqual(digest, digests[1], f"{checkpoints.folder}: differs from {ended[1].folder}")

    def train_network(self, network: str, way: Way) -> str:
        """Returns the digest of the last checkpoint."""
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        checkpoints = InFiles(folder / "checkpoints")
        manifest = networks.manifest(self.data / "spiral", checkpoints.url, *NETWORKS[network], strategy=way.strategy, epochs=way.epochs,
                                     every_steps=20, stages="[shuffle: {}]", optimizer="kind: Adam", deterministic="true")
        os.sched_setaffinity(0, sorted(CPUS)[:way.cpus])  # Of this thread, and of the processes that it starts.
        environment = {"CARRACK_CUDA_ON_CPU_BYTES": str(self.bytes_for_parts(manifest))} if way.small_gpus else {}
        with job.Run(folder, manifest, environment=environment, trainer=way.trainer) as run:
            run.kill_in_turn(way.victims, checkpoints)
            run.finish()
            self.assertEqual("computes batches in parts of at most " in run.logs(), way.small_gpus)
            for role in way.victims:
                self.assertEqual(len(run.starts(role, 0)), 2, f"{role} was not replaced")
        return checkpoints.last("manifest")[0].read_text().partition("\ndigest ")[2].partition("\n")[0]

    def test_networks(self):
        tensorflow_program.write(networks.WRITE, self.data / "spiral")
        jobs = list(itertools.product(NETWORKS, WAYS))
        with ThreadPoolExecutor(AT_ONCE) as pool:
            digests = list(pool.map(lambda one: self.train_network(*one), jobs))
        for network in NETWORKS:
            found = {str(way): digest for (name, way), digest in zip(jobs, digests) if name == network}
            self.assertRegex(found[str(WAYS[0])], "^[0-9a-f]{8}$")
            self.assertEqual(len(set(found.values())), 1, f"{network}: {found}")
        self.assertEqual(len(set(digests)), len(NETWORKS))

    def bytes_for_parts(self, manifest: str) -> int:
        """The memory of GPUs on which one lane fits, but not two."""
        path = self.folder / "planned.yaml"
        path.write_text(manifest)
        planned = subprocess.run([job.BIN / "carrack", "plan", path], check=True, capture_output=True, text=True).stdout
        found = re.search(r"memory of each of 4 GPUs\n(?:  .*\n)*  in all +(\S+) kB *\nA GPU .* at least (\S+) kB\.\n", planned)
        self.assertIsNotNone(found, planned)
        return int(1000 * (float(found[1]) + float(found[2])) / 2 * 16 / 15)

    def test_networks_on_gpus(self):
        tensorflow_program.write(networks.WRITE, self.data / "spiral")
        for network in ("autoencoder", "batches", "images"):
            on_cpus, on_gpus = (self.train_network(network, way) for way in (ON_CPUS, ON_GPUS))
            self.assertRegex(on_cpus, "^[0-9a-f]{8}$")
            self.assertEqual(on_gpus, on_cpus, network)
        self.assertEqual(self.train_network("images", ON_SMALL_GPUS), on_cpus)

    def test_gpus_need_a_trainer_with_cuda(self):
        tensorflow_program.write(networks.WRITE, self.data / "spiral")
        manifest = networks.manifest(self.data / "spiral", str(self.folder / "checkpoints"), *NETWORKS["mlp"],
                                     strategy=job.parameter_server(1, 1, of_worker=GPU))
        with job.Run(self.folder / "job", manifest) as run:
            self.assertIn("Failed (UserError): worker 0: UserError: spec.replicas.worker.resources.limits.nvidia.com/gpu: this "
                          "carrack-trainer was built without CUDA; use the image carrack/trainer-cuda\n", run.finish(exit_code=1))


if __name__ == "__main__":
    unittest.main()
