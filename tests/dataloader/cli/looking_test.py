"""What `carrack data inspect`, `head` and `stats` print of small files."""

import gzip
import json
import subprocess
import unittest

import records


class Inspect(records.Program, unittest.TestCase):
    def test_prints_files_features_and_the_lines_for_a_manifest(self):
        self.write_points()
        self.write("empty.tfrecord", b"")
        self.write("packed.gz", gzip.compress(records.file(records.example(x=[1.0, 2.0], label=[7], image=[records.GIF])), 0))
        self.write("notes.txt", b"id,x\n1,2\n")
        self.assertEqual(self.data("inspect", "*"), (0, """\
empty.tfrecord  empty                      0 bytes
notes.txt       text                       9 bytes
p-0.tfrecord    TFRecord        2 records  156 bytes  62 bytes each
p-1.tfrecord    TFRecord        2 records  156 bytes  62 bytes each
packed.gz       TFRecord, GZIP  1 record   101 bytes  62 bytes each

5 files, 422 bytes, 5 records

all 5 records: tf.Example

feature  type     values  absent  holds                for example
image    bytes    1               GIF 10x20, 10 bytes  ["GIF 10x20, 10 bytes"]
label    int64    1               0 to 7, mean 2.6     [0]
x        float32  2               -1 to 3.5, mean 0.7  [0.5, -1.0]

in a manifest, under `spec`:

data:
  features:
    label: {type: int64}
    x: {type: float32, size: 2}
    # "image": is bytes, of which a manifest names text, JPEGs, PNGs and raw pixels (uint8)
""", ""))

    def test_reads_the_first_records_only_and_says_so(self):
        self.write("many.tfrecord", records.file(*[records.example(x=[1.0])] * 3000))
        code, out, _ = self.data("inspect", "many.tfrecord")
        self.assertEqual(code, 0)
        self.assertEqual(out.splitlines()[0], "many.tfrecord  TFRecord  about 3,000 records  99.0 kB  17 bytes each")
        self.assertIn("\nthe first 1,000 records (--all looks at every one): tf.Example\n", out)
        self.assertIn("\nin a manifest, under `spec`, as far as these records tell:\n", out)
        _, out, _ = self.data("inspect", "many.tfrecord", "--all")
        self.assertIn("\nall 3,000 records: tf.Example\n", out)

    def test_reports_damage_and_records_that_are_no_examples(self):
        damaged = bytearray(records.file(b"one", b"two", b"three"))
        damaged[13] ^= 1
        self.write("raw.tfrecord", damaged)
        self.assertEqual(self.data("inspect", "raw.tfrecord"), (1, """\
raw.tfrecord  TFRecord  2 records  59 bytes  3 to 5 bytes each, median 3  1 damaged span, 19 bytes lost

raw.tfrecord: record 0 at byte 0: the data does not match its checksum; 19 bytes lost

all 2 records: neither tf.Example nor tf.SequenceExample
`carrack data head` shows what they hold
""", ""))

    def test_prints_one_json_object(self):
        self.write_points()
        found = json.loads(self.data("inspect", "p-*", "--json")[1])
        self.assertEqual([file["name"] for file in found["files"]], ["p-0.tfrecord", "p-1.tfrecord"])
        self.assertEqual(found["records"], 4)
        self.assertEqual([feature["name"] for feature in found["features"]], ["image", "label", "x"])
        x = found["features"][2]
        self.assertEqual((x["type"], x["values"], x["absent"]), ("float32", {"min": 2, "max": 2}, 0))
        self.assertEqual((x["float32"]["min"], x["float32"]["max"], x["float32"]["mean"]), (-1.0, 3.5, 0.5))
        self.assertEqual(found["features"][1]["int64"]["counts"], [{"value": n, "count": 1} for n in range(4)])

    def test_prints_features_with_which_a_manifest_runs(self):
        self.write_points()
        found = json.loads(self.data("inspect", "p-*", "--json")[1])["manifest"]
        spec = "".join(f"  {line}\n" for line in found.splitlines()).replace(
            "  data:\n", "  data:\n    train: {files: ['p-*.tfrecord']}\n")
        manifest = f"""
apiVersion: carrack.dev/v1alpha1
kind: TrainingJob
metadata: {{name: tally}}
spec:
  strategy: Single
  model: {{kind: Tally, record: label, records: 4}}
  training: {{batch: 2, reduction: Sum, optimizer: {{kind: SGD, learningRate: 1}}}}
{spec}"""
        self.write("job.yaml", manifest.encode())
        done = subprocess.run([records.CARRACK, "run", "job.yaml"], cwd=self.folder, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr + manifest)


