"""A manifest that makes no sense is refused by the API server and by `carrack run`, in words that say what and where."""

import os
import subprocess
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from cluster import access
from crds import definition, own, replicas, updates

CARRACK = Path(os.environ["CARRACK_BUILD"]) / "bin" / "carrack"

MANIFEST = """\
apiVersion: carrack.dev/v1alpha1
kind: TrainingJob
metadata: {name: line}
spec:
  strategy: ParameterServer
  replicas: {ps: {count: 2}, worker: {min: 1, max: 3}}
  model: {kind: LinearRegression, input: x, target: label}
  data: {train: {files: [data/*.tfrecord]}, features: {x: {type: float32, size: 20000}, label: {type: float32}}}
  training: {batch: 64, optimizer: {kind: Adam}}
  checkpoint: {folder: out}
"""

NO_LABEL = "is not a DNS label: a lower-case letter, then lower-case letters, digits and '-', at most 63"
NETWORK = "Layers needs it, and no other model has it"
REGRESSION = "LinearRegression needs it, and no other model has it"
NO_NAME = "a name is empty, has more than 256 characters, or holds control characters"
INTERLEAVE = "interleave works on files; it can only be the first stage, or the first after a snapshot"
SNAPSHOT = "a snapshot can only be the first stage, or the first after filters; put all others after it"

