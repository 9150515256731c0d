"""`carrack step` computes one step of a manifest's job over its first records and prints it value by value. Wrong values are
named by layer and record."""

import math
import os
import re
import shutil
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

from support.tfrecord import entry, field, frame, varint

BIN = Path(os.environ["CARRACK_BUILD"]) / "bin"
RECORDS = 12

JOB = """
apiVersion: carrack.dev/v1alpha1
kind: TrainingJob
metadata: {{name: job}}
spec:
  strategy: ParameterServer
  replicas: {{ps: {{count: 1}}, worker: {{count: 2}}}}
  model: {model}
  data:
    train: {{files: [data-*.tfrecord]{stages}}}
    features: {features}
  training: {{batch: 8, seed: 7, optimizer: {optimizer}}}
"""

FEATURES = """{x: {type: float32, size: 3}, "y": {type: float32, size: 2}, class: {type: int64},
               number: {type: int64}, steps: {type: float32, shape: [5, 3]}, one: {type: float32}}"""
SGD = "{kind: SGD, learningRate: 0.5}"
COUNTING = "{kind: SGD, learningRate: 1}, reduction: Sum"
ADAM = "{kind: Adam, learningRate: 0.01}"

MLP = """{layers: [{kind: Dense, name: first, inputs: [x], units: 8, activation: ReLU}, {kind: LayerNorm, name: norm},
          {kind: Dropout, name: drop, rate: 0.25}, {kind: Dense, name: last, units: 2}], loss: {kind: MSE, target: "y"}}"""
AUTOENCODER = """{layers: [{kind: LSTM, name: code, inputs: [steps], units: 4}, {kind: RepeatVector, name: repeat, times: 5},
                  {kind: LSTM, name: decoder, units: 6, returnSequences: true},
                  {kind: TimeDistributed, name: out, units: 3}], loss: {kind: Huber, target: steps, delta: 0.5}}"""
CLASSIFIER = """{layers: [{kind: Dense, name: scores, inputs: [x], units: 4}],
                 loss: {kind: SoftmaxCrossEntropy, target: class}}"""
NORMALIZED = """{layers: [{kind: BatchNorm, name: norm, inputs: [x], momentum: 0.75}, {kind: Dense, name: scores, units: 4}],
                 loss: {kind: SoftmaxCrossEntropy, target: class}}"""
LINEAR = "{kind: LinearRegression, input: x, target: one}"
TALLY = "{kind: Tally, record: number, records: 12}"


def floats(*values: float) -> bytes:
    return field(2, field(1, struct.pack(f"<{len(values)}f", *values)))


def integers(*values: int) -> bytes:
    return field(3, field(1, b"".join(varint(value) for value in values)))


def record(number: int, **other: bytes) -> bytes:
    values = {"x": floats(number / 8, 1 - number / 4, number % 3), "y": floats(0.5, number / 12), "class": integers(number % 4),
              "number": integers(number), "steps": floats(*(math.sin(number + i) for i in range(15))), "one": floats(number)}
    return frame(field(1, b"".join(entry(name, value) for name, value in (values | other).items() if value)))


def job(model: str, stages: str = "", optimizer: str = SGD) -> str:
    return JOB.format(model=model, stages=stages, features=FEATURES, optimizer=optimizer)


class Line:
    """A line of the table: the shape, and the numbers by the heads of their columns."""

    def __init__(self, text: str):
        name, self.shape, rest = re.fullmatch(r"(\s*\S+)\s+(\[[\d, ]*\])\s+(.*)", text).groups()
        self.name = name.strip()
        numbers = [float(number) for number in rest.split()]
        self.min, self.mean, self.max, self.nan, self.inf = numbers[:5]
        self.difference = numbers[-1] if len(numbers) > 5 else None
        self.gradient, self.update = numbers[5:7] if len(numbers) == 8 else (None, None)