class Head(records.Program, unittest.TestCase):
    def test_prints_the_first_records(self):
        self.write_points()
        self.assertEqual(self.data("head", "p-1.tfrecord", "-n", "1"), (0, """\
{
  "file": "p-1.tfrecord",
  "record": 0,
  "bytes": 62,
  "features": {
    "image": ["GIF 10x20, 10 bytes"],
    "label": [2],
    "x": [2.5, -1.0]
  }
}
""", ""))
        code, out, _ = self.data("head", "p-*", "--json", "-n", "3")
        self.assertEqual(code, 0)
        self.assertEqual(out.splitlines()[2],
                         '{"file": "p-1.tfrecord", "record": 0, "bytes": 62, "holds": '
                         '{"image": [{"base64": "R0lGODlhCgAUAA=="}], "label": [2], "x": [2.5, -1.0]}}')
        self.assertEqual([json.loads(line)["record"] for line in out.splitlines()], [0, 1, 0])

    def test_escapes_control_characters(self):
        self.write("raw.tfrecord", records.file(b"\x1b[2J\x07", "ü\x9b".encode()))
        self.assertEqual(self.data("head", "raw.tfrecord"), (0, """\
{
  "file": "raw.tfrecord",
  "record": 0,
  "bytes": 5,
  "data": "\\\\x1b[2J\\\\x07"
}
{
  "file": "raw.tfrecord",
  "record": 1,
  "bytes": 4,
  "data": "ü\\\\xc2\\\\x9b"
}
""", ""))

    def test_reports_damage_and_files_without_records(self):
        self.write("x.csv", b"id,x\n1,2\n")
        self.write("y.jsonl.gz", gzip.compress(b'{"x": 1}\n' * 100))
        self.write("cut.tfrecord", records.file(b"one", b"two")[:-1])
        self.assertEqual(self.data("head", "x.csv", "y.jsonl.gz", "cut.tfrecord", "--json"), (
            1, '{"file": "cut.tfrecord", "record": 0, "bytes": 3, "holds": {"data": "one"}}\n',
            "carrack data head: x.csv: holds no records: text; `carrack data convert x.csv --to x.tfrecord` makes records of it\n"
            "carrack data head: y.jsonl.gz: holds no records: GZIP of something else; `carrack data convert y.jsonl.gz --to "
            "y.tfrecord` makes records of it\n"
            "carrack data head: cut.tfrecord: record 1 at byte 19: the file ends within the record; 18 bytes lost\n"))

    def test_goes_on_behind_damage_or_stops_there(self):
        damaged = bytearray(records.file(b"one", b"two", b"three"))
        damaged[19 + 13] ^= 1
        self.write("x-0.tfrecord", damaged)
        self.write("x-1.tfrecord", records.file(b"four"))
        named = "carrack data head: x-0.tfrecord: record 1 at byte 19: the data does not match its checksum; 19 bytes lost\n"
        for options, shown in (([], ["one", "three", "four"]), (["--on-damage", "skip"], ["one", "three", "four"]),
                               (["--on-damage", "stop"], ["one"])):
            code, out, err = self.data("head", "x-*", "--json", *options)
            self.assertEqual((code, err), (1, named), options)
            self.assertEqual([json.loads(line)["holds"]["data"] for line in out.splitlines()], shown, options)
            self.assertEqual(self.data("head", "x-*", "-n", "1", *options)[::2], (0, ""), "the damage is behind what is read")

    def test_ends_quietly_when_its_output_is_closed(self):
        self.write("many.tfrecord", records.file(*[b"x" * 1000] * 3000))
        command = f"set -o pipefail; {records.CARRACK} data head many.tfrecord -n 3000 | head -1"
        done = subprocess.run(["bash", "-c", command], cwd=self.folder, capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (141, "{\n", ""))

    def test_reports_that_its_output_cannot_be_written(self):
        self.write_points()
        with open("/dev/full", "w") as full:
            done = subprocess.run([records.CARRACK, "data", "head", "p-0.tfrecord"], cwd=self.folder, stdout=full,
                                  stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr),
                         (1, "carrack data head: standard output: cannot write it: No space left on device\n"))


