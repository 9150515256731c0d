"""`carrack init` writes manifests that `carrack validate` accepts and `carrack run` trains, for the records at hand."""

import os
import struct
import subprocess
import tempfile
import unittest
import zlib
from pathlib import Path

from dataloader.cli.records import example, file

BIN = Path(os.environ["CARRACK_BUILD"]) / "bin"


def png(height: int, width: int, value: int) -> bytes:
    """A picture of one colour."""
    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    rows = (b"\0" + bytes([value]) * 3 * width) * height
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


class Init(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def carrack(self, *arguments: str, code: int = 0) -> str:
        """What it prints: of a failure the errors."""
        done = subprocess.run([BIN / "carrack", *arguments], cwd=self.folder, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stderr if code else done.stdout

    def write(self, name: str, *records: bytes) -> None:
        (self.folder / name).write_bytes(file(*records))

    def trains(self, *arguments: str) -> str:
        """The manifest that these arguments give, which is valid and can be trained."""
        to = f"{len(list(self.folder.iterdir()))}.yaml"
        self.assertIn(f"{to} is written; ", self.carrack("init", *arguments, "--to", to))
        self.assertIn("is valid", self.carrack("validate", to))
        self.assertIn("\nSucceeded (TrainingSucceeded)\n", self.carrack("run", to, "--folder", f"run-{to}"))
        return (self.folder / to).read_text()

    def write_table(self) -> None:
        rows = "".join(f"{number % 7 / 2},{number % 5},{('Rome', 'Oslo', 'Riga')[number % 3]},{'yes' if number % 2 else 'no'},{number / 4}\n"
                       for number in range(64))
        (self.folder / "sales.csv").write_text("size,stars,city,late,price\n" + rows)
        self.carrack("data", "convert", "sales.csv", "--to", "sales.tfrecord")

    def test_reads_every_column_of_a_table(self):
        self.write_table()
        printed = self.carrack("init", "sales.tfrecord", "--target", "price")
        self.assertEqual(printed.split("\n  model:\n")[1], """    layers:
    - {kind: Embedding, name: city_in, inputs: [city], vocabulary: 3, units: 2}  # a row of trained values for each word
    - {kind: Embedding, name: late_in, inputs: [late], vocabulary: 2, units: 2}  # a row of trained values for each word
    - {kind: Standardize, name: size_in, inputs: [size]}
    - {kind: Embedding, name: stars_in, inputs: [stars], vocabulary: 5, units: 4}  # a row of trained values for each number
    - {kind: Concat, inputs: [city_in, late_in, size_in, stars_in], name: all}
    - {kind: Dense, units: 64, activation: ReLU}
    - {kind: Dense, units: 32, activation: ReLU}
    - {kind: Dense, units: 1}  # the prediction
    loss: {kind: MSE, target: price}
  data:
    train: {files: [sales.tfrecord]}
    # Records that are not trained on, with which each checkpoint is evaluated:
    # eval: {files: [held-out.tfrecord]}
    features:
      city: {type: text, words: [Oslo, Riga, Rome]}
      late: {type: text, words: ["no", "yes"]}
      price: {type: float32}
      size: {type: float32}
      stars: {type: int64}
  training:
    batch: 32
    epochs: 10
    optimizer: {kind: Adam, learningRate: 0.001}
  # `carrack run` puts checkpoints into its own folder; on a cluster, and to keep them apart, name one:
  # checkpoint: {folder: "gs://BUCKET/sales"}
""")
        self.trains("sales.tfrecord", "--target", "price")
        self.assertIn("    - {kind: Dense, units: 1}", self.trains("sales.tfrecord", "--target", "price", "--model", "Linear"))

    def test_tells_classes_of_text_and_of_whole_numbers(self):
        self.write_table()
        text = self.trains("sales.tfrecord", "--target", "late")
        self.assertIn("    - {kind: Dense, units: 2}  # a value for each word\n    loss: {kind: SoftmaxCrossEntropy, target: late}\n", text)
        text = self.trains("sales.tfrecord", "--target", "stars")
        self.assertIn("    - {kind: Dense, units: 5}  # a value for each class\n    loss: {kind: SoftmaxCrossEntropy, target: stars}\n", text)

    def test_reads_images_of_any_size(self):
        self.write("pictures.tfrecord", *(example(photo=[png(8, 6, 50 * (number % 3))], label=[number % 3]) for number in range(32)))
        text = self.trains("pictures.tfrecord")
        self.assertIn("    - {kind: Dense, inputs: [photo], units: 64, activation: ReLU}\n", text)
        self.assertIn("      photo: {type: float32, image: {height: 8, width: 6, white: 1}}\n", text)
        self.assertIn("target: label}\n", text)
        self.assertIn("    - {kind: Dense, units: 144}  # the record again\n", self.trains("pictures.tfrecord", "--model", "Autoencoder"))
        self.write("mixed.tfrecord", *(example(photo=[png(8 + 100 * number, 6, 9)], y=[1.0]) for number in range(4)))
        self.assertIn("      photo: {type: float32, image: {height: 64, width: 6, white: 1}}\n", self.trains("mixed.tfrecord"))

    def test_reads_series_step_by_step(self):
        self.write("series.tfrecord", *(example(**{"a/x": [float(number + step) for step in range(6)], "b": [float(number)] * 6,
                                                   "weight": [1.0], "words": [b"one", b"two"], "y": [float(number)]})
                                        for number in range(32)))
        text = self.trains("series.tfrecord", "--model", "LSTM")
        self.assertIn("""    - {kind: Standardize, name: a_x_in, inputs: [a/x]}
    - {kind: Standardize, name: b_in, inputs: [b]}
    - {kind: Concat, inputs: [a_x_in, b_in], name: steps}
    - {kind: LSTM, name: lstm, units: 32}
    - {kind: Standardize, name: weight_in, inputs: [weight]}
    - {kind: Embedding, name: words_in, inputs: [words], vocabulary: 2, units: 2}  # a row of trained values for each word
    - {kind: Reshape, name: words_row, shape: [4]}
    - {kind: Concat, inputs: [lstm, weight_in, words_row], name: all}
""", text)
        self.assertIn("      a/x: {type: float32, shape: [6, 1]}  # time steps, and values of each\n", text)
        text = self.trains("series.tfrecord", "--model", "Autoencoder", "--target", "b")
        self.assertIn("    loss: {kind: MSE, target: b_in}\n", text)
        self.assertIn("      # weight: is not read by this model\n", text)

    def test_leaves_out_what_no_model_reads_and_says_why(self):
        self.write("rest.tfrecord", *(example(x=[1.0], y=[1.0], id=[10**9 + number], few=[1.0] * (1 + number % 2), x_in=[2.0])
                                      for number in range(9)))
        text = self.trains("rest.tfrecord")
        self.assertIn("      # few: has 1 to 2 values; a manifest names a fixed number\n", text)
        self.assertIn("      # id: holds whole numbers, which a layer reads as places in an Embedding alone; as quantities, convert them "
                      "with --types id=float32\n", text)
        self.assertIn("name: x_in_, inputs: [x]}", text)

    def test_names_the_job_after_the_file(self):
        for name, job in [("Sales 2024-.tfrecord", "sales2024"), ("7.tfrecord", "job"), ("a_b.tfrecord", "ab")]:
            self.write(name, example(x=[1.0], y=[1.0]))
            self.assertIn(f"\n  name: {job}\n", self.carrack("init", name))
        self.assertIn("\n  name: mine\n", self.carrack("init", "7.tfrecord", "--name", "mine"))
        self.assertIn('files: ["*.tfrecord"]', self.carrack("init", "*.tfrecord"))

    def test_says_why_the_manifest_cannot_be_written(self):
        self.write("only.tfrecord", example(x=[1.0], y=[1.0]))
        self.assertTrue(self.carrack("init", "only.tfrecord", "--to", "/dev/null").startswith("/dev/null is written; "))
        self.assertEqual(self.carrack("init", "only.tfrecord", "--to", "only.tfrecord/x.yaml", code=1),
                         "carrack init: only.tfrecord/x.yaml: cannot be written: Not a directory\n")
        self.assertEqual(self.carrack("init", "only.tfrecord", "--to", "n" * 300, code=1),
                         f"carrack init: {'n' * 300}: cannot be written: File name too long\n")

    def test_says_what_it_needs(self):
        self.write_table()
        self.write("only.tfrecord", example(y=[1.0]))
        strange = {"x": [1.0], "label": [10**9], "y": [0.5], "photo": [png(4, 4, 9)], "pair": [1, 2]}
        self.write("strange.tfrecord", example(**strange), example(**strange, few=[1.0]))
        self.write("words.tfrecord", *(example(x=[1.0], label=[b"w%d" % number]) for number in range(17)))
        (self.folder / "taken.yaml").touch()
        (self.folder / "link.yaml").symlink_to("nothing")
        for arguments, message in [
                (["sales.tfrecord"], "--target: say which feature is to be predicted; there are city, late, price, size, stars"),
                (["sales.tfrecord", "--target", "prize"], "--target: 'prize' is not a feature of the records; did you mean 'price'?"),
                (["sales.tfrecord", "--model", "CNN2D"], "--model: does not know 'CNN2D'; there are Linear, MLP, LSTM, Autoencoder; `carrack "
                                                        "init --help` describes them"),
                (["sales.tfrecord", "--model", "MPL"], "--model: does not know 'MPL'; did you mean 'MLP'?; `carrack init --help` describes "
                                                       "them"),
                (["sales.tfrecord", "--model", "LSTM", "--target", "price"],
                 "--model LSTM: needs a float32 feature of several values, which are its time steps; `carrack data convert` with --join "
                 "puts columns together"),
                (["sales.tfrecord", "--model", "Autoencoder", "--target", "city"],
                 "--model Autoencoder: needs a float32 feature or an image as --target; 'city' is none"),
                (["sales.csv"], "sales.csv: holds no records: text; `carrack data convert sales.csv --to sales.tfrecord` makes records of it"),
                (["none.tfrecord"], "none.tfrecord: there is no such file"),
                (["only.tfrecord"], "only.tfrecord: has no feature besides 'y' from which to predict it"),
                (["strange.tfrecord", "--target", "label"],
                 "--target: 'label' holds whole numbers that are no classes, which are from 0 to 9999; to predict a quantity, convert it "
                 "with --types label=float32"),
                (["strange.tfrecord", "--target", "photo"],
                 "--target: 'photo' is an image; --model Autoencoder learns to restore images"),
                (["strange.tfrecord", "--target", "pair"], "--target: 'pair' has 2 values; a class is one"),
                (["strange.tfrecord", "--target", "few"], "--target: 'few' is absent from 1 record; each has to have it, and convert "
                                                          "--fill gives it one"),
                (["words.tfrecord"], "--target: 'label' is text with more than 16 different words; those are too many to be classes"),
                (["only.tfrecord", "--name", "\u00dcn\u00ef"],
                 "--name: '\u00dcn\u00ef' is not a DNS label: a lower-case letter, then lower-case letters, digits and '-', at most 63"),
                (["only.tfrecord", "--to", "taken.yaml"], "--to: taken.yaml exists; remove it, or name another file"),
                (["sales.tfrecord", "--target", "price", "--to", "link.yaml"], "--to: link.yaml exists; remove it, or name another file")]:
            with self.subTest(message):
                self.assertEqual(self.carrack("init", *arguments, code=2), f"carrack init: {message}\n")
        self.assertTrue(self.carrack("init", "--help").startswith("usage: carrack init FILES... "))


if __name__ == "__main__":
    unittest.main()
