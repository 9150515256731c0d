"""`carrack predict` computes for each record what TensorFlow computes with the weights of the checkpoint, and scikit-learn's
metrics of that. A checkpoint says what its model is, so no manifest is needed."""

import json
import subprocess
import tempfile
import unittest
from pathlib import Path

import job
import networks
from interop import peers, tensorflow_program

# Outputs and losses of each record in double precision.
OUTPUTS = networks.READ + """
prefix, data, case = sys.argv[1:]
weights, of = tensors(prefix), columns(data)
def dense(x, name):
    return x @ weights[name + "/kernel"] + weights[name + "/bias"]
def classes():
    scores = dense(tf.tanh(dense(tf.nn.relu(dense(of["point"], "dense")), "dense_1")), "dense_2")
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(of["class"], scores) * of["importance"][:, 0]
    return {"outputs": tf.nn.softmax(scores), "losses": losses, "targets": of["class"]}
def labels():
    scores = dense(tf.sigmoid(dense(of["point"], "dense")), "dense_1")
    losses = tf.nn.sigmoid_cross_entropy_with_logits(of["half"], scores)[:, 0]
    return {"outputs": tf.sigmoid(scores), "losses": losses, "targets": of["half"]}
def drops():
    restored = tf.reshape(dense(tf.reshape(tf.tanh(dense(of["track"], "dense")), [-1, 20]), "dense_1"), [-1, 4, 3])
    squares = (restored - of["track"]) ** 2
    return {"outputs": restored, "losses": tf.reduce_mean(squares, [1, 2]), "targets": of["track"]}
def standards():
    track = (of["track"] - constants(prefix)["standardize/mean"]) / constants(prefix)["standardize/deviation"]
    restored = dense(tf.tanh(dense(track, "dense")), "dense_1")
    return {"outputs": restored, "losses": tf.reduce_mean((restored - track) ** 2, [1, 2]), "targets": track}
print(json.dumps({name: values.numpy().tolist() for name, values in globals()[case]().items()}))
"""

METRICS = """
import json, sys
import numpy as np
from sklearn import metrics
case, of = sys.argv[1], {name: np.array(values) for name, values in json.load(sys.stdin).items()}
targets, outputs = of["targets"], of["outputs"]
if case == "classes":
    found = {"accuracy": metrics.accuracy_score(targets, outputs.argmax(1))}
elif case == "labels":
    found = {"accuracy": metrics.accuracy_score(targets[:, 0] > 0.5, outputs[:, 0] > 0.5),
             "area under the ROC curve": metrics.roc_auc_score(targets[:, 0], outputs[:, 0])}
else:
    flat = targets.reshape(-1, 3), outputs.reshape(-1, 3)
    found = {"mean absolute error": metrics.mean_absolute_error(*flat), "mean squared error": metrics.mean_squared_error(*flat)}
print(json.dumps(found | {"loss": of["losses"].mean()}))
"""

OLD = Path(__file__).with_name("vectors") / "async"  # a checkpoint of an earlier release

LABELS = ("""
    - {kind: Dense, inputs: [point], units: 8, activation: Sigmoid}
    - {kind: Dense, units: 1}
""", "kind: SigmoidCrossEntropy, target: half")


def predict(*arguments: object, exit_code: int = 0) -> subprocess.CompletedProcess:
    done = subprocess.run([job.BIN / "carrack", "predict", *map(str, arguments)], capture_output=True, text=True, timeout=60)
    if done.returncode != exit_code:
        raise AssertionError(f"carrack predict ended with {done.returncode}\n{done.stderr}")
    return done


