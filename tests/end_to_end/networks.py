"""Networks of layers, the records that they are trained on, and the jobs that do it."""

from pathlib import Path

import job
from checkpoints import InFiles, step_of
from interop.tensorflow_program import EXAMPLES

CLASSES, POINTS, BATCH, STEPS_IN_TRACK = 3, 1_500, 50, 4

# Three arms of a spiral, which no linear model can tell apart. `half` is 1 for the points of the outer half. `track` is a
# few steps of three values, and `real` is 1 for those of them that count. `turns` are the class and a part of the radius.
# `arm`, `streets` and `tag` say the same in words. `question` begins with a number from 0 to 3, which says which of the four
# numbers behind it is `answer`.
WRITE = EXAMPLES + f"""
import numpy as np
random = np.random.default_rng(5)
classes = random.integers({CLASSES}, size={POINTS})
radius = random.uniform(0.1, 1, {POINTS})
angle = 4 * radius + classes * 2 * np.pi / {CLASSES} + random.normal(0, 0.1, {POINTS})
questions = [[int(place), *map(int, numbers)] for place, numbers in zip(random.integers(4, size={POINTS}), random.integers(8, size=({POINTS}, 4)))]
write(sys.argv[1], ({{"point": [float(r * np.sin(a)), float(r * np.cos(a))], "class": [int(c)], "half": [float(r > 0.55)],
                      "importance": [float(r)], "turns": [int(c), int(5 * r)], "track": [float(np.sin(a * i)) for i in range({STEPS_IN_TRACK * 3})],
                      "pixels": [bytes(int(100 * r + 20 * i) for i in range(6))], "real": [float(i < 1 + 4 * r) for i in range({STEPS_IN_TRACK})],
                      "arm": [[b"red", b"green", b"blue"][c]], "streets": [b"street %d" % (20 * r), b"road %d" % c], "tag": [b"%d" % c * int(90 * r)],
                      "question": question, "answer": [question[1 + question[0]]]}}
                     for r, a, c, question in zip(radius, angle, classes, questions)))
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
    train: {{files: ["{data}"], stages: {stages}}}{evaluation}
    features: {{point: {{type: float32, size: 2}}, class: {{type: int64}}, turns: {{type: int64, size: 2}}, half: {{type: float32}}, importance: {{type: float32}},
      track: {{type: float32, shape: [4, 3]}}, real: {{type: float32, size: 4}},
      question: {{type: int64, size: 5}}, answer: {{type: int64}}, pixels: {{type: uint8, shape: [2, 3]}}, arm: {{type: text, words: [red, green, blue]}}, tag: {{type: text, buckets: 50}},
      streets: {{type: text, size: 2, words: [street 3, road 1, street 7], buckets: 20}}}}
  training: {{batch: {batch}, epochs: {epochs}, optimizer: {{{optimizer}}}, deterministic: {deterministic}{more}}}
  checkpoint: {{folder: "{checkpoints}", everySteps: {every_steps}, keepLast: {keep_last}}}
"""

