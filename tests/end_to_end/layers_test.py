"""Networks of layers, trained on this machine and compared with TensorFlow: it writes the records, takes the same steps from
the same weights, and judges what was learned."""

import json
import tempfile
import unittest
from pathlib import Path

import job
from checkpoints import InFiles, step_of
from interop import tensorflow_program
from interop.tensorflow_program import EXAMPLES

CLASSES, POINTS, BATCH, STEPS_IN_TRACK = 3, 1_500, 50, 4

# Three arms of a spiral, which no linear model can tell apart. `half` is 1 for the points of the outer half. `track` is a
# few steps of three values, and `real` is 1 for those of them that count.
WRITE = EXAMPLES + f"""
import numpy as np
random = np.random.default_rng(5)
classes = random.integers({CLASSES}, size={POINTS})
radius = random.uniform(0.1, 1, {POINTS})
angle = 4 * radius + classes * 2 * np.pi / {CLASSES} + random.normal(0, 0.1, {POINTS})
write(sys.argv[1], ({{"point": [float(r * np.sin(a)), float(r * np.cos(a))], "class": [int(c)], "half": [float(r > 0.55)],
                      "importance": [float(r)], "track": [float(np.sin(a * i)) for i in range({STEPS_IN_TRACK * 3})],
                      "pixels": [bytes(int(100 * r + 20 * i) for i in range(6))], "real": [float(i < 1 + 4 * r) for i in range({STEPS_IN_TRACK})]}}
                     for r, a, c in zip(radius, angle, classes)))
"""

MANIFEST = """
apiVersion: carrack.dev/v1alpha1
kind: TrainingJob
metadata: {{name: layers}}
spec:
  {strategy}
  model:
    layers:
{layers}
    loss: {{{loss}}}
  data:
    train: {{files: ["{data}"], stages: {stages}}}
    features: {{point: {{type: float32, size: 2}}, class: {{type: int64}}, half: {{type: float32}}, importance: {{type: float32}},
      track: {{type: float32, shape: [4, 3]}}, real: {{type: float32, size: 4}},
      pixels: {{type: uint8, shape: [2, 3]}}}}
  training: {{batch: {batch}, epochs: {epochs}, optimizer: {{{optimizer}}}, deterministic: {deterministic}}}
  checkpoint: {{folder: "{checkpoints}", everySteps: {every_steps}, keepLast: 100}}
"""

# For the head of a program: the tensors of a checkpoint, and the records as columns.
READ = f"""
import json, sys, unittest.mock
import numpy as np
import tensorflow as tf

def tensors(prefix):
    reader = tf.train.load_checkpoint(prefix)
    names = [name for name in reader.get_variable_to_shape_map() if name.endswith(("kernel", "bias", "/gamma", "/beta"))]
    return {{name: tf.Variable(reader.get_tensor(name), dtype=tf.float64) for name in names}}

def columns(path):
    spec = {{"point": tf.io.FixedLenFeature([2], tf.float32), "class": tf.io.FixedLenFeature([], tf.int64),
             "half": tf.io.FixedLenFeature([1], tf.float32), "importance": tf.io.FixedLenFeature([1], tf.float32),
             "track": tf.io.FixedLenFeature([{STEPS_IN_TRACK}, 3], tf.float32),
             "real": tf.io.FixedLenFeature([{STEPS_IN_TRACK}], tf.float32), "pixels": tf.io.FixedLenFeature([], tf.string)}}
    parsed = tf.io.parse_example(list(tf.data.TFRecordDataset(path).as_numpy_iterator()), spec)
    parsed["pixels"] = tf.cast(tf.reshape(tf.io.decode_raw(parsed["pixels"], tf.uint8), [-1, 2, 3]), tf.float32)
    return {{name: tf.cast(column, tf.float64) if column.dtype == tf.float32 else column for name, column in parsed.items()}}
"""