# What is changed in the manifest, and what the API server says.
REFUSED: list[tuple[list[tuple[str, str]], list[str]]] = [
    ([("name: line", "name: 1line")], [f"metadata.name: Invalid value: '1line' {NO_LABEL}"]),
    ([("name: line", "name: a.b")], [f"metadata.name: Invalid value: 'a.b' {NO_LABEL}"]),
    ([("name: line", f"name: {'a' * 64}")], [f"metadata.name: Invalid value: '{'a' * 64}' {NO_LABEL}"]),
    ([("strategy: ParameterServer", "strategy: AllReduce")],
     ['spec.strategy: Unsupported value: "AllReduce": supported values: "Single", "ParameterServer", "Own"']),
    ([("strategy: ParameterServer", "strategy: Single")],
     ["spec.replicas.ps: Forbidden: Single has no parameter servers; leave it out",
      "spec.replicas.worker: Invalid value: Single is one process; leave it out, or use strategy ParameterServer"]),
    ([("strategy: ParameterServer", "strategy: Single"), ("ps: {count: 2}, worker: {min: 1, max: 3}", "worker: {count: 1}"),
      ("  checkpoint:", "  security: {tls: true}\n  checkpoint:")],
     ["spec.security: Forbidden: Single is one process, which has no connection to another; leave it out"]),
    ([("  checkpoint:", "  security: {tls: 1}\n  checkpoint:")],
     ['spec.security.tls: Invalid value: "integer": spec.security.tls in body must be of type boolean: "integer"']),
    ([("max: 3", "max: 9")],
     ["spec.training.lanes: Invalid value: is below the workers of spec.replicas.worker; each needs a lane"]),
    ([("batch: 64", "batch: 64, lanes: 12")], ["spec.training.lanes: Invalid value: 12: is no power of two up to 65536"]),
    ([("batch: 64", "batch: 64, lanes: 131072")],
     ["spec.training.lanes: Invalid value: 131072: is no power of two up to 65536"]),
    ([(", target: label", "")], [f"spec.model.target: Invalid value: {REGRESSION}"]),
    ([("input: x", "record: x")], [f"spec.model.input: Invalid value: {REGRESSION}",
                                   "spec.model.record: Invalid value: Tally needs it, and no other model has it"]),
    ([("target: label", "target: x"), ("size: 20000", "size: 1")],
     ["spec.model.target: Invalid value: is spec.model.input; a model cannot predict a feature from itself"]),
    ([("input: x", "input: z")], ["spec.model.input: Invalid value: 'z' is not in spec.data.features"]),
    ([("target: label", "target: y")],
     ['spec.model.target: Invalid value: "boolean": spec.model.target in body must be of type string: "boolean"']),
    (updates.TALLY, [f"spec.model.kind: Invalid value: {updates.COUNTS}"]),
    ([("{kind: LinearRegression, input: x, target: label}", "{}")],
     [f"spec.model.layers: Invalid value: {NETWORK}", f"spec.model.loss: Invalid value: {NETWORK}"]),
    ([("kind: LinearRegression, input: x,", "layers: [{kind: Dens, units: 0}, {units: 1}], loss: {kind: MSE, target: label, delta: 2},")],
     ['spec.model.layers[0].kind: Unsupported value: "Dens": supported values: "Dense", "TimeDistributed", "LSTM", "GRU", "RepeatVector", '
      '"Reshape", "Activation", "Dropout", "LayerNorm", "Concat", "Embedding", "Standardize", "BatchNorm", "MultiHeadAttention", "PositionEmbedding", "Add", "Flatten", "Conv2D", "MaxPool2D", "AveragePool2D", "GlobalAveragePool2D"',
      "spec.model.layers[0].units: Invalid value: 0: spec.model.layers[0].units in body should be greater than or equal to 1",
      "spec.model.layers[1].kind: Required value"]),
    ([("kind: LinearRegression, input: x, target: label", "layers: [{kind: Reshape, shape: []}, {kind: Reshape, shape: [1, 1048577]}, {kind: "
       "RepeatVector, times: 0}, {kind: LayerNorm, epsilon: 0}, {kind: Dropout, rate: 1}, {kind: BatchNorm, momentum: 1}], loss: {kind: MSE, target: label}")],
     ["spec.model.layers[0].shape: Invalid value: 0: spec.model.layers[0].shape in body should have at least 1 items",
      "spec.model.layers[1].shape[1]: Invalid value: 1048577: spec.model.layers[1].shape[1] in body should be less than or equal to "
      "1048576",
      "spec.model.layers[2].times: Invalid value: 0: spec.model.layers[2].times in body should be greater than or equal to 1",
      "spec.model.layers[3].epsilon: Invalid value: 0: must be from 1e-12 to 1",
      "spec.model.layers[4].rate: Invalid value: 1: must be from 0 to 0.999",
      "spec.model.layers[5].momentum: Invalid value: 1: must be from 0 to 0.9999"]),
    ([("kind: LinearRegression, input: x, target: label",
       "layers: [{kind: Conv2D, filters: 0, kernelSize: [1, 2, 3], strides: [], dilation: [1025]}, {kind: MaxPool2D, size: [0]}], loss: {kind: MSE, target: label}")],
     ["spec.model.layers[0].dilation[0]: Invalid value: 1025: spec.model.layers[0].dilation[0] in body should be less than or equal to 1024",
      "spec.model.layers[0].filters: Invalid value: 0: spec.model.layers[0].filters in body should be greater than or equal to 1",
      "spec.model.layers[0].kernelSize: Too many: 3: must have at most 2 items",
      "spec.model.layers[0].strides: Invalid value: 0: spec.model.layers[0].strides in body should have at least 1 items",
      "spec.model.layers[1].size[0]: Invalid value: 0: spec.model.layers[1].size[0] in body should be greater than or equal to 1"]),
    ([("kind: LinearRegression, input: x, target: label", "input: x, layers: [{kind: Dense, units: 1}], loss: {kind: MSE, target: label, delta: 2}")],
     [f"spec.model.input: Invalid value: {REGRESSION}", "spec.model.loss.delta: Forbidden: only Huber has it"]),
    ([("kind: LinearRegression, input: x, target: label", "layers: [], loss: {target: label}")],
     ["spec.model.layers: Invalid value: 0: spec.model.layers in body should have at least 1 items",
      "spec.model.loss.kind: Required value"]),
    ([*updates.TALLY, ("kind: Adam", "kind: SGD, learningRate: 1")], [f"spec.model.kind: Invalid value: {updates.COUNTS}"]),
    ([*updates.TALLY, ("optimizer: {kind: Adam}", "reduction: Sum, optimizer: {kind: SGD}")],
     [f"spec.model.kind: Invalid value: {updates.COUNTS}"]),
    ([("[data/*.tfrecord]", "[]")],
     ["spec.data.train.files: Invalid value: 0: spec.data.train.files in body should have at least 1 items"]),
    ([("[data/*.tfrecord]", "[a, hdfs://b/c]")],
     ['spec.data.train.files[1]: Invalid value: "hdfs://b/c": \'hdfs://\' cannot be read; there are file:// and gs://']),
    ([("data/*.tfrecord", '"a\\nb"')], ['spec.data.train.files[0]: Invalid value: "a\\nb": holds control characters']),
    ([("optimizer: {kind: Adam}", "patience: 0, optimizer: {kind: Adam}")],
     ["spec.training.patience: Invalid value: 0: spec.training.patience in body should be greater than or equal to 1",
      "spec.training.patience: Invalid value: counts evaluations, and there are none; name files in spec.data.eval"]),
    ([("train:", "eval: {}, train:")], ["spec.data.eval.files: Required value"]),
    ([("train:", "eval: {files: []}, train:")],
     ["spec.data.eval.files: Invalid value: 0: spec.data.eval.files in body should have at least 1 items"]),
    ([("train:", "eval: {files: ['s3://b']}, train:")],
     ['spec.data.eval.files[0]: Invalid value: "s3://b": \'s3://\' cannot be read; there are file:// and gs://']),
    ([*updates.TALLY, ("optimizer: {kind: Adam}", "reduction: Sum, optimizer: {kind: SGD, learningRate: 1}"),
      ("train:", "eval: {files: [a]}, train:")],
     ["spec.data.eval: Invalid value: Tally counts records and has nothing to evaluate; leave it out"]),
    ([("folder: out", "folder: out/$(UID)$(NAME)$(DATE)")],
     ['spec.checkpoint.folder: Invalid value: "out/$(UID)$(NAME)$(DATE)": has a $( that begins neither $(NAME) nor $(UID)']),
    ([("tfrecord]", "tfrecord], stages: [{skip: 1, take: 2}]")],
     ["spec.data.train.stages[0]: Invalid value: an entry is one stage; write each as an entry of its own"]),
    ([("tfrecord]", "tfrecord], stages: [{}]")],
     ["spec.data.train.stages[0]: Invalid value: an entry is one stage; write each as an entry of its own"]),
    ([("tfrecord]", "tfrecord], stages: [shuffle: {}, interleave: {}]")],
     [f"spec.data.train.stages: Invalid value: {INTERLEAVE}"]),
    ([("tfrecord]", "tfrecord], stages: [filter: {feature: x, min: 0}, shuffle: {}]")],
     ["spec.data.train.stages: Invalid value: a filter needs a snapshot after it, as the number of records that it keeps "
      "is not known before they are read"]),
    ([("tfrecord]", "tfrecord], stages: [filter: {feature: x, min: 0}, take: 5, snapshot: {folder: s}]")],
     [f"spec.data.train.stages: Invalid value: {SNAPSHOT}"]),
    ([("tfrecord]", "tfrecord], stages: [interleave: {}, snapshot: {folder: s}]")],
     [f"spec.data.train.stages: Invalid value: {SNAPSHOT}", f"spec.data.train.stages: Invalid value: {INTERLEAVE}"]),
    ([("tfrecord]", "tfrecord], stages: [filter: {feature: z, min: 0}, snapshot: {folder: s}]")],
     ["spec.data.train.stages: Invalid value: a filter's feature is not in spec.data.features"]),
    ([("label: {type: float32}", "label: {type: float32}, image: {type: float32, image: {height: 8, width: 8}}"),
      ("tfrecord]", "tfrecord], stages: [filter: {feature: image, min: 0}, snapshot: {folder: s}]")],
     ["spec.data.train.stages: Invalid value: a filter's feature is an image; a filter needs numbers"]),
    ([("label: {type: float32}", "label: {type: float32}, word: {type: text, buckets: 9}"),
      ("tfrecord]", "tfrecord], stages: [filter: {feature: word, min: 0}, snapshot: {folder: s}]")],
     ["spec.data.train.stages: Invalid value: a filter's feature is text; a filter needs numbers"]),
    ([("label: {type: float32}", "label: {type: float32}, word: {type: text}")],
     ["spec.data.features[word]: Invalid value: has neither words nor buckets; list the words that there are, or set "
      "buckets to hash any"]),
    ([("label: {type: float32}", "label: {type: float32, words: [a], buckets: 1}")],
     ["spec.data.features[label].buckets: Forbidden: is of text alone; set type to text, or leave it out",
      "spec.data.features[label].words: Forbidden: is of text alone; set type to text, or leave it out"]),
    ([("label: {type: float32}", 'label: {type: float32}, word: {type: text, words: ["a\\tb"]}')],
     ['spec.data.features.word.words[0]: Invalid value: "a\\tb": spec.data.features.word.words[0] in body should match '
      "'^[^\\x00-\\x1f\\x7f]*$'"]),
    ([("label: {type: float32}", "label: {type: float32}, word: {type: text, words: [a, b, a], buckets: -1}")],
     ["spec.data.features.word.buckets: Invalid value: -1: spec.data.features.word.buckets in body should be greater than "
      "or equal to 0",
      'spec.data.features[word].words[2]: Duplicate value: "a"']),
    ([("tfrecord]", "tfrecord], stages: [snapshot: {folder: s}, snapshot: {folder: s}]")],
     ["spec.data.train.stages: Invalid value: there can be one snapshot"]),
    ([("tfrecord]", "tfrecord], stages: [filter: {feature: x}, filter: {feature: x, min: 2, max: 1.5}, snapshot: {folder: "
       "s3://b}]")],
     ["spec.data.train.stages[0].filter: Invalid value: has no bound; give min, max or both",
      "spec.data.train.stages[1].filter: Invalid value: min is above max; nothing lies between them",
      'spec.data.train.stages[2].snapshot.folder: Invalid value: "s3://b": \'s3://\' cannot be read; there are file:// and '
      "gs://"]),
    ([("tfrecord]", "tfrecord], stages: [shard: {count: 2, index: 2}, cache: {memory: much}]")],
     ["spec.data.train.stages[0].shard: Invalid value: index is not below count; shards count from 0",
      'spec.data.train.stages[1].cache.memory: Invalid value: "much": is not a quantity of memory; write 512Mi or 4Gi']),
    ([("tfrecord]", "tfrecord], stages: [shuffle: {kind: Buffer}, take: 0]")],
     ['spec.data.train.stages[0].shuffle.kind: Unsupported value: "Buffer": supported values: "ByPlace", "Full", "Block"',
      "spec.data.train.stages[1].take: Invalid value: 0: spec.data.train.stages[1].take in body should be greater than or "
      "equal to 1"]),
    ([("files: [data/*.tfrecord]", "stages: []")], ["spec.data.train: Invalid value: needs either files or mix"]),
    ([("files: [data/*.tfrecord]", "files: [a], mix: [{files: [b], weight: 1}]")],
     ["spec.data.train: Invalid value: needs either files or mix"]),
    ([("files: [data/*.tfrecord]", "mix: []")],
     ["spec.data.train.mix: Invalid value: 0: spec.data.train.mix in body should have at least 1 items"]),
    ([("files: [data/*.tfrecord]", "mix: [{files: [a], weight: 1}, {files: [b], weight: 1001}], stages: [interleave: {}]")],
     ["spec.data.train.mix: Invalid value: a weight is less than a thousandth of the sum of all weights",
      "spec.data.train.stages: Invalid value: interleave works on files; it can only be a stage of a set of the mix"]),
    ([("files: [data/*.tfrecord]", "mix: [{files: [], weight: 0}, {stages: []}]")],
     ["spec.data.train.mix[0].files: Invalid value: 0: spec.data.train.mix[0].files in body should have at least 1 items",
      "spec.data.train.mix[0].weight: Invalid value: 0: spec.data.train.mix[0].weight in body should be greater than 0",
      "spec.data.train.mix[1].files: Required value", "spec.data.train.mix[1].weight: Required value"]),
    ([("files: [data/*.tfrecord]", "mix: [{files: [a, hdfs://b/c], weight: 1, stages: [{skip: 1, take: 2}]}]")],
     ["spec.data.train.mix[0].files[1]: Invalid value: \"hdfs://b/c\": 'hdfs://' cannot be read; there are file:// and gs://",
      "spec.data.train.mix[0].stages[0]: Invalid value: an entry is one stage; write each as an entry of its own"]),
    ([("files: [data/*.tfrecord]", "mix: [{files: [a], weight: 1, stages: [snapshot: {folder: b}]}], stages: [snapshot: {folder: b}]")],
     ["spec.data.train.mix[0].stages: Invalid value: a mix cannot have a filter or a snapshot; use spec.data.train.files",
      "spec.data.train.stages: Invalid value: a mix cannot have a filter or a snapshot; use spec.data.train.files"]),
    ([("label: {type", '"": {type')], [f"spec.data.features: Invalid value: {NO_NAME}",
                                       "spec.model.target: Invalid value: 'label' is not in spec.data.features"]),
    ([("size: 20000", "size: 0")], ["spec.data.features.x.size: Invalid value: 0: spec.data.features.x.size in body should "
                                    "be greater than or equal to 1"]),
    ([("size: 20000", "size: 192, image: {height: 8, width: 8}")],
     ["spec.data.features[x].size: Forbidden: follows from the image; leave it out"]),
    ([("size: 20000", "size: 8, shape: [8]")], ["spec.data.features[x].size: Forbidden: follows from the shape; leave it out"]),
    ([("size: 20000", "shape: [8], image: {height: 8, width: 8}")],
     ["spec.data.features[x].shape: Forbidden: follows from the image; leave it out"]),
    ([("size: 20000", "shape: [8, 0]")],
     ["spec.data.features.x.shape[1]: Invalid value: 0: spec.data.features.x.shape[1] in body should be greater than or "
      "equal to 1"]),
    ([("size: 20000", "shape: []")],
     ["spec.data.features.x.shape: Invalid value: 0: spec.data.features.x.shape in body should have at least 1 items"]),
    ([("size: 20000", "shape: [1, 1, 1, 1]")],
     ["spec.data.features.x.shape: Too many: 4: must have at most 3 items"]),
    ([("size: 20000", "shape: [17179869184, 17179869184, 17179869184]")],
     ["spec.data.features[x].shape: Invalid value: stands for more values than a feature may have"]),
    ([("type: float32, size: 20000", "type: int64, image: {height: 8, width: 8, channels: 2, black: 7, white: 7}")],
     ["spec.data.features[x].image.channels: Invalid value: 2: must be 1 for grey or 3 for RGB",
      "spec.data.features[x].image.white: Invalid value: equals black; every pixel would be the same",
      "spec.data.features[x].type: Invalid value: is int64; must be float32 for an image"]),
    ([("size: 20000", "image: {height: 65536, crop: {kind: Middle, fraction: 0, leastArea: 1.5}}")],
     ["spec.data.features.x.image.crop.fraction: Invalid value: 0: spec.data.features.x.image.crop.fraction in body should "
      "be greater than 0",
      'spec.data.features.x.image.crop.kind: Unsupported value: "Middle": supported values: "Whole", "Central", "Random"',
      "spec.data.features.x.image.crop.leastArea: Invalid value: 1.5: spec.data.features.x.image.crop.leastArea in body "
      "should be less than or equal to 1",
      "spec.data.features.x.image.height: Invalid value: 65536: spec.data.features.x.image.height in body should be less "
      "than or equal to 65535",
      "spec.data.features.x.image.width: Required value"]),
    ([("size: 20000", "image: {height: 8, width: 8, crop: {leastArea: 0.25, fraction: 0.25}}")],
     ["spec.data.features[x].image.crop.fraction: Forbidden: only Central has it",
      "spec.data.features[x].image.crop.leastArea: Forbidden: only Random has it"]),
    ([("label: {type: float32}", "label: {type: float64}")],
     ['spec.data.features.label.type: Unsupported value: "float64": supported values: "float32", "int64", "uint8", "text"']),
    ([("batch: 64, ", "")], ["spec.training.batch: Required value"]),
    ([("batch: 64", "batch: 0")],
     ["spec.training.batch: Invalid value: 0: spec.training.batch in body should be greater than or equal to 1"]),
    ([("batch: 64", 'batch: "64"')],
     ['spec.training.batch: Invalid value: "string": spec.training.batch in body must be of type integer: "string"']),
    ([("batch: 64", "batch: 6.4")],
     ['<nil>: Invalid value: "": Checked value must be of type integer (default format) in spec.training.batch',
      'spec.training.batch: Invalid value: "number": spec.training.batch in body must be of type integer: "number"']),
    ([("batch: 64", "batch: 64, epochs: 0, seed: -1")],
     ["spec.training.epochs: Invalid value: 0: spec.training.epochs in body should be greater than or equal to 1",
      "spec.training.seed: Invalid value: -1: spec.training.seed in body should be greater than or equal to 0"]),
    ([("batch: 64", "batch: 64, deterministic: true, consistency: Async")],
     ["spec.training.deterministic: Invalid value: is not possible with consistency Async; use Sync"]),
    ([("batch: 64", "batch: 64, maxStaleness: 4")],
     ["spec.training.maxStaleness: Invalid value: is for consistency Async; in Sync no gradient is stale, so leave it out"]),
    ([("batch: 64", "batch: 64, maxStaleness: -1, consistency: Async")],
     ["spec.training.maxStaleness: Invalid value: -1: spec.training.maxStaleness in body should be greater than or equal to 0"]),
    ([("batch: 64", "batch: 64, maxStaleness: 3, consistency: Async")],
     ["spec.training.maxStaleness: Invalid value: is less than twice the other workers of spec.replicas.worker, so some of them "
      "never have a batch"]),
    ([("kind: Adam", "kind: Adam, learningRate: 0, beta2: 1")],
     ["spec.training.optimizer.beta2: Invalid value: 1: spec.training.optimizer.beta2 in body should be less than 1",
      "spec.training.optimizer.learningRate: Invalid value: 0: must be from 1e-30 to 1e30"]),
    ([("kind: Adam", "kind: Adam, learningRate: 1e300")],
     ["spec.training.optimizer.learningRate: Invalid value: 1e+300: must be from 1e-30 to 1e30"]),
    ([("batch: 64", "batch: 2147483648")],
     ["spec.training.batch: Invalid value: 2147483648: spec.training.batch in body should be less than or equal to "
      "2147483647"]),
    ([("size: 20000", "size: 17179869185")],
     ["spec.data.features.x.size: Invalid value: 17179869185: spec.data.features.x.size in body should be less than or "
      "equal to 17179869184"]),
    ([("folder: out", "folder: s3://bucket/out")],
     ['spec.checkpoint.folder: Invalid value: "s3://bucket/out": \'s3://\' cannot be read; there are file:// and gs://']),
    ([("folder: out", "folder: gs://b/out, resume: gs://b/out")],
     ["spec.checkpoint.resume: Invalid value: is spec.checkpoint.folder; a job's own restarts always resume, leave it out"]),
    ([("folder: out", "folder: out, everySteps: 0")],
     ["spec.checkpoint.everySteps: Invalid value: 0: spec.checkpoint.everySteps in body should be greater than or equal "
      "to 1"]),
    ([("folder: out", "folder: out, everySeconds: 0")],
     ["spec.checkpoint.everySeconds: Invalid value: 0: spec.checkpoint.everySeconds in body should be greater than or equal "
      "to 1"]),
    ([("folder: out", "folder: out, everySeconds: 31536001")],
     ["spec.checkpoint.everySeconds: Invalid value: 31536001: spec.checkpoint.everySeconds in body should be less than or "
      "equal to 31536000"]),
    ([("features:", "onDamage: ignore, features:")],
     ['spec.data.onDamage: Unsupported value: "ignore": supported values: "stop", "skip"']),
    ([("folder: out", "folder: out, onTaken: Goon")],
     ['spec.checkpoint.onTaken: Unsupported value: "Goon": supported values: "Fail", "GoOn", "Replace"']),
    ([("folder: out", "folder: out, keepLast: 0, keepEverySteps: 0")],
     ["spec.checkpoint.keepEverySteps: Invalid value: 0: spec.checkpoint.keepEverySteps in body should be greater than or "
      "equal to 1",
      "spec.checkpoint.keepLast: Invalid value: 0: spec.checkpoint.keepLast in body should be greater than or equal to 1"]),
    ([("folder: out", "folder: out, keepLast: 1000001")],
     ["spec.checkpoint.keepLast: Invalid value: 1000001: spec.checkpoint.keepLast in body should be less than or equal to "
      "1000000"]),
    ([("  strategy", "  run: {backoffLimit: 100, drainSeconds: 86401}\n  strategy")],
     ["spec.run.backoffLimit: Invalid value: 100: spec.run.backoffLimit in body should be less than or equal to 99",
      "spec.run.drainSeconds: Invalid value: 86401: spec.run.drainSeconds in body should be less than or equal to 86400"]),
    ([("batch: 64", "batch: 64, epoch: 3")],
     ['Error from server (BadRequest): error when creating "STDIN": TrainingJob in version "v1alpha1" cannot be handled as '
      'a TrainingJob: strict decoding error: unknown field "spec.training.epoch"']),
]

