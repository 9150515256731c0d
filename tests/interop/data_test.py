"""`carrack data` describes TensorFlow's files correctly, and TensorFlow reads the files that it writes."""

import base64
import csv
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from interop import tensorflow_program
from interop.compressions import COMPRESSIONS

CARRACK = Path(os.environ["CARRACK_BUILD"]) / "bin/carrack"

WRITE = """
import json, random, sys
import numpy as np
import tensorflow as tf

def ints(values): return tf.train.Feature(int64_list=tf.train.Int64List(value=values))
def floats(values): return tf.train.Feature(float_list=tf.train.FloatList(value=values))
def strings(values): return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))

draw = np.random.default_rng(1)
x = draw.normal(size=(3000, 4)).astype(np.float32)
label = draw.integers(-5, 2**40, size=3000)
image = tf.io.encode_jpeg(tf.zeros([37, 50, 3], tf.uint8)).numpy()
for file, compression in enumerate(["", "GZIP", "ZLIB"]):
    with tf.io.TFRecordWriter(f"{sys.argv[1]}/x-{file}.tfrecord", compression) as out:
        for i in range(1000 * file, 1000 * file + 1000):
            features = {"x": floats(x[i]), "label": ints([label[i]]), "image": strings([image]),
                        "tags": ints(range(i % 4)), "name": strings([b"n%d" % (i % 7)])}
            out.write(tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString())
with tf.io.TFRecordWriter(f"{sys.argv[1]}/sequence") as out:
    for i in range(5):
        lists = {"l": tf.train.FeatureList(feature=[floats([j, -j]) for j in range(i)])}
        out.write(tf.train.SequenceExample(context=tf.train.Features(feature={"c": ints([i])}),
                                           feature_lists=tf.train.FeatureLists(feature_list=lists)).SerializeToString())
flat = x.astype(np.float64).ravel()
print(json.dumps({"mean": flat.mean(), "std": flat.std(), "min": float(flat.min()), "max": float(flat.max()),
                  "sorted": sorted(flat), "labels": [int(label.min()), int(label.max()), len(set(label.tolist()))]}))
"""

# Each Example as JSON, in the order of the files.
READ = """
import base64, glob, json, sys
import tensorflow as tf
for path in sorted(glob.glob(sys.argv[1])):
    for record in tf.data.TFRecordDataset(path, sys.argv[2]).as_numpy_iterator():
        features = tf.train.Example.FromString(record).features.feature
        print(json.dumps({name: [base64.b64encode(v).decode() for v in f.bytes_list.value] if f.HasField("bytes_list")
                          else list(f.float_list.value) + list(f.int64_list.value) for name, f in sorted(features.items())}))
"""