# For the head of a program: the tensors of a checkpoint, and the records as columns.
READ = f"""
import json, sys, unittest.mock
import numpy as np
import tensorflow as tf

def tensors(prefix):
    reader = tf.train.load_checkpoint(prefix)
    names = [name for name in reader.get_variable_to_shape_map() if name.endswith(("kernel", "bias", "/gamma", "/beta", "/embeddings"))]
    return {{name: tf.Variable(reader.get_tensor(name), dtype=tf.float64) for name in names}}

# What layers standardize by.
def constants(prefix):
    reader = tf.train.load_checkpoint(prefix)
    names = [name for name in reader.get_variable_to_shape_map() if name.endswith(("/mean", "/deviation"))]
    return {{name: reader.get_tensor(name).astype(np.float64) for name in names}}

# What batches are normalized by once a network is trained.
def moving_averages(prefix):
    reader = tf.train.load_checkpoint(prefix)
    names = [name for name in reader.get_variable_to_shape_map() if name.endswith(("/moving_mean", "/moving_variance"))]
    return {{name: reader.get_tensor(name).astype(np.float64) for name in names}}

def columns(path):
    spec = {{"point": tf.io.FixedLenFeature([2], tf.float32), "class": tf.io.FixedLenFeature([], tf.int64),
             "turns": tf.io.FixedLenFeature([2], tf.int64), "question": tf.io.FixedLenFeature([5], tf.int64),
             "answer": tf.io.FixedLenFeature([], tf.int64),
            "half": tf.io.FixedLenFeature([1], tf.float32), "importance": tf.io.FixedLenFeature([1], tf.float32),
             "track": tf.io.FixedLenFeature([{STEPS_IN_TRACK}, 3], tf.float32),
             "real": tf.io.FixedLenFeature([{STEPS_IN_TRACK}], tf.float32), "pixels": tf.io.FixedLenFeature([], tf.string),
             "arm": tf.io.FixedLenFeature([], tf.string), "streets": tf.io.FixedLenFeature([2], tf.string), "tag": tf.io.FixedLenFeature([], tf.string)}}
    parsed = tf.io.parse_example(list(tf.data.TFRecordDataset(path).as_numpy_iterator()), spec)
    parsed["pixels"] = tf.cast(tf.reshape(tf.io.decode_raw(parsed["pixels"], tf.uint8), [-1, 2, 3]), tf.float32)
    return {{name: tf.cast(column, tf.float64) if column.dtype == tf.float32 else column for name, column in parsed.items()}}
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
    "batches": ("""
    - {kind: BatchNorm, inputs: [track], momentum: 0.9}
    - {kind: Dense, units: 5, activation: Sigmoid}
    - {kind: BatchNorm, epsilon: 0.1}
    - {kind: Activation, activation: Tanh}
    - {kind: Reshape, shape: [20]}
    - {kind: Dense, name: code, units: 8, activation: Sigmoid}
    - {kind: BatchNorm, name: codes, momentum: 0.5, center: false}
    - {kind: Dense, units: 12}
    - {kind: Reshape, shape: [4, 3]}
""", "kind: MSE, target: track"),
    "standards": ("""
    - {kind: Standardize, inputs: [track]}
    - {kind: Dense, units: 5, activation: Tanh}
    - {kind: Dense, units: 3}
""", "kind: MSE, target: standardize"),
    "units": ("""
    - {kind: Standardize, name: wanted, inputs: [point]}
    - {kind: Standardize, inputs: [pixels]}
    - {kind: Reshape, shape: [6]}
    - {kind: Dense, units: 2}
""", "kind: Huber, target: wanted, delta: 0.5"),
    "autoencoder": ("""
    - {kind: LSTM, inputs: [track], units: 8}
    - {kind: RepeatVector, times: 4}
    - {kind: LSTM, units: 8, returnSequences: true}
    - {kind: TimeDistributed, units: 3}
""", "kind: MSE, target: track"),
    "ways": ("""
    - {kind: LSTM, inputs: [track], units: 4, direction: Bidirectional, returnSequences: true}
    - {kind: GRU, units: 3, direction: Reverse, returnSequences: true}
    - {kind: GRU, name: code, units: 5, direction: Bidirectional}
    - {kind: RepeatVector, times: 4}
    - {kind: LSTM, name: last, units: 5, direction: Reverse}
    - {kind: Dense, units: 2}
""", "kind: MSE, target: point"),
    "numbers": ("""
    - {kind: Embedding, name: one, inputs: [class], vocabulary: 3, units: 4}
    - {kind: Embedding, name: two, inputs: [turns], vocabulary: 6, units: 3}
    - {kind: LSTM, units: 3}
    - {kind: Concat, inputs: [one, lstm]}
    - {kind: Dense, units: 2}
""", "kind: MSE, target: point"),
    "words": ("""
    - {kind: Embedding, name: arms, inputs: [arm], vocabulary: 3, units: 4}
    - {kind: Embedding, name: tags, inputs: [tag], vocabulary: 60, units: 2}
    - {kind: Embedding, name: ways, inputs: [streets], vocabulary: 23, units: 3}
    - {kind: Reshape, shape: [6]}
    - {kind: Concat, inputs: [arms, tags, reshape]}
    - {kind: Dense, units: 3}
""", "kind: SoftmaxCrossEntropy, target: arm"),
    "attention": ("""
    - {kind: Dense, inputs: [track], units: 6}
    - {kind: PositionEmbedding}
    - {kind: MultiHeadAttention, name: own, inputs: [positionembedding, real], heads: 2, keySize: 3, kernelInitializer: HeNormal}
    - {kind: MultiHeadAttention, name: other, inputs: [dense, track], heads: 3, keySize: 2, causal: true, bias: false}
    - {kind: Concat, inputs: [own, other]}
    - {kind: MultiHeadAttention, name: last, inputs: [concat, track, real], heads: 1, keySize: 4, causal: true}
    - {kind: TimeDistributed, units: 3}