# At the bounds of what both take.
TAKEN: list[list[tuple[str, str]]] = [
    [],
    replicas.SINGLE,
    [("ParameterServer", "Single"), ("ps: {count: 2}, worker: {min: 1, max: 3}", "worker: {count: 1}")],
    [*updates.TALLY, ("x: {type: float32, size: 20000}", "x: {type: int64}"), ("{count: 2}", "{count: 1}"),
     ("optimizer: {kind: Adam}", "reduction: Sum, optimizer: {kind: SGD, learningRate: 1}")],
    [("kind: LinearRegression, input: x, target: label", "layers: [{kind: Dense, inputs: [label], name: a, units: 1048576, bias: "
      "false, kernelInitializer: Zeros}, {kind: Activation, activation: Tanh}, {kind: Dense, units: 1}, {kind: RepeatVector, times: 1048576}, {kind: "
      "Reshape, shape: [1, 1, 1048576]}, {kind: TimeDistributed, units: 1}, {kind: LayerNorm, epsilon: 1}, {kind: BatchNorm, momentum: 0}, {kind: Dropout, rate: 0}, {kind: Reshape, shape: [1]}], loss: {kind: Huber, "
      "target: label, weight: label, delta: 1e-30}")],
    [("kind: LinearRegression, input: x, target: label", "layers: [{kind: Embedding, inputs: [x], vocabulary: 1048576, units: 1}, {kind: GRU, "
      "units: 1, direction: Bidirectional}, {kind: Dense, units: 1}], loss: {kind: MSE, target: label}"),
     ("x: {type: float32, size: 20000}", "x: {type: int64, size: 9}")],
    [("name: line", "name: a")],
    [("name: line", f"name: a{'-' * 61}1")],
    [("max: 3", "max: 1000"), ("batch: 64", "batch: 1e3, lanes: 65536, seed: 9223372036854775807")],
    [("kind: Adam", "kind: Adam, learningRate: 1e-30, beta1: 0, beta2: 0.999999")],
    [("folder: out", 'folder: file:///out, resume: ""')],
    [("folder: out", "folder: out, onTaken: Replace, keepLast: 1, keepEverySteps: 1")],
    [("folder: out", "folder: out, keepLast: 1e6, keepEverySteps: 9223372036854775807")],
    [("label", '"' + "é" * 256 + '"'), ("label", '"' + "é" * 256 + '"')],
    [("  strategy", "  run: {backoffLimit: 99, drainSeconds: 86400}\n  strategy")],
    [("  strategy", "  run: {keepPods: None, ttlSecondsAfterFinished: 0, startDeadlineSeconds: 1,\n"
                    "    activeDeadlineSeconds: 31536000, progressDeadlineSeconds: 60,\n"
                    "    failureRules: [{exitCodes: [1, 255], reasons: [Evicted, Preempted, OOMKilled, NodeLost],\n"
                    "      roles: [coordinator, ps, worker], action: Ignore}]}\n  strategy")],
    [("data/*.tfrecord", ", ".join(["a" * 200] * 1000))],
    [("size: 20000", "image: {height: 1, width: 65535, channels: 1, layout: NCHW, crop: {kind: Random, leastArea: 1e-9}, "
      "mirror: true, black: 1e6, white: -1e6}"),
     ("label: {", "c: {type: float32, image: {height: 8, width: 8, crop: {kind: Central, fraction: 1}}}, label: {")],
    [("size: 20000", "shape: [20000]"), ("label: {", "c: {type: uint8, shape: [17179869184, 1, 1]}, label: {")],
    [("tfrecord]", "tfrecord], stages: []")],
    [("files: [data/*.tfrecord]", f"mix: [{('{files: [' + 'a, ' * 99 + 'b], weight: 1e6, stages: [interleave: {}]}, ') * 15}"
      "{files: [c], weight: 16000}], stages: [take: 7]")],
    [("tfrecord]", "tfrecord], stages: [interleave: {cycle: 1000000, block: 1}, skip: 0, take: 1e15, cache: {memory: "
      "0.5Ti}, shard: {count: 1e9, index: 999999999}, shuffle: {kind: Block, block: 0, window: 1}, repeat: 1e9]")],
    [("tfrecord]", "tfrecord], stages: [filter: {feature: x, min: 0, max: 0}, filter: {feature: x, max: 1e300}, snapshot: "
      "{folder: s}, interleave: {}, shuffle: {}]")],
    [("tfrecord]", "tfrecord], stages: [snapshot: {folder: file:///s}]")],
]