class Stats(records.Program, unittest.TestCase):
    def test_prints_statistics_of_each_feature(self):
        examples = [records.example(x=[float(n)], name=[b"cat" if n % 3 else b"dog"]) for n in range(20)]
        examples.append(records.example(x=[float("nan")]))
        self.write("s.tfrecord", records.file(*examples))
        self.assertEqual(self.data("stats", "s.tfrecord"), (0, """\
1 file, 21 records, 697 bytes: tf.Example

name: bytes, values 1, absent from 1 of 21 records
  text of 3 bytes
  2 different values
     "cat"  ##############################  13
     "dog"  ################                7

x: float32, values 1
  0 to 19, mean 9.5, 1 NaN
  std 5.766, 20 different values
  1% 0  5% 0  25% 4  50% 9  75% 14  95% 18  99% 19  (exact)
     0     to 1.9   ##############################  2
     1.9   to 3.8   ##############################  2
     3.8   to 5.7   ##############################  2
     5.7   to 7.6   ##############################  2
     7.6   to 9.5   ##############################  2
     9.5   to 11.4  ##############################  2
     11.4  to 13.3  ##############################  2
     13.3  to 15.2  ##############################  2
     15.2  to 17.1  ##############################  2
     17.1  to 19    ##############################  2

what may trouble a training:
  name: is absent from 1 of 21 records
  x: 1 of 21 values are NaN or infinite; a loss that meets one is, too

read 1.0 kB in T
""", ""))

    def test_tells_the_values_of_a_record_apart(self):
        nan, infinity = float("nan"), float("inf")
        self.write("m.tfrecord", records.file(records.example(x=[1.0, 1000.0, nan]), records.example(x=[2.0, 3000.0, nan])))
        code, out, err = self.data("stats", "m.tfrecord")
        self.assertEqual((code, err), (0, ""))
        self.assertIn("""\
  each value of a record:
    value  min   max   mean  std   NaN
    0      1     2     1.5   0.5   0
    1      1000  3000  2000  1000  0
    2      -     -     -     -     2
""", out)
        [feature] = json.loads(self.data("stats", "m.tfrecord", "--json")[1])["features"]
        self.assertEqual(feature["columns"], [
            {"count": 2, "nan": 0, "infinite": 0, "min": 1.0, "max": 2.0, "mean": 1.5, "std": 0.5},
            {"count": 2, "nan": 0, "infinite": 0, "min": 1000.0, "max": 3000.0, "mean": 2000.0, "std": 1000.0},
            {"count": 0, "nan": 2, "infinite": 0}])
        self.write("n.tfrecord", records.file(records.example(x=[1.0, infinity])))
        self.assertIn("""\
    value  min  max  mean  std  NaN  infinite
    0      1    1    1     0    0    0
    1      -    -    -     -    0    1
""", self.data("stats", "n.tfrecord")[1])

    def test_prints_a_single_feature_or_value(self):
        self.write("m.tfrecord", records.file(records.example(x=[1.0, 1000.0], y=[7]), records.example(x=[2.0], y=[8]),
                                              records.example(x=[3.0, 4000.0], y=[9])))
        _, every, _ = self.data("stats", "m.tfrecord")
        code, y, err = self.data("stats", "m.tfrecord", "--feature", "y")
        self.assertEqual((code, err), (0, ""))
        self.assertIn("\n" + y.split("\n\n")[1], every)
        self.assertNotIn("x:", y)
        self.assertEqual(self.data("stats", "m.tfrecord", "--feature=x[1]"), (0, """\
1 file, 3 records, 95 bytes: tf.Example

x[1]: float32, values 1, absent from 1 of 3 records
  1000 to 4000, mean 2500
  std 1500, 2 different values
     1000  ##############################  1
     4000  ##############################  1

what may trouble a training:
  x[1]: is absent from 1 of 3 records

read 143 bytes in T
""", ""))
        found = json.loads(self.data("stats", "m.tfrecord", "--feature", "x[0]", "--json")[1])
        self.assertEqual([(feature["name"], feature["float32"]["max"]) for feature in found["features"]], [("x[0]", 3.0)])
        self.assertNotIn("manifest", found)
        self.write("odd.tfrecord", records.file(records.example(**{"x[1]": [5, 6]})))
        self.assertIn("x[1]: int64, values 2\n", self.data("stats", "odd.tfrecord", "--feature", "x[1]")[1])
        for typed, words in {"x[2]": "there is no x[2], as x has at most 2 values, and the first is x[0]",
                             "z": "there is no feature z; there are x, y", "z[0]": "there is no feature z; there are x, y",
                             "x[a]": "there is no feature x[a]; there are x, y"}.items():
            self.assertEqual(self.data("stats", "m.tfrecord", "--feature", typed), (2, "", f"carrack data stats: --feature: {words}\n"))

    def test_names_the_command_that_converts_a_file_without_records(self):
        self.write("x.csv", b"id,x\n1,2\n")
        self.write("y.tfrecord", records.file(records.example(x=[1.5])))
        says = ("carrack data stats: x.csv: holds no records: text; `carrack data convert x.csv --to x.tfrecord` makes records of "
                "it\n")
        self.assertEqual(self.data("stats", "x.csv"), (1, "", says))
        code, out, err = self.data("stats", "x.csv", "y.tfrecord")
        self.assertEqual((code, out.splitlines()[0], err), (1, "2 files, 1 record, 17 bytes: tf.Example", says))
        self.assertEqual(self.data("inspect", "x.csv"), (0, """\
x.csv  text    9 bytes

`carrack data convert x.csv --to x.tfrecord` makes records of CSV, JSON lines and numpy's arrays
""", ""))

    def test_prints_integers_in_full_if_they_would_look_the_same(self):
        self.write("i.tfrecord", records.file(*(records.example(i=[2**60 + n]) for n in range(50)),
                                              *(records.example(few=[2**40 + n % 2]) for n in range(4))))
        code, out, err = self.data("stats", "i.tfrecord")
        self.assertEqual((code, err), (0, ""))
        self.assertIn("""\
  std 0.5, 2 different values
     1,099,511,627,776  ##############################  2
     1,099,511,627,777  ##############################  2
""", out)
        self.assertIn("""\
  1,152,921,504,606,846,976 to 1,152,921,504,606,847,025, mean 1.153e+18
  std 14.43, 50 different values
  1% 1,152,921,504,606,846,976  5% 1,152,921,504,606,846,978  25% 1,152,921,504,606,846,988  50% 1,152,921,504,606,847,000  \
75% 1,152,921,504,606,847,013  95% 1,152,921,504,606,847,023  99% 1,152,921,504,606,847,025  (exact)
     1,152,921,504,606,846,976  to 1,152,921,504,606,846,980  ##############################  5
     1,152,921,504,606,846,980  to 1,152,921,504,606,846,985  ##############################  5
""", out)

    def test_reports_damage(self):
        damaged = bytearray(records.file(records.example(x=[1.5]), records.example(x=[2.5])))
        damaged[13] ^= 1
        self.write("x.tfrecord", damaged)
        code, out, err = self.data("stats", "x.tfrecord")
        self.assertEqual((code, err), (1, ""))
        self.assertIn("\n1 damaged span, 33 bytes lost; `carrack data verify` names each\n", out)
        self.assertEqual([self.data(*command, "x.tfrecord", "--json")[0] for command in (["stats"], ["inspect", "--all"])], [1, 1])

    def test_prints_the_same_with_any_number_of_threads(self):
        for file in range(7):
            examples = (records.example(x=[float(n * n % 1009)], i=[n * 7919 % 104729]) for n in range(1000 * file))
            self.write(f"s-{file}.tfrecord", records.file(*examples))
        found = [json.loads(self.data("stats", "s-*", "--json", "--threads", threads)[1]) for threads in ("1", "2", "5")]
        for one in found:
            del one["seconds"]
        self.assertEqual(found[1], found[0])
        self.assertEqual(found[2], found[0])
        self.assertEqual(found[0]["records"], 21_000)


if __name__ == "__main__":
    unittest.main()
