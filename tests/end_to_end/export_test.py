"""`carrack export` writes models that TensorFlow loads, and whose signatures give what `carrack predict` gives."""

import json
import math
import os
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import job
import networks
from interop import tensorflow_program

# For each model: what both of its signatures give for the records, and what they are.
SERVE = networks.READ + """
data, *folders = sys.argv[1:]
records = list(tf.data.TFRecordDataset(data).as_numpy_iterator())
all = columns(data)
for folder in folders:
    model = tf.saved_model.load(folder)
    plain, parsing = model.signatures["serving_default"], model.signatures.get("examples")
    names = plain.structured_input_signature[1]
    of_columns = plain(**{name: tf.reshape(tf.cast(all[name.rstrip("_")], spec.dtype), [-1, *spec.shape[1:]] if spec.shape.rank > 1 else [-1]) for name, spec in names.items()})
    results = [of_columns] + ([parsing(examples=tf.constant(records))] if parsing else [])
    print(json.dumps({"inputs": sorted(names), "outputs": [{name: value.numpy().astype(str if value.dtype == tf.string else value.numpy().dtype).tolist() for name, value in one.items()} for one in results]}))
"""

MANIFEST = """
apiVersion: carrack.dev/v1alpha1
kind: TrainingJob
metadata: {{name: plain}}
spec:
  strategy: Single
  model: {{{model}}}
  data: {{train: {{files: ["{data}"]}}, features: {{{features}}}}}
  training: {{batch: 50, {training}}}
  checkpoint: {{folder: "{checkpoints}"}}
"""
PLAIN = {
    "line": {"model": "kind: LinearRegression, input: point, target: half", "training": "optimizer: {kind: SGD}",
             "features": "point: {type: float32, size: 2}, half: {type: float32}"},
    "tally": {"model": "kind: Tally, record: class, records: 3", "features": "class: {type: int64}",
              "training": "reduction: Sum, optimizer: {kind: SGD, learningRate: 1}"},
}

# Besides these a model has its last layer's values, as "output".
MORE = {"classes": {"class", "probabilities"}, "halves": {"probabilities"}, "pixels": {"probabilities"},
        "points": {"error", "errors"}, "windows": {"error", "errors"}, "norms": {"error", "errors"}, "attention": {"error", "errors"}, "bends": set(), "transformer": {"class", "probabilities"}, "images": {"error", "errors"}, "pools": set(), "batches": {"error", "errors"},
        "autoencoder": {"error", "errors"}, "drops": {"error", "errors"}, "standards": {"error", "errors"}, "units": set(), "ways": set(), "numbers": set(), "squares": set(),
        "words": {"class", "label", "probabilities"}}


def carrack(command: str, *arguments: object, exit_code: int = 0) -> subprocess.CompletedProcess:
    done = subprocess.run([job.BIN / "carrack", command, *map(str, arguments)], capture_output=True, text=True, timeout=60)
    if done.returncode != exit_code:
        raise AssertionError(f"carrack {command} ended with {done.returncode}\n{done.stderr}")
    return done


def flat(values) -> list[float]:
    return [one for value in values for one in flat(value)] if isinstance(values, list) else [values]


