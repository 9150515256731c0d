"""Networks of layers, trained on this machine and compared with TensorFlow: it writes the records, takes the same steps from
the same weights, and judges what was learned."""

import json
import tempfile
import unittest
from pathlib import Path

import job
import networks
from checkpoints import InFiles
from interop import tensorflow_program

# Takes the steps between two checkpoints of each case once more, and prints a line with how far the change of each tensor is
# from ours.
STEPS = networks.READ + """
data, batch, steps, cases = sys.argv[1:]
all = columns(data)

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
def recurrent(layer, cell, x, name, prefix=""):
    cell.build([None, x.shape[-1]])
    tensors_of = [weights[f"{name}/{prefix}{suffix}"] for suffix in ("kernel", "recurrent_kernel", "bias")]
    if layer == "gru":
        tensors_of[2] = tf.stack([tensors_of[2], weights[f"{name}/{prefix}recurrent_bias"]])
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

def ways(of):
    lstm = lambda units: tf.keras.layers.LSTMCell(units, dtype="float64")
    gru = lambda units: tf.keras.layers.GRUCell(units, dtype="float64")
    def back(layer, cell, x, name, prefix=""):
        return recurrent(layer, cell, x[:, ::-1], name, prefix)[:, ::-1]
    track = of["track"]
    steps = tf.concat([recurrent("lstm", lstm(4), track, "lstm"), back("lstm", lstm(4), track, "lstm", "reverse_")], 2)
    steps = back("gru", gru(3), steps, "gru")
    code = tf.concat([recurrent("gru", gru(5), steps, "code")[:, -1], back("gru", gru(5), steps, "code", "reverse_")[:, 0]], 1)
    last = back("lstm", lstm(5), tf.repeat(code[:, None], 4, 1), "last")[:, 0]
    return tf.reduce_mean((dense(last, "dense") - of["point"]) ** 2)

def numbers(of):
    steps = tf.gather(weights["two/embeddings"], of["turns"])
    code = recurrent("lstm", tf.keras.layers.LSTMCell(3, dtype="float64"), steps, "lstm")[:, -1]
    both = tf.concat([tf.gather(weights["one/embeddings"], of["class"]), code], 1)
    return tf.reduce_mean((dense(both, "dense") - of["point"]) ** 2)

def words(of):
    arm = tf.keras.layers.StringLookup(vocabulary=["red", "green", "blue"], num_oov_indices=0)(of["arm"])
    streets = tf.keras.layers.StringLookup(vocabulary=["street 3", "road 1", "street 7"], num_oov_indices=20)(of["streets"])
    tag = tf.keras.layers.Hashing(num_bins=50)(of["tag"])
    values = [tf.gather(weights["arms/embeddings"], arm), tf.gather(weights["tags/embeddings"], tag),
              tf.reshape(tf.gather(weights["ways/embeddings"], streets), [-1, 6])]
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(arm, dense(tf.concat(values, 1), "dense")))

# As Keras' layer, which must give the same.
def attended(query, memory, name, mask=None, causal=False):
    named = lambda part: [weights[f"{name}/{part}_{of}"] for of in ("kernel", "bias") if f"{name}/{part}_{of}" in weights]
    def projected(x, part, product):
        kernel, *bias = named(part)
        return sum(bias, tf.einsum(product, x, kernel))
    q, k, v = (projected(x, part, "rtf,fhk->rthk") for x, part in ((query, "query"), (memory, "key"), (memory, "value")))
    scores = tf.einsum("rqhk,rshk->rhqs", q, k) / np.sqrt(k.shape[-1])
    seen = tf.ones_like(scores) if mask is None else tf.ones_like(scores) * mask[:, None, None]
    seen = tf.linalg.band_part(seen, -1, 0) if causal else seen
    means = tf.einsum("rhqs,rshk->rqhk", tf.nn.softmax(scores + (seen - 1) * 1e9), v)
    output = projected(means, "output", "rqhk,hkf->rqf")
    layer = tf.keras.layers.MultiHeadAttention(k.shape[2], k.shape[3], use_bias=len(named("query")) > 1, dtype="float64")
    layer.build(query.shape, memory.shape)
    layer.set_weights([one.numpy() for part in ("query", "key", "value", "output") for one in named(part)])
    np.testing.assert_allclose(layer(query, memory, attention_mask=seen[:, 0] > 0), output, atol=1e-7)
    return output

def attention(of):
    track, real = of["track"], of["real"]
    x = dense(track, "dense")
    own = attended(*[x + weights["positionembedding/embeddings"]] * 2, "own", real)
    both = tf.concat([own, attended(x, track, "other", causal=True)], 2)
    restored = dense(attended(both, track, "last", real, True), "timedistributed")
    return tf.reduce_mean((restored - track) ** 2)

def transformer(of):
    tokens = tf.gather(weights["embedding/embeddings"], of["question"]) + weights["tokens/embeddings"]
    x = normalized(tokens, 1e-3, "layernorm/gamma", "layernorm/beta")
    read = tokens + attended(x, x, "attention")
    inner = tf.nn.gelu(dense(normalized(read, 1e-3, "layernorm_1/gamma", "layernorm_1/beta"), "inner"))
    scores = dense(tf.reshape(read + dense(inner, "outer"), [-1, 80]), "dense")
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(of["answer"], scores))

def bends(of):
    sums = 2 * of["track"] + tf.nn.gelu(dense(of["track"], "dense"))
    code = tf.reshape(tf.nn.silu(dense(sums, "last")), [-1, 12])
    return tf.reduce_mean((dense(code, "code") - of["point"]) ** 2)

# By products of patches, as TensorFlow has no gradients of groups and dilation on the CPU; Keras' layer must give the same.
def convolved(x, name, padding="valid", strides=(1, 1), dilation=1, groups=1):
    kernel, bias = weights[name + "/kernel"], weights.get(name + "/bias")
    height, width, _, filters = kernel.shape
    parts = []
    for of_group, by in zip(tf.split(x, groups, 3), tf.split(kernel, groups, 3)):
        patches = tf.image.extract_patches(of_group, [1, height, width, 1], [1, *strides, 1], [1, dilation, dilation, 1], padding.upper())
        parts.append(patches @ tf.reshape(by, [-1, filters // groups]))
    output = tf.concat(parts, 3) + (0 if bias is None else bias)
    layer = tf.keras.layers.Conv2D(filters, (height, width), strides, padding, dilation_rate=dilation, groups=groups, use_bias=bias is not None, dtype="float64")
    layer.build(x.shape)
    layer.set_weights([one.numpy() for one in (kernel, bias) if one is not None])
    np.testing.assert_allclose(layer(x), output, atol=1e-9)
    return output

def images(of):
    x = tf.tanh(convolved(of["track"][..., None], "same", "same"))
    x = convolved(convolved(x, "strided", strides=(2, 1)), "grouped", "same", groups=2)
    x = convolved(tf.sigmoid(convolved(x, "dilated", "same", dilation=2)), "pointwise")
    return tf.reduce_mean((dense(tf.reshape(x, [-1, 12]), "dense") - tf.reshape(of["track"], [-1, 12])) ** 2)

def pools(of):
    x = tf.keras.layers.MaxPooling2D((3, 2), 1, "same", dtype="float64")(convolved(of["track"][..., None], "first", "same"))
    x = tf.keras.layers.AveragePooling2D(3, 1, "same", dtype="float64")(tf.tanh(convolved(x, "second")))
    x = tf.keras.layers.AveragePooling2D((2, 1), dtype="float64")(x)
    x = tf.keras.layers.MaxPooling2D((1, 2), 1, dtype="float64")(x)
    x = tf.keras.layers.GlobalAveragePooling2D(dtype="float64")(x)
    return tf.reduce_mean((dense(x, "dense") - of["point"]) ** 2)

def normalized(x, epsilon, gamma, beta):
    mean, variance = tf.nn.moments(x, [-1], keepdims=True)
    return tf.nn.batch_normalization(x, mean, variance, beta and weights[beta], weights[gamma], epsilon)

# Each lane by itself; the first lanes have a record more. Of one lane Keras' layer must give the same.
def batch_normalized(x, name, epsilon, momentum):
    gamma, beta = weights[name + "/gamma"], weights.get(name + "/beta")
    axes, rows, outputs, means, variances = list(range(len(x.shape) - 1)), x.shape[0], [], 0, 0
    for lane in np.array_split(np.arange(rows), lanes):
        of_lane = x[lane[0]:lane[-1] + 1]
        mean, variance = tf.nn.moments(of_lane, axes)
        outputs.append(tf.nn.batch_normalization(of_lane, mean, variance, beta, gamma, epsilon))
        means, variances = means + mean * len(lane) / rows, variances + variance * len(lane) / rows
    output, moved = tf.concat(outputs, 0), {}
    for suffix, of_batch in [("/moving_mean", means), ("/moving_variance", variances)]:
        moved[suffix] = moving[name + suffix] * momentum + of_batch.numpy() * (1 - momentum)
    if lanes == 1:
        layer = tf.keras.layers.BatchNormalization(momentum=momentum, epsilon=epsilon, center=beta is not None, dtype="float64")
        layer.build(x.shape)
        trained = [gamma.numpy()] + ([] if beta is None else [beta.numpy()])
        layer.set_weights(trained + [moving[name + suffix] for suffix in moved])
        np.testing.assert_allclose(layer(x, training=True), output, atol=1e-9)
        for ours_moved, theirs in zip(moved.values(), layer.get_weights()[len(trained):]):
            np.testing.assert_allclose(theirs, ours_moved, atol=1e-9)
    moving.update({name + suffix: value for suffix, value in moved.items()})
    return output

def batches(of):
    steps = tf.sigmoid(dense(batch_normalized(of["track"], "batchnorm", 0.001, 0.9), "dense"))
    steps = tf.tanh(batch_normalized(steps, "batchnorm_1", 0.1, 0.99))
    code = batch_normalized(tf.sigmoid(dense(tf.reshape(steps, [-1, 20]), "code")), "codes", 0.001, 0.5)
    return tf.reduce_mean((dense(code, "dense_1") - tf.reshape(of["track"], [-1, 12])) ** 2)

def norms(of):
    steps = tf.tanh(normalized(dense(of["track"], "dense"), 0.001, "layernorm/gamma", "layernorm/beta"))
    restored = normalized(dense(steps, "dense_1"), 0.5, "layernorm_1/gamma", None)
    return tf.reduce_mean((restored - of["track"]) ** 2)

def standardized(x, layer):
    return (x - fixed[layer + "/mean"]) / fixed[layer + "/deviation"]

def standards(of):
    track = standardized(of["track"], "standardize")
    return tf.reduce_mean((dense(tf.tanh(dense(track, "dense")), "dense_1") - track) ** 2)

def units(of):
    found = dense(tf.reshape(standardized(of["pixels"], "standardize"), [-1, 6]), "dense")
    return tf.reduce_mean(tf.keras.losses.huber(standardized(of["point"], "wanted"), found, delta=0.5))

def autoencoder(of):
    lstm = lambda: tf.keras.layers.LSTMCell(8, dtype="float64")
    code = recurrent("lstm", lstm(), of["track"], "lstm")[:, -1]
    restored = recurrent("lstm", lstm(), tf.repeat(code[:, None], 4, 1), "lstm_1")
    return tf.reduce_mean((dense(restored, "timedistributed") - of["track"]) ** 2)

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

def take_step():
    rows = slice(step * int(batch), (step + 1) * int(batch))
    with tf.GradientTape() as tape:
        loss = globals()[case]({name: column[rows] for name, column in all.items()})
    for variable, gradient in zip(weights.values(), tape.gradient(loss, list(weights.values()))):
        variable.assign_sub(0.1 * tf.convert_to_tensor(gradient))  # of an embedding it has only some rows

# The bias of keys adds the same to all scores of a query, so it changes by rounding alone.
least = lambda name: 1e-3 if name.endswith("/key_bias") else 0
for case, before, after, lanes in json.loads(cases):
    print(case, before, lanes, file=sys.stderr)
    weights, ours = tensors(before), tensors(after)
    start = {name: tensor.numpy() for name, tensor in weights.items()}
    fixed = constants(before)
    moving, ours_moving = moving_averages(before), moving_averages(after)
    moving_start = dict(moving)
    np.testing.assert_equal(constants(after), fixed, "constants are trained")
    for step in range(1, int(steps) + 1):
        take_step()
    print(json.dumps({name: float(np.linalg.norm(ours[name] - tensor) / max(np.linalg.norm(tensor - start[name]), least(name)))
                      for name, tensor in weights.items()} |
                     {name: float(np.linalg.norm(ours_moving[name] - value) / np.linalg.norm(value - moving_start[name]))
                      for name, value in moving.items()}))
"""