# Fits the schema, and makes no sense all the same: the operator says so by the condition Failed.
OF_THE_MODEL = [
    ([("x: {type: float32", "x: {type: int64")], "spec.model.input: 'x' is int64 in spec.data.features; must be float32 (line 7)"),
    ([("label: {type: float32}", "label: {type: float32, size: 2}")],
     "spec.model.target: 'label' has 2 values in spec.data.features; must have 1 (line 7)"),
    ([("kind: LinearRegression, input: x, target: label", "layers: [{kind: Dense, inputs: [x], units: 2}], loss: {kind: MSE, target: label}")],
     "spec.model.loss: compares `dense` [rows, 2] with `label` [rows, 1]; both must have the same shape (line 7)"),
    ([("size: 20000", "shape: [200, 100]")],
     "spec.model.input: 'x' has the shape [200, 100] in spec.data.features; must have one dimension (line 7)"),
    ([("{count: 2}", "{count: 7}")], "spec.replicas.ps: is 7; the model has 6 blocks of parameters, so at most 6 (line 6)"),
    ([("label: {type: float32}", "label: {type: float32}, number: {type: int64}"),
      ("tfrecord]", "tfrecord], stages: [filter: {feature: number, max: 9007199254740994}, snapshot: {folder: s}]")],
     "spec.data.train.stages[0].filter.max: is 9007199254740994; for an int64 feature it must be from -9007199254740992 to "
     "9007199254740992 (line 8)"),
]