class Predict(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.data = cls.folder / "spiral.tfrecord"
        tensorflow_program.write(networks.WRITE, cls.data)

    def trained(self, layers: str, loss: str, **fields) -> Path:
        fields = {"optimizer": "kind: Adam, learningRate: 0.01", "epochs": 4, "every_steps": 100} | fields
        return networks.train(Path(tempfile.mkdtemp(dir=self.folder)), self.data, layers, loss, **fields).folder

    def test_computes_what_tensorflow_computes(self):
        python = peers.python("scikit-learn")
        cases = {"classes": networks.NETWORKS["classes"], "labels": LABELS, "drops": networks.NETWORKS["drops"],
                 "standards": networks.NETWORKS["standards"]}
        for case, (layers, loss) in cases.items():
            with self.subTest(case):
                checkpoints = self.trained(layers, loss, evaluation=f'\n    eval: {{files: ["{self.data}"]}}')
                [last] = [path for path in checkpoints.glob("checkpoint-120-*.manifest")]
                expected = json.loads(tensorflow_program.run(OUTPUTS, str(last).removesuffix(".manifest"), self.data, case))
                done = predict(checkpoints, self.data)
                lines = [json.loads(line) for line in done.stdout.splitlines()]
                self.assertEqual([line["record"] for line in lines], list(range(networks.POINTS)))
                self.assertEqual({line["file"] for line in lines}, {str(self.data)})
                is_restored = case in ("drops", "standards")
                field = "output" if is_restored else "probabilities"
                self.assert_near([line[field] for line in lines], expected["outputs"])
                self.assert_near([line["loss"] for line in lines], expected["losses"])
                if case == "classes":
                    self.assertEqual([line["class"] for line in lines], [max(range(3), key=one.__getitem__) for one in expected["outputs"]])
                if is_restored:
                    self.assert_near([sum(line["errors"]) / 3 for line in lines], expected["losses"])
                given = json.dumps({"targets": expected["targets"], "outputs": [line[field] for line in lines],
                                    "losses": [line["loss"] for line in lines]})
                judged = subprocess.run([python, "-c", METRICS, case], input=given, capture_output=True, text=True, check=True)
                self.assert_says(done.stderr, json.loads(judged.stdout))
                self.assert_recorded(checkpoints, json.loads(judged.stdout))
                evaluated = predict(checkpoints, self.data, "--metrics")
                self.assertEqual((evaluated.stdout, evaluated.stderr), (done.stderr, ""))
                for name in last, str(last).removesuffix(".manifest"):
                    self.assertEqual(predict(name, self.data).stdout, done.stdout, "the same checkpoint by its name")

    def assert_near(self, ours: list, expected: list):
        def flat(values) -> list[float]:
            return [one for value in values for one in flat(value)] if isinstance(values, list) else [values]
        self.assertEqual(len(flat(ours)), len(flat(expected)))
        for one, other in zip(flat(ours), flat(expected)):
            self.assertLess(abs(one - other), 1e-5 * (1 + abs(other)))

    def assert_says(self, printed: str, metrics: dict[str, float]):
        count, _, rest = printed.strip().partition(": ")
        self.assertEqual(count, f"{networks.POINTS:,} records")
        found = {name: float(value) for name, _, value in (one.rpartition(" ") for one in rest.split(", "))}
        self.assertEqual(set(found), set(metrics))
        for name, value in metrics.items():
            self.assertLess(abs(found[name] - value), 2e-6 * max(1, abs(value)), name)

    def assert_recorded(self, checkpoints: Path, metrics: dict[str, float]):
        """The history of the job has the same metrics of its last checkpoint, with all their digits."""
        points = map(json.loads, (checkpoints / "metrics.jsonl").read_text().splitlines())
        last = [point["evaluation"] for point in points if "evaluation" in point][-1]
        self.assertEqual(last.pop("records"), networks.POINTS)
        names = {"area under the ROC curve": "area_under_curve"}
        expected = {names.get(name, name.replace(" ", "_")): value for name, value in metrics.items()}
        self.assertEqual(set(last), set(expected))
        for name, value in expected.items():
            self.assertLess(abs(last[name] - value), 1e-6 * max(1, abs(value)), name)

    def test_needs_no_target_without_losses(self):
        checkpoints = self.trained(*LABELS, strategy=job.parameter_server(2, 2))
        bare = self.folder / "bare.tfrecord"
        tensorflow_program.run(tensorflow_program.EXAMPLES + 'write(sys.argv[1], [{"point": [0.5, -0.25]}] * 3)', bare)
        self.assertEqual(len(predict(checkpoints, bare, "--no-loss").stdout.splitlines()), 3)
        self.assertEqual(predict(checkpoints, bare, "--no-loss").stderr, "3 records\n")
        failed = predict(checkpoints, bare, exit_code=1)
        self.assertIn('bare.tfrecord: record 0 at byte 12: there is no feature "half", which the loss reads; --no-loss leaves the loss out', failed.stderr)

    def test_says_what_cannot_be_used(self):
        checkpoints = self.trained(*LABELS, epochs=1)
        (self.folder / "empty").mkdir(exist_ok=True)
        none, run = self.folder / "none", checkpoints.parent
        text = self.folder / "table.csv"
        text.write_text("id,point\n1,2\n")
        cases = [
            ([self.folder / "empty", self.data], "empty: holds no HEAD; name the checkpoint folder of a job"),
            ([none, self.data], f"predict: {none}: does not exist; name the checkpoint folder of a job\n"),
            ([run, self.data], f"predict: {run}: holds no HEAD; did you mean {checkpoints}?\n"),
            ([run / "BEST", self.data], f"predict: {run}: holds no BEST; did you mean {checkpoints}?\n"),
            ([checkpoints / "BEST", self.data],
             f"predict: {checkpoints}: holds no BEST; no checkpoint there was evaluated; see spec.data.eval\n"),
            ([checkpoints / "checkpoint-7-0-1-1.manifest", self.data], "checkpoint-7-0-1-1.manifest: there is no such checkpoint"),
            ([checkpoints, self.folder / "none-*.tfrecord"], "none-*.tfrecord"),
            ([OLD, self.data], "does not say what its model is, as an earlier release wrote it; let the job go on with this release"),
            ([checkpoints, text], "it is text; `carrack data convert` makes TFRecords of CSV and of JSON lines"),
        ]
        for arguments, message in cases:
            with self.subTest(message):
                failed = predict(*arguments, exit_code=1)
                self.assertTrue(failed.stderr.startswith("carrack predict: "), failed.stderr)
                self.assertIn(message, failed.stderr)
                self.assertEqual(failed.stdout, "")
        for arguments, message in [([checkpoints], "carrack predict: needs files of records after the checkpoint\n"),
                                   (["--no-los", checkpoints, self.data],
                                    "carrack predict: does not know '--no-los'; did you mean '--no-loss'?; "
                                    "`carrack predict --help` lists what it does\n"),
                                   (["--trainer="], "carrack predict: --trainer needs a value\n"),
                                   (["--metrics", "--no-loss", checkpoints, self.data],
                                    "carrack predict: --metrics needs the loss, which --no-loss leaves out\n"),
                                   (["--no-loss=x"], "carrack predict: --no-loss takes no value\n")]:
            self.assertEqual(predict(*arguments, exit_code=2).stderr, message)
        [index] = checkpoints.glob("checkpoint-30-*.data-00000-of-00001")
        damaged = bytearray(index.read_bytes())
        damaged[5] ^= 1
        index.write_bytes(damaged)
        failed = predict(checkpoints, self.data, exit_code=1)
        self.assertIn("it is not what Carrack wrote: restore it", failed.stderr)

    def test_names_the_record_that_the_model_cannot_use(self):
        layers, loss = networks.NETWORKS["numbers"]
        checkpoints = self.trained(layers, loss, epochs=1)
        strange = self.folder / "strange.tfrecord"
        records = '[{"class": [i % 3], "turns": [0, 5 if i < 7 else 6], "point": [0.0, 1.0]} for i in range(20)]'
        tensorflow_program.run(tensorflow_program.EXAMPLES + f"write(sys.argv[1], {records})", strange)
        failed = predict(checkpoints, strange, exit_code=1)
        self.assertIn("strange.tfrecord: record 7: spec.model: a record has 6 as `turns`, but `two/embeddings` has rows 0 to 5",
                      failed.stderr)
        self.assertEqual([json.loads(line)["record"] for line in failed.stdout.splitlines()], list(range(7)))

    def test_names_the_record_with_an_unknown_word(self):
        checkpoints = self.trained(*networks.NETWORKS["words"], epochs=1)
        strange = self.folder / "strange.tfrecord"
        records = '[{"arm": [b"red" if i != 7 else b"pink"], "streets": [b"Fifth Avenue", b""], "tag": [b"\\xff"]} for i in range(20)]'
        tensorflow_program.run(tensorflow_program.EXAMPLES + f"write(sys.argv[1], {records})", strange)
        self.assertRegex(predict(checkpoints, strange, exit_code=1).stderr,
                         r'strange.tfrecord: record 7 at byte \d+: feature "arm" is "pink", which is not one of its words\n$')

    def test_says_nothing_of_no_records(self):
        empty = self.folder / "empty.tfrecord"
        empty.touch()
        done = predict(self.trained(*LABELS, epochs=1), empty)
        self.assertEqual((done.stdout, done.stderr), ("", "0 records\n"))

    def test_refuses_files_of_another_checkpoint(self):
        first, second = (self.trained(*LABELS, epochs=1, more=f", seed: {seed}") for seed in (1, 2))
        for file in second.glob("checkpoint-*"):
            if not file.name.endswith(".manifest"):
                (first / file.name).write_bytes(file.read_bytes())
        self.assertIn(".index: is not what was committed; was it overwritten?", predict(first, self.data, exit_code=1).stderr)

    def test_stops_when_nobody_reads(self):
        checkpoints = self.trained(*LABELS, epochs=1)
        with open("/dev/full", "w") as full:
            done = subprocess.run([job.BIN / "carrack", "predict", checkpoints, self.data], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "carrack predict: the lines cannot be written\n")


if __name__ == "__main__":
    unittest.main()