# Prints the share of points whose class the network finds.
JUDGE = networks.READ + """
weights, all = tensors(sys.argv[1]), columns(sys.argv[2])
x = all["point"]
for layer in ["dense", "dense_1", "dense_2"]:
    x = x @ weights[layer + "/kernel"] + weights[layer + "/bias"]
    x = tf.nn.relu(x) if layer != "dense_2" else x
print(float(np.mean(np.argmax(x, 1) == all["class"].numpy())))
"""


class Layers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.data = cls.folder / "spiral.tfrecord"
        tensorflow_program.write(networks.WRITE, cls.data)

    def train(self, layers: str, loss: str, **fields) -> InFiles:
        spec = {"strategy": job.parameter_server(2, 2)} | fields
        return networks.train(Path(tempfile.mkdtemp(dir=self.folder)), self.data, layers, loss, **spec)

    def test_takes_the_steps_that_tensorflow_takes(self):
        self.check_steps([(name, 1, fields) for name in networks.NETWORKS if name not in networks.DIVIDED
                          for fields in [{}, {"strategy": job.SINGLE}, {"deterministic": "true"}]])

    def test_normalizes_each_lane_as_tensorflow_does(self):
        eight = {"deterministic": "true"}
        one = eight | {"strategy": job.parameter_server(2, 1), "more": ", lanes: 1"}
        self.check_steps([(name, lanes, fields) for name in networks.DIVIDED for lanes, fields in [
            (1, {"strategy": job.SINGLE}), (1, one), (8, eight), (8, eight | {"strategy": job.SINGLE})]])

    def check_steps(self, cases: list[tuple[str, int, dict]]) -> None:
        """A case is the name of a network, the number of lanes, and fields of the manifest. TensorFlow starts once for all."""
        trained = [self.train(*networks.NETWORKS[name], **fields) for name, _, fields in cases]
        to_compare = [(name, str(networks.prefix_at(checkpoints, 1)), str(networks.prefix_at(checkpoints, 11)), lanes)
                 for (name, lanes, _), checkpoints in zip(cases, trained)]
        printed = tensorflow_program.run(STEPS, self.data, str(networks.BATCH), "10", json.dumps(to_compare)).splitlines()
        for (name, lanes, fields), line in zip(cases, printed, strict=True):
            with self.subTest(name, lanes=lanes, **fields):
                for tensor, difference in json.loads(line).items():
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
            manifest = networks.manifest(self.data, str(folder / "c"), layers, loss, optimizer="kind: Adam")
            with job.Run(folder, manifest) as run:
                self.assertIn(message, run.finish(exit_code=2))


if __name__ == "__main__":
    unittest.main()