def changed(changes: list[tuple[str, str]]) -> str:
    text = MANIFEST
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    return text


def complaint_of_kubectl(manifest: str) -> str:
    try:
        access.kubectl("apply", "--dry-run=server", "-f", "-", input=manifest)
        return ""
    except RuntimeError as error:
        return str(error).split(": ", 1)[1]


def complaint_of_run(manifest: str) -> str:
    """Every job ends where the trainer cannot be started, which says that it was taken."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "job.yaml").write_text(manifest)
        command = [CARRACK, "run", "job.yaml", "--no-data", "--trainer", "/nowhere"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)
        return "" if done.stderr.startswith("carrack run: /nowhere: cannot be started") else done.stderr


class Manifests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.enterClassContext(definition.applied())

    def complaints(self, manifests: list[str]) -> list[tuple[str, str]]:
        with ThreadPoolExecutor(2) as pool:
            return list(zip(pool.map(complaint_of_kubectl, manifests), pool.map(complaint_of_run, manifests)))

    def test_what_makes_no_sense_is_refused_by_both(self):
        refused = REFUSED + own.REFUSED + replicas.REFUSED + updates.REFUSED
        complaints = self.complaints([changed(changes) for changes, _ in refused])
        for (changes, said), (kubectl, run) in zip(refused, complaints):
            with self.subTest(changes):
                self.assertEqual(definition.refusals(kubectl), said)
                self.assertRegex(run, r"\Ajob\.yaml: .*\n")

    def test_what_makes_sense_is_taken_by_both(self):
        taken = TAKEN + own.TAKEN + replicas.TAKEN + updates.TAKEN
        for changes, complaints in zip(taken, self.complaints([changed(changes) for changes in taken])):
            with self.subTest(changes):
                self.assertEqual(complaints, ("", ""))

    def test_what_only_the_model_can_say_is_left_to_the_operator(self):
        refused = OF_THE_MODEL + own.OF_THE_MODEL + updates.OF_THE_MODEL
        complaints = self.complaints([changed(changes) for changes, _ in refused])
        for (changes, said), (kubectl, run) in zip(refused, complaints):
            with self.subTest(changes):
                self.assertEqual((kubectl, run), ("", f"job.yaml: {said}\n"))

    def test_only_a_run_on_one_machine_has_a_folder_of_its_own(self):
        kubectl, run = self.complaints([changed([("  checkpoint: {folder: out}\n", "")])])[0]
        self.assertEqual(definition.refusals(kubectl), ["spec.checkpoint: Required value: jobs of the trainer need it"])
        self.assertEqual(run, "")


if __name__ == "__main__":
    unittest.main(verbosity=2)