class Export(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.data = cls.folder / "spiral.tfrecord"
        tensorflow_program.write(networks.WRITE, cls.data)

    def trained(self, name: str) -> Path:
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        if name in PLAIN:
            with job.Run(folder, MANIFEST.format(data=self.data, checkpoints=folder / "checkpoints", **PLAIN[name])) as run:
                run.finish()
            return folder / "checkpoints"
        layers, loss = networks.NETWORKS[name]
        return networks.train(folder, self.data, layers, loss, epochs=2, every_steps=1000).folder

    def test_tensorflow_computes_what_we_compute(self):
        self.assertGreaterEqual(networks.POINTS, 1_000)
        checkpoints = {name: self.trained(name) for name in [*MORE, *PLAIN]}
        for name, folder in checkpoints.items():
            printed = carrack("export", folder, "--to", self.folder / "models" / name / "1").stdout
            self.assertEqual(printed, f"{self.folder}/models/{name}/1/saved_model.pb\n")
        served = tensorflow_program.run(SERVE, self.data, *(self.folder / "models" / name / "1" for name in checkpoints))
        worst = 0.0
        for (name, folder), line in zip(checkpoints.items(), served.splitlines(), strict=True):
            with self.subTest(name):
                theirs = json.loads(line)
                ours = [json.loads(one) for one in carrack("predict", folder, self.data).stdout.splitlines()]
                self.assertEqual(len(theirs["outputs"]), 2, "serving_default and examples")
                for outputs in theirs["outputs"]:
                    self.assertEqual(set(outputs), {"output"} | MORE.get(name, set()))
                    if "probabilities" in outputs:
                        self.assert_scores(outputs)
                    if "label" in outputs:
                        self.assertEqual(outputs["label"], [one["label"] for one in ours])
                        self.assertEqual(set(outputs["label"]), {"red", "green", "blue"})
                    for output, field in self.compared(name, outputs).items():
                        worst = max(worst, self.assert_near([one[field] for one in ours], outputs[output]))
        print(f"{len(checkpoints)} models, both signatures: furthest apart {worst:.1e}")

    def compared(self, name: str, outputs: dict) -> dict[str, str]:
        """What of `carrack predict` each output is."""
        if "probabilities" in outputs:
            return {"probabilities": "probabilities"} | ({"class": "class"} if "class" in outputs else {})
        is_squared = "MSE" in networks.NETWORKS.get(name, ("", ""))[1]
        return {"output": "output"} | ({"errors": "errors"} if "errors" in outputs else {}) | (
            {"error": "loss"} if "error" in outputs and is_squared else {})

    def assert_scores(self, outputs: dict) -> None:
        """The scores are what the probabilities are made of."""
        for scores, probabilities in zip(outputs["output"], outputs["probabilities"], strict=True):
            powers = [math.exp(score) for score in scores]
            made = [one / sum(powers) for one in powers] if "class" in outputs else [one / (1 + one) for one in powers]
            for one, probability in zip(made, probabilities, strict=True):
                self.assertAlmostEqual(one, probability, 5)

    def assert_near(self, ours: list, theirs: list) -> float:
        """Returns how far they are apart."""
        self.assertEqual(len(flat(ours)), len(flat(theirs)))
        self.assertTrue(all(map(math.isfinite, flat(ours))))
        worst = max(abs(one - other) / (1 + abs(other)) for one, other in zip(flat(ours), flat(theirs)))
        self.assertLess(worst, 1e-5)
        return worst

    def test_is_refused_where_there_is_a_model(self):
        checkpoints, to = self.trained("squares"), self.folder / "twice"
        carrack("export", checkpoints, "--to", to)
        before = (to / "saved_model.pb").read_bytes()
        self.assertEqual(carrack("export", checkpoints, "--to", to, exit_code=1).stderr,
                         f"carrack export: {to}/saved_model.pb: exists already; export to another folder\n")
        self.assertEqual((to / "saved_model.pb").read_bytes(), before)
        self.assertEqual(os.listdir(to), ["saved_model.pb"])

    def test_says_what_is_missing(self):
        for arguments, message in [
                ([self.folder], "needs --to, the folder to write to"),
                ([self.folder, self.folder, "--to", "x"], "takes one checkpoint; --to names the folder to write to"),
                ([self.folder, "--too", "x"], "does not know '--too'; did you mean '--to'?; `carrack export --help` lists what it does")]:
            self.assertEqual(carrack("export", *arguments, exit_code=2).stderr, f"carrack export: {message}\n")
        none = self.folder / "none"
        for folder, why in [(self.folder, "holds no HEAD; name the checkpoint folder of a job"), (none, "does not exist; name the checkpoint folder of a job")]:
            self.assertEqual(carrack("export", folder, "--to", self.folder / "x", exit_code=1).stderr,
                             f"carrack export: {folder}: {why}\n")
        self.assertFalse((self.folder / "x").exists())

    def test_a_killed_export_leaves_nothing_to_load(self):
        """Of a model of 64 MB, so that kills come while it is written."""
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        manifest = MANIFEST.format(data=self.data, checkpoints=folder / "checkpoints", **PLAIN["tally"]).replace("records: 3", "records: 16000000")
        with job.Run(folder, manifest) as run:
            run.finish()
        start = time.monotonic()
        carrack("export", folder / "checkpoints", "--to", folder / "whole")
        took, whole = time.monotonic() - start, (folder / "whole/saved_model.pb").read_bytes()
        early = late = partial = 0
        for number in range(20):
            to = folder / str(number)
            process = subprocess.Popen([job.BIN / "carrack", "export", folder / "checkpoints", "--to", to], stdout=subprocess.DEVNULL)
            until = time.monotonic() + took * (0.2 + number / 20)
            while (time.monotonic() < until or number > 15) and not (to / "saved_model.pb").exists():
                time.sleep(0.001)
            process.send_signal(signal.SIGKILL)
            process.wait()
            files = os.listdir(to) if to.exists() else []
            partial += any(name.startswith(".carrack.write") for name in files)
            if "saved_model.pb" in files:
                late += 1
                self.assertEqual((to / "saved_model.pb").read_bytes(), whole)
            else:
                early += 1
        print(f"{early} exports killed before the model was there, {partial} of them while it was written, and {late} behind that")
        self.assertGreater(early, 2)
        self.assertGreater(late, 2)


if __name__ == "__main__":
    unittest.main()