# Takes the steps between two checkpoints once more, and prints for each tensor how far its change is from ours.
STEPS = READ + """
before, after, data, batch, steps, case = sys.argv[1:]
weights, ours, all = tensors(before), tensors(after), columns(data)
start = {name: tensor.numpy() for name, tensor in weights.items()}

def dense(x, name):
    return x @ weights[name + "/kernel"] + weights[name + "/bias"]

def classes(of):
    hidden = tf.tanh(dense(tf.nn.relu(dense(of["point"], "dense")), "dense_1"))
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(of["class"], dense(hidden, "dense_2"))
    return tf.reduce_mean(losses * of["importance"][:, 0])

def halves(of):
    left, right = tf.sigmoid(dense(of["point"], "left")), tf.nn.relu(dense(of["importance"], "right"))
    scores = dense(tf.concat([left, of["point"], right], 1), "dense")
    return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(of["half"], scores))

def points(of):
    restored = dense(tf.nn.relu(dense(of["point"], "dense")), "dense_1")
    return tf.reduce_mean(tf.keras.losses.huber(of["point"], restored, delta=0.3))

def squares(of):
    return tf.reduce_mean((dense(of["point"], "dense") - of["half"]) ** 2)

def distances(of):
    return tf.reduce_mean(tf.abs(dense(of["point"], "dense") - of["half"]))

def tracks(of):
    code = dense(tf.reshape(tf.tanh(dense(of["track"], "dense")), [-1, 20]), "dense_1")
    restored = dense(tf.repeat(code[:, None], 4, 1), "timedistributed")
    return tf.reduce_mean((restored - of["track"]) ** 2)

# A recurrent layer over all steps, by a step of Keras.
def recurrent(layer, cell, x, name):
    cell.build([None, x.shape[-1]])
    tensors_of = [weights[f"{name}/{suffix}"] for suffix in ("kernel", "recurrent_kernel", "bias")]
    if layer == "gru":
        tensors_of[2] = tf.stack([tensors_of[2], weights[name + "/recurrent_bias"]])
    states, outputs = [tf.zeros([x.shape[0], cell.units], tf.float64)] * (2 if layer == "lstm" else 1), []
    with unittest.mock.patch.multiple(cell, kernel=tensors_of[0], recurrent_kernel=tensors_of[1], bias=tensors_of[2]):
        for at in range(x.shape[1]):
            output, states = cell(x[:, at], states)
            outputs.append(output)
    return tf.stack(outputs, 1)

def windows(of):
    lstm = lambda units: tf.keras.layers.LSTMCell(units, dtype="float64")
    gru = lambda units: tf.keras.layers.GRUCell(units, dtype="float64")
    steps = recurrent("gru", gru(4), recurrent("lstm", lstm(6), of["track"], "lstm"), "gru")
    code = recurrent("lstm", lstm(3), steps, "code")[:, -1]
    restored = recurrent("gru", gru(5), tf.repeat(code[:, None], 4, 1), "gru_1")
    return tf.reduce_mean((dense(restored, "timedistributed") - of["track"]) ** 2)

def normalized(x, epsilon, gamma, beta):
    mean, variance = tf.nn.moments(x, [-1], keepdims=True)
    return tf.nn.batch_normalization(x, mean, variance, beta and weights[beta], weights[gamma], epsilon)

def norms(of):
    steps = tf.tanh(normalized(dense(of["track"], "dense"), 0.001, "layernorm/gamma", "layernorm/beta"))
    restored = normalized(dense(steps, "dense_1"), 0.5, "layernorm_1/gamma", None)
    return tf.reduce_mean((restored - of["track"]) ** 2)

def masks(of):
    losses = tf.keras.losses.huber(of["track"], dense(of["track"], "dense"), delta=0.2)
    return tf.reduce_mean(losses * of["real"] * of["importance"])

def pixels(of):
    scores = dense(tf.reshape(normalized(of["pixels"], 0.001, "layernorm/gamma", "layernorm/beta"), [-1, 6]), "dense")
    return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(of["half"], scores))

# Philox4x32-10 of arrays of counters, as trainer/kernels/philox.h has it.
def philox(counter, key):
    counter, key = [np.asarray(word, np.uint64) for word in counter], [np.asarray(word, np.uint64) for word in key]
    low = np.uint64(0xffffffff)
    for _ in range(10):
        first, second = np.uint64(0xd2511f53) * counter[0], np.uint64(0xcd9e8d57) * counter[2]
        counter = [second >> np.uint64(32) ^ counter[1] ^ key[0], second & low,
                   first >> np.uint64(32) ^ counter[3] ^ key[1], first & low]
        key = [key[0] + np.uint64(0x9e3779b9) & low, key[1] + np.uint64(0xbb67ae85) & low]
    return counter

def dropped(x, name, rate, seed=0):
    number = 2166136261
    for byte in name.encode():
        number = (number ^ byte) * 16777619 % 2 ** 32
    stream = philox([step, 0, number, 2], [seed, 0])
    rows, quads = np.meshgrid(np.arange(x.shape[0]), np.arange(-(-int(np.prod(x.shape[1:])) // 4)), indexing="ij")
    drawn = np.stack(philox([quads, stream[2], rows, stream[3]], stream[:2]), -1).reshape(x.shape[0], -1)
    kept = drawn[:, :int(np.prod(x.shape[1:]))].reshape(x.shape) >= np.floor(float(np.float32(rate)) * 2 ** 32)
    return x * kept / (1 - rate)

def drops(of):
    steps = dropped(tf.tanh(dense(of["track"], "dense")), "dropout", 0.25)
    restored = dense(dropped(tf.reshape(steps, [-1, 20]), "last", 0.1), "dense_1")
    return tf.reduce_mean((restored - tf.reshape(of["track"], [-1, 12])) ** 2)

for step in range(1, int(steps) + 1):
    rows = slice(step * int(batch), (step + 1) * int(batch))
    with tf.GradientTape() as tape:
        loss = globals()[case]({name: column[rows] for name, column in all.items()})
    for variable, gradient in zip(weights.values(), tape.gradient(loss, list(weights.values()))):
        variable.assign_sub(0.1 * gradient)
print(json.dumps({name: float(np.linalg.norm(ours[name] - tensor) / np.linalg.norm(tensor - start[name]))
                  for name, tensor in weights.items()}))
"""