class Data(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.written = json.loads(tensorflow_program.run(WRITE, cls.folder))

    def data(self, *arguments: str) -> str:
        done = subprocess.run([CARRACK, "data", *arguments], cwd=self.folder, capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return done.stdout

    def test_computes_the_statistics_that_numpy_computes(self):
        found = json.loads(self.data("stats", "x-*", "--json"))
        self.assertEqual([file["kind"] for file in found["files"]], ["TFRecord", "TFRecord, GZIP", "TFRecord, ZLIB"])
        features = {feature["name"]: feature for feature in found["features"]}
        numbers = features["x"]["float32"]
        self.assertEqual((numbers["count"], numbers["min"], numbers["max"]), (12_000, self.written["min"], self.written["max"]))
        self.assertAlmostEqual(numbers["mean"], self.written["mean"], places=12)
        self.assertAlmostEqual(numbers["std"], self.written["std"], places=12)
        ranks = {value: rank for rank, value in enumerate(self.written["sorted"])}
        quantiles = dict(numbers["quantiles"])
        error = quantiles.pop("rank_error")
        self.assertLess(error, 0.005)
        for share, value in quantiles.items():
            self.assertLessEqual(abs(ranks[value] / 12_000 - float(share)), error + 1 / 12_000, share)
        least, most, different = self.written["labels"]
        label = features["label"]["int64"]
        self.assertEqual((label["min"], label["max"], label["distinct"]), (least, most, {"count": different, "exact": True}))
        self.assertEqual(features["image"]["bytes"]["images"], {
            "JPEG": {"count": 3000, "width": {"min": 50, "max": 50}, "height": {"min": 37, "max": 37}}})
        self.assertEqual(features["tags"]["values"], {"min": 0, "max": 3})
        self.assertEqual(sum(one["count"] for one in features["name"]["bytes"]["counts"]), 3000)

    def test_recognizes_sequence_examples(self):
        self.assertIn("\nall 5 records: tf.SequenceExample\n", self.data("inspect", "sequence"))
        last = json.loads(self.data("head", "sequence", "--json").splitlines()[4])["holds"]
        self.assertEqual(last, {"context": {"c": [4]}, "feature_lists": {"l": [[j, -j] for j in range(4)]}})

    def test_describes_compressed_files_as_plain_ones(self):
        def described(name: str, content: bytes) -> list:
            (self.folder / name).write_bytes(content)
            stats = json.loads(self.data("stats", name, "--json"))["features"]
            self.data("convert", name, "--to", "z.jsonl")
            rows = (self.folder / "z.jsonl").read_text()
            (self.folder / "z.jsonl").unlink()
            return [stats, self.data("head", name, "--json", "-n", "3"), rows]

        content = (self.folder / "x-0.tfrecord").read_bytes()
        plain = described("plain", content)
        for name, compress in COMPRESSIONS.items():
            packed = described("packed", compress(content))
            self.assertEqual(packed[0], plain[0], name)
            self.assertEqual(packed[1].replace("packed", "plain"), plain[1], name)
            self.assertTrue(packed[2] == plain[2], name)

    def test_writes_records_that_tensorflow_reads(self):
        expected = "".join(tensorflow_program.run(READ, self.folder / f"x-{file}.tfrecord", compression)
                           for file, compression in enumerate(["", "GZIP", "ZLIB"]))
        for ending, compression in {"": "", ".gz": "GZIP", ".zlib": "ZLIB"}.items():
            self.data("convert", "x-?.tfrecord", "--to", f"y.tfrecord{ending}", "--shards", "4")
            self.assertEqual(tensorflow_program.run(READ, self.folder / f"y-*{ending}", compression), expected)
            for shard in self.folder.glob("y-*"):
                shard.unlink()

    def test_converts_other_rows_to_examples_that_tensorflow_reads(self):
        rows = [{"id": n, "x": n / 4 if n % 5 else "", "text": f'a "{n}"\n' * (n % 9)} for n in range(30_000)]
        with open(self.folder / "rows.csv", "w", newline="") as file:
            writer = csv.DictWriter(file, ["id", "x", "text"])
            writer.writeheader()
            writer.writerows(rows)
        (self.folder / "rows.jsonl").write_text("".join(
            json.dumps({name: value for name, value in row.items() if value != ""}) + "\n" for row in rows))
        tensorflow_program.run("import sys, numpy; numpy.savez(sys.argv[1], id=numpy.arange(9), x=numpy.ones([9, 2, 3]))",
                               self.folder / "rows.npz")
        expected = [{name: [base64.b64encode(value.encode()).decode()] if isinstance(value, str) else [value]
                     for name, value in sorted(row.items()) if value != ""} for row in rows]
        for source in ["rows.csv", "rows.jsonl"]:
            self.data("convert", source, "--to", "rows.tfrecord.gz")
            read = tensorflow_program.run(READ, self.folder / "rows.tfrecord.gz", "GZIP")
            self.assertTrue(list(map(json.loads, read.splitlines())) == expected, source)
            (self.folder / "rows.tfrecord.gz").unlink()
        self.data("convert", "rows.npz", "--to", "rows.tfrecord")
        read = tensorflow_program.run(READ, self.folder / "rows.tfrecord", "")
        self.assertEqual(list(map(json.loads, read.splitlines())), [{"id": [n], "x": [1.0] * 6} for n in range(9)])

    def test_writes_json_lines_with_the_values_that_tensorflow_parses(self):
        self.data("convert", "x-0.tfrecord", "--to", "x.jsonl")

        def in_base64(value: object) -> object:
            if isinstance(value, dict):
                return value["base64"]
            return base64.b64encode(value.encode()).decode() if isinstance(value, str) else value

        theirs = map(json.loads, tensorflow_program.run(READ, self.folder / "x-0.tfrecord", "").splitlines())
        for line, parsed in zip((self.folder / "x.jsonl").read_text().splitlines(), theirs, strict=True):
            ours = {name: [in_base64(value) for value in values] for name, values in json.loads(line).items()}
            self.assertEqual(set(ours), set(parsed))
            for name, values in parsed.items():
                # Theirs are float32 as float64; ours have the fewest digits that read as the same float32.
                close = [abs(a - b) <= 1e-7 * abs(b) if isinstance(b, float) else a == b for a, b in zip(ours[name], values, strict=True)]
                self.assertTrue(all(close), (name, ours[name], values))


if __name__ == "__main__":
    unittest.main()