""", "kind: MSE, target: track"),
    "transformer": ("""
    - {kind: Embedding, inputs: [question], vocabulary: 8, units: 16}
    - {kind: PositionEmbedding, name: tokens}
    - {kind: LayerNorm}
    - {kind: MultiHeadAttention, name: attention, heads: 2, keySize: 8, bias: false}
    - {kind: Add, name: read, inputs: [tokens, attention]}
    - {kind: LayerNorm}
    - {kind: TimeDistributed, name: inner, units: 32, activation: GELU}
    - {kind: TimeDistributed, name: outer, units: 16}
    - {kind: Add, inputs: [read, outer]}
    - {kind: Flatten}
    - {kind: Dense, units: 8}
""", "kind: SoftmaxCrossEntropy, target: answer"),
    "bends": ("""
    - {kind: Dense, inputs: [track], units: 3, activation: GELU}
    - {kind: Add, name: sum, inputs: [track, dense, track]}
    - {kind: Dense, name: last, units: 3, activation: SiLU}
    - {kind: Flatten, inputs: [last]}
    - {kind: Dense, name: code, units: 2}
""", "kind: MSE, target: point"),
    "images": ("""
    - {kind: Reshape, inputs: [track], shape: [4, 3, 1]}
    - {kind: Conv2D, name: same, filters: 4, kernelSize: [3, 2], padding: Same, activation: Tanh}
    - {kind: Conv2D, name: strided, filters: 6, kernelSize: [2], strides: [2, 1], bias: false, kernelInitializer: HeNormal}
    - {kind: Conv2D, name: grouped, filters: 4, kernelSize: [1, 2], groups: 2, padding: Same}
    - {kind: Conv2D, name: dilated, filters: 5, kernelSize: [2], dilation: [2], padding: Same, activation: Sigmoid}
    - {kind: Conv2D, name: pointwise, filters: 3, kernelSize: [1]}
    - {kind: Reshape, name: flat, shape: [12]}
    - {kind: Dense, units: 12}
    - {kind: Reshape, name: restored, shape: [4, 3]}
""", "kind: MSE, target: track"),
    "pools": ("""
    - {kind: Reshape, inputs: [track], shape: [4, 3, 1]}
    - {kind: Conv2D, name: first, filters: 4, kernelSize: [2], padding: Same}
    - {kind: MaxPool2D, size: [3, 2], strides: [1], padding: Same}
    - {kind: Conv2D, name: second, filters: 3, kernelSize: [1], activation: Tanh}
    - {kind: AveragePool2D, size: [3], strides: [1], padding: Same}
    - {kind: AveragePool2D, size: [2, 1]}
    - {kind: MaxPool2D, size: [1, 2], strides: [1]}
    - {kind: GlobalAveragePool2D}
    - {kind: Dense, units: 2}
""", "kind: MSE, target: point"),
    "distances": ("    - {kind: Dense, inputs: [point], units: 1}", "kind: MAE, target: half"),
    "squares": ("    - {kind: Dense, inputs: [point], units: 1}", "kind: MSE, target: half"),
}

# What these compute depends on how a batch is divided, unless that is into the lanes of a deterministic job.
DIVIDED = {"batches"}


def manifest(data: Path, checkpoints: str, layers: str, loss: str, **fields) -> str:
    """Of a job that takes one epoch by SGD; `fields` replace those of the manifest."""
    spec = {"strategy": job.SINGLE, "data": data, "batch": BATCH, "epochs": 1, "every_steps": 1, "stages": "[]",
            "optimizer": "kind: SGD, learningRate: 0.1", "deterministic": "false", "more": "", "evaluation": "", "keep_last": 100, "checkpoints": checkpoints}
    return MANIFEST.format(layers=layers.strip("\n"), loss=loss, **spec | fields)


def train(folder: Path, data: Path, layers: str, loss: str, **fields) -> InFiles:
    checkpoints = InFiles(folder / "checkpoints")
    with job.Run(folder, manifest(data, checkpoints.url, layers, loss, **fields)) as run:
        run.finish()
    return checkpoints


def prefix_at(checkpoints: InFiles, step: int) -> str:
    """What the names of the files of that step's checkpoint begin with."""
    found = [path for path in checkpoints.folder.glob("*.manifest") if step_of(path.name) == step]
    assert len(found) == 1, f"{checkpoints.folder}: {len(found)} checkpoints of step {step}"
    return str(found[0]).removesuffix(".manifest")