# Prints the share of points whose class the network finds.
JUDGE = READ + """
weights, all = tensors(sys.argv[1]), columns(sys.argv[2])
x = all["point"]
for layer in ["dense", "dense_1", "dense_2"]:
    x = x @ weights[layer + "/kernel"] + weights[layer + "/bias"]
    x = tf.nn.relu(x) if layer != "dense_2" else x
print(float(np.mean(np.argmax(x, 1) == all["class"].numpy())))
"""

NETWORKS = {
    "classes": ("""
    - {kind: Dense, inputs: [point], units: 16, activation: ReLU}
    - {kind: Dense, units: 8}
    - {kind: Activation, activation: Tanh}
    - {kind: Dense, units: 3}
""", "kind: SoftmaxCrossEntropy, target: class, weight: importance"),
    "halves": ("""
    - {kind: Dense, name: left, inputs: [point], units: 4, activation: Sigmoid}
    - {kind: Dense, name: right, inputs: [importance], units: 3, activation: ReLU, kernelInitializer: HeUniform}
    - {kind: Concat, inputs: [left, point, right]}
    - {kind: Dense, units: 1}
""", "kind: SigmoidCrossEntropy, target: half"),
    "points": ("""
    - {kind: Dense, inputs: [point], units: 5, activation: ReLU}
    - {kind: Dense, units: 2}
""", "kind: Huber, target: point, delta: 0.3"),
    "tracks": ("""
    - {kind: Dense, inputs: [track], units: 5, activation: Tanh}
    - {kind: Reshape, shape: [20]}
    - {kind: Dense, units: 3}
    - {kind: RepeatVector, times: 4}
    - {kind: TimeDistributed, units: 3}
""", "kind: MSE, target: track"),
    "windows": ("""
    - {kind: LSTM, inputs: [track], units: 6, returnSequences: true}
    - {kind: GRU, units: 4, returnSequences: true}
    - {kind: LSTM, name: code, units: 3, unitForgetBias: false}
    - {kind: RepeatVector, times: 4}
    - {kind: GRU, units: 5, returnSequences: true, recurrentInitializer: GlorotUniform}
    - {kind: TimeDistributed, units: 3}
""", "kind: MSE, target: track"),
    "norms": ("""
    - {kind: Dense, inputs: [track], units: 5}
    - {kind: LayerNorm}
    - {kind: Activation, activation: Tanh}
    - {kind: Dense, units: 3, kernelInitializer: GlorotNormal, biasInitializer: Ones}
    - {kind: LayerNorm, epsilon: 0.5, center: false}
""", "kind: MSE, target: track"),
    "drops": ("""
    - {kind: Dense, inputs: [track], units: 5, activation: Tanh}
    - {kind: Dropout, rate: 0.25}
    - {kind: Reshape, shape: [20]}
    - {kind: Dropout, name: last, rate: 0.1}
    - {kind: Dense, units: 12}
    - {kind: Reshape, shape: [4, 3]}
""", "kind: MSE, target: track"),
    "masks": ("    - {kind: Dense, inputs: [track], units: 3, kernelInitializer: Ones}",
              "kind: Huber, target: track, delta: 0.2, weight: importance, mask: real"),
    "pixels": ("""
    - {kind: LayerNorm, inputs: [pixels]}
    - {kind: Reshape, shape: [6]}
    - {kind: Dense, units: 1}
""", "kind: SigmoidCrossEntropy, target: half"),
    "distances": ("    - {kind: Dense, inputs: [point], units: 1}", "kind: MAE, target: half"),
    "squares": ("    - {kind: Dense, inputs: [point], units: 1}", "kind: MSE, target: half"),
}