class Step(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.write([record(number) for number in range(RECORDS)])

    def write(self, records: list[bytes]) -> None:
        shutil.rmtree(self.folder / "carrack-runs", ignore_errors=True)  # the indexes of the files before
        (self.folder / "data-0.tfrecord").write_bytes(b"".join(records[:2]))
        (self.folder / "data-1.tfrecord").write_bytes(b"".join(records[2:]))

    def step(self, manifest: str | None, *arguments: str, code: int = 0) -> str:
        """What it prints: on one of both streams only, but for the progress of indexing."""
        if manifest is not None:
            (self.folder / "job.yaml").write_text(manifest)
        done = subprocess.run([BIN / "carrack", "step", *arguments], cwd=self.folder, capture_output=True, text=True,
                              timeout=60)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        errors = re.sub(r"(?m)^carrack step: (indexing|snapshot:) .*\n", "", done.stderr)
        self.assertEqual(done.stdout if code else errors, "")
        return errors if code else done.stdout

    def lines(self, printed: str) -> dict[str, Line]:
        self.assertRegex(printed.splitlines()[1], r"^ +shape +min +mean +max +NaN +Inf +gradient +update +difference$")
        lines = [Line(text) for text in printed.splitlines()[2:] if not re.match("loss |NaN or infinity ", text)]
        return {line.name: line for line in lines}

    def test_values_agree_with_double_precision(self):
        for model, optimizer in [(MLP, ADAM), (AUTOENCODER, ADAM), (CLASSIFIER, SGD), (NORMALIZED, ADAM), (LINEAR, SGD), (TALLY, COUNTING)]:
            printed = self.step(job(model, optimizer=optimizer), "job.yaml")
            self.assertIn("the first 4 of 12 records, and the initial values of seed 7\n", printed)
            compared = [line for line in self.lines(printed).values() if line.difference is not None]
            self.assertGreater(len(compared), 1, printed)
            for line in compared:
                self.assertLess(line.difference, 1e-5, printed)
                self.assertEqual((line.nan, line.inf), (0, 0))
            loss = re.search(r"^loss (\S+), the mean over the records; difference (\S+)$", printed, re.MULTILINE)
            self.assertLess(float(loss[2]), 1e-5)
            self.assertNotIn("NaN or infinity", printed)

    def test_names_the_layers_and_their_tensors_in_order(self):
        lines = self.lines(self.step(job(AUTOENCODER), "job.yaml", "--records", "3"))
        self.assertEqual(list(lines), ["steps", "code", "code/kernel", "code/recurrent_kernel", "code/bias", "repeat",
                                       "decoder", "decoder/kernel", "decoder/recurrent_kernel", "decoder/bias",
                                       "out", "out/kernel", "out/bias"])
        self.assertEqual([lines[name].shape for name in ("steps", "code", "repeat", "out", "out/kernel")],
                         ["[3, 5, 3]", "[3, 4]", "[3, 5, 4]", "[3, 5, 3]", "[6, 3]"])
        self.assertEqual((lines["code/bias"].min, lines["code/bias"].mean, lines["code/bias"].max), (0, 0.25, 1))

    def test_the_numbers_are_those_of_the_first_records_in_the_order_of_the_files(self):
        lines = self.lines(self.step(job(TALLY, optimizer=COUNTING), "job.yaml", "--records=4"))
        number = lines["number"]
        self.assertEqual((number.min, number.mean, number.max), (0, 1.5, 3))
        self.assertEqual((lines["tally"].gradient, lines["tally"].update), (2, 2), "four elements of -1, and of 1")
        self.assertEqual((lines["tally"].min, lines["tally"].max), (0, 0), "values before the update")
        stages = ", stages: [shuffle: {}, skip: 5, take: 3]"
        skipped = self.lines(self.step(job(TALLY, stages, COUNTING), "job.yaml", "--records=3"))["number"]
        self.assertEqual((skipped.min, skipped.mean, skipped.max), (5, 6, 7))

    def test_filters_apply_through_the_jobs_snapshot(self):
        stages = ", stages: [filter: {feature: one, min: 6}, snapshot: {folder: kept}, shuffle: {}]"
        one = self.lines(self.step(job(LINEAR, stages), "job.yaml", "--records", "2"))["one"]
        self.assertEqual((one.min, one.max), (6, 7))
        self.assertEqual(self.step(None, "job.yaml", "--records", "7", code=1),
                         "carrack step: --records: is 7, but spec.data.train has 6 records\n")

    def test_the_strategy_makes_no_difference(self):
        servers = self.step(job(MLP), "job.yaml")
        alone = job(MLP).replace("strategy: ParameterServer", "strategy: Single")
        alone = "".join(line for line in alone.splitlines(True) if "replicas" not in line)
        self.assertEqual(self.step(alone, "job.yaml"), servers)

    def test_the_gradient_and_the_update_are_those_of_the_formulas(self):
        zeros = CLASSIFIER.replace("units: 4", "units: 4, kernelInitializer: Zeros")
        printed = self.step(job(zeros), "job.yaml")
        self.assertIn(f"\nloss {math.log(4):.4g}, the mean over the records;", printed)
        # The four records have the four classes, each with probability 1/4, and x as record() writes it.
        inputs = [[number / 8, 1 - number / 4, number % 3] for number in range(4)]
        kernel = [sum(inputs[n][i] * (1 / 4 - (n == unit)) / 4 for n in range(4)) for i in range(3) for unit in range(4)]
        lines = self.lines(printed)
        self.assertAlmostEqual(lines["scores/kernel"].gradient, math.hypot(*kernel), places=4)
        self.assertAlmostEqual(lines["scores/kernel"].update, math.hypot(*kernel) / 2, places=4)
        self.assertEqual(lines["scores/bias"].gradient, 0)

    def test_averages_move_to_those_of_the_records(self):
        columns = list(zip(*([number / 8, 1 - number / 4, number % 3] for number in range(4))))
        means = [sum(column) / 4 for column in columns]
        variances = [sum((one - mean) ** 2 for one in column) / 4 for column, mean in zip(columns, means)]
        for optimizer, factor in [(ADAM, 1), (SGD + ", reduction: Sum, clip: {norm: 0.001}", 4)]:
            lines = self.lines(self.step(job(NORMALIZED, optimizer=optimizer), "job.yaml"))
            mean, variance = lines["norm/moving_mean"], lines["norm/moving_variance"]
            self.assertAlmostEqual(mean.gradient, math.hypot(*means) * factor, places=3)
            self.assertAlmostEqual(mean.update, math.hypot(*means) / 4, places=3)
            self.assertAlmostEqual(variance.gradient, math.hypot(*variances) * factor, places=3)
            self.assertAlmostEqual(variance.update, math.hypot(*(one - 1 for one in variances)) / 4, places=3)

    def test_a_job_that_divides_by_nothing_and_clips(self):
        line = self.lines(self.step(job(LINEAR, optimizer=SGD + ", reduction: Sum, clip: {norm: 0.5}"), "job.yaml"))
        self.assertGreater(math.hypot(line["w"].gradient, line["b"].gradient), 0.5)
        self.assertAlmostEqual(math.hypot(line["w"].update, line["b"].update), 0.25, places=3)

    def test_a_wrong_value_is_named_by_layer_and_record(self):
        for wrong, column in [(math.nan, "nan"), (math.inf, "inf")]:
            records = [record(number) for number in range(RECORDS)]
            records[3] = record(3, x=floats(1, wrong, 2))
            self.write(records)
            for model, layer in [(CLASSIFIER, "scores"), (LINEAR, "prediction")]:
                printed = self.step(job(model), "job.yaml")
                place = rf"record 1 of \S*{self.folder}/data-1.tfrecord"
                self.assertRegex(printed, rf"\nNaN or infinity appears first in feature `x`: {place}\n")
                self.assertRegex(printed, rf"\nNaN or infinity appears first in layer `{layer}`: {place}\n$")
                self.assertEqual(getattr(self.lines(printed)["x"], column), 1)
                self.assertRegex(printed, r"\nloss (nan|inf), the mean over the records; difference nan\n")
                self.assertNotIn("-nan", printed)
                self.assertNotIn("NaN or infinity", self.step(None, "job.yaml", "--records", "3"))

    def test_a_loss_that_overflows_though_all_layers_are_finite(self):
        self.write([record(number, one=floats(3e38)) for number in range(RECORDS)])
        self.assertTrue(self.step(job(LINEAR), "job.yaml").endswith("\nNaN or infinity appears first in the loss\n"))

    def test_says_that_its_values_cannot_be_written(self):
        (self.folder / "job.yaml").write_text(job(LINEAR))
        with open("/dev/full", "w") as full:
            done = subprocess.run([BIN / "carrack", "step", "job.yaml"], cwd=self.folder, stdout=full,
                                  stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertTrue(done.stderr.endswith("carrack step: the values cannot be written\n"), done.stderr)

    def test_arguments_that_it_does_not_understand(self):
        (self.folder / "job.yaml").write_text(job(LINEAR))
        for value in ["0", "-1", "1001", "four", "4x", "1e2"]:
            self.assertEqual(self.step(None, "job.yaml", "--records", value, code=2),
                             f"carrack step: --records: is '{value}'; must be a whole number from 1 to 1000\n")
        self.assertEqual(self.step(None, "job.yaml", "--records", code=2), "carrack step: --records needs a value\n")
        self.assertEqual(self.step(None, "job.yaml", "--record", "2", code=2),
                         "carrack step: does not know '--record'; did you mean '--records'?; `carrack step --help` lists what "
                         "it does\n")
        self.assertEqual(self.step(None, "a.yaml", "b.yaml", code=2),
                         "carrack step: takes one manifest; 'b.yaml' is one too many\n")
        help_text = self.step(None, "--help")
        self.assertTrue(help_text.startswith("usage: carrack step MANIFEST "))
        self.assertEqual(self.step(None, code=2), help_text)
        self.assertEqual(self.step(None, "job.yaml", "--trainer", "/nowhere", code=2),
                         "carrack step: /nowhere: cannot be started (No such file or directory); --trainer names the program\n")

    def test_a_manifest_that_cannot_be_read_or_is_wrong(self):
        self.assertEqual(self.step(None, "none.yaml", code=2),
                         "carrack step: none.yaml: cannot be read: No such file or directory\n")
        wrong = job(LINEAR).replace("batch: 8", "batch: 0").replace("input: x", "input: z")
        self.assertEqual(self.step(wrong, "job.yaml", code=2),
                         "job.yaml: spec.model.input: 'z' is not a feature; spec.data.features has class, number, one, steps, x, y "
                         "(line 8)\n"
                         "job.yaml: spec.training.batch: is 0; must be from 1 to 2147483647 (line 13)\n")

    def test_data_that_cannot_be_used(self):
        self.assertEqual(self.step(job(LINEAR), "job.yaml", "--records", "13", code=1),
                         "carrack step: --records: is 13, but spec.data.train has 12 records\n")
        self.write([record(number, **({"x": b""} if number == 3 else {})) for number in range(RECORDS)])
        errors = self.step(None, "job.yaml", code=1)
        self.assertRegex(errors, rf"^carrack step: \S*{self.folder}/data-1\.tfrecord: record 1 at byte \d+: there is no "
                               r"feature .x.\n$")
        self.write([record(number, **({"class": integers(9)} if number == 3 else {})) for number in range(RECORDS)])
        self.assertRegex(self.step(job(CLASSIFIER), "job.yaml", code=1),
                         rf"^carrack step: \S*{self.folder}/data-1\.tfrecord: record 1 at byte \d+: spec.model: a record has 9 as "
                         r"`class`, but the classes are 0 to 3\n$")
        for file in self.folder.glob("*.tfrecord"):
            file.unlink()
        self.assertEqual(self.step(job(LINEAR), "job.yaml", code=1),
                         f"carrack step: spec.data.train.files: no file matches {self.folder}/data-*.tfrecord\n")


if __name__ == "__main__":
    unittest.main()