class Layers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.data = cls.folder / "spiral.tfrecord"
        tensorflow_program.run(WRITE, cls.data)

    def train(self, layers: str, loss: str, **fields) -> InFiles:
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        checkpoints = InFiles(folder / "checkpoints")
        spec = {"strategy": job.parameter_server(2, 2), "data": self.data, "batch": BATCH, "epochs": 1, "every_steps": 1,
                "stages": "[]", "optimizer": "kind: SGD, learningRate: 0.1", "deterministic": "false",
                "checkpoints": checkpoints.url}
        with job.Run(folder, MANIFEST.format(layers=layers.strip("\n"), loss=loss, **spec | fields)) as run:
            run.finish()
        return checkpoints

    def prefix_at(self, checkpoints: InFiles, step: int) -> str:
        found = [path for path in checkpoints.folder.glob("*.manifest") if step_of(path.name) == step]
        self.assertEqual(len(found), 1, f"checkpoints of step {step}")
        return str(found[0]).removesuffix(".manifest")

    def test_takes_the_steps_that_tensorflow_takes(self):
        for name, (layers, loss) in NETWORKS.items():
            for fields in [{}, {"strategy": job.SINGLE}, {"deterministic": "true"}]:
                with self.subTest(name, **fields):
                    checkpoints = self.train(layers, loss, **fields)
                    before, after = self.prefix_at(checkpoints, 1), self.prefix_at(checkpoints, 11)
                    printed = tensorflow_program.run(STEPS, before, after, self.data, str(BATCH), "10", name)
                    for tensor, difference in json.loads(printed).items():
                        self.assertLess(difference, 1e-3, tensor)

    def test_learns_what_no_linear_model_can(self):
        layers = """
    - {kind: Dense, inputs: [point], units: 32, activation: ReLU}
    - {kind: Dense, units: 32, activation: ReLU}
    - {kind: Dense, units: 3}
"""
        checkpoints = self.train(layers, "kind: SoftmaxCrossEntropy, target: class", epochs=60, every_steps=10_000,
                                 stages="[shuffle: {}]", optimizer="kind: Adam, learningRate: 0.01")
        last = str(checkpoints.last("manifest")[0]).removesuffix(".manifest")
        self.assertGreater(float(tensorflow_program.run(JUDGE, last, self.data)), 0.97)

    def test_is_refused_before_anything_runs(self):
        cases = [
            ("    - {kind: Dens, inputs: [point], units: 3}", "kind: MSE, target: half",
             "spec.model.layers[0].kind: 'Dens' is unknown; there are Dense, "),
            ("    - {kind: Dense, inputs: [point], unit: 3}", "kind: MSE, target: half",
             "spec.model.layers[0].unit: is unknown; did you mean 'units'?"),
            ("    - {kind: Dense, inputs: [point], units: 3}", "kind: MSE, target: half",
             "spec.model.loss: compares `dense` [rows, 3] with `half` [rows, 1]; both must have the same shape"),
            ("    - {kind: Dense, inputs: [track], units: 3}", "kind: MSE, target: point",
             "spec.model.loss: compares `dense` [rows, 4, 3] with `point` [rows, 2]; both must have the same shape"),
        ]
        for layers, loss, message in cases:
            folder = Path(tempfile.mkdtemp(dir=self.folder))
            manifest = MANIFEST.format(strategy=job.SINGLE, layers=layers, loss=loss, data=self.data, stages="[]", batch=BATCH,
                                       epochs=1, optimizer="kind: Adam", deterministic="false", checkpoints=folder / "c",
                                       every_steps=1)
            with job.Run(folder, manifest) as run:
                self.assertIn(message, run.finish(exit_code=2))


if __name__ == "__main__":
    unittest.main()
