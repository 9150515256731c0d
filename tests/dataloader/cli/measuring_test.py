"""`carrack data bench` and `explain`: how files are read here, and how a pipeline would read them."""

import json
import re
import unittest

import records

MEANS = r"""
threads: 3 at first, one for each CPU; up to 64 where they wait for storage
memory: \S+ \S+, half of it for what is made ready: at first up to 7 batches, and as many as fit once one has come
"""


class Bench(records.Program, unittest.TestCase):
    def test_measures_each_way_of_reading(self):
        self.write_points()
        code, out, err = self.data("bench", "p-*", "--seconds", "1", "--batch", "3", "--timeline", "t.json")
        self.assertEqual((code, err), (0, ""))
        number = r" +[\d,.]+"
        for name in ["records, in order", "parsed, in order", "parsed, shuffled"]:
            self.assertRegex(out, rf"(?m)^{name} *{number}{number} [kMG]?B?(bytes)?{number} +\d+\.\d s$")
        self.assertRegex(out, r"\n\nparsed, shuffled:\nstage .*\nrecords .*\nparse record: image bytes, l .*\n\d+ rows in ")
        spans = json.loads((self.folder / "t.json").read_text())["traceEvents"]
        self.assertEqual({span["name"] for span in spans}, {"records", "parse record: image bytes, label int64, x float32[2]"})

    def test_refuses_a_file_without_records(self):
        self.write("x.tfrecord", b"\xff" * 300_000)
        self.assertEqual(self.data("bench", "x.tfrecord", "--seconds", "1"),
                         (2, "", "carrack data bench: x.tfrecord: holds no records: of unknown kind\n"))

    def test_counts_an_unusable_row_once_however_often_it_is_read(self):
        self.write("x.csv", b"id\n" + b"1\n" * 20_000 + b"x\n")
        code, out, _ = self.data("bench", "x.csv", "--seconds", "3")
        self.assertEqual(code, 0)
        self.assertIn("\nleft out: 1 row that cannot be used\n", out)
        self.assertEqual(out.count('x.csv: row 20000 at byte 40003: column "id" holds "x", and int64 was asked for'), 1)
        self.assertEqual(self.data("bench", "x.csv", "--on-damage", "stop"), (
            1, "", 'carrack data bench: x.csv: row 20000 at byte 40003: column "id" holds "x", and int64 was asked for; 2 bytes lost; '
                   "--on-damage skip leaves it out\n"))

    def test_overwrites_no_file(self):
        self.write("x.csv", b"id\n1\n")
        self.assertEqual(self.data("bench", "x.csv", "--seconds", "1", "--timeline", "x.csv"),
                         (2, "", "carrack data bench: --timeline: x.csv is there already; name another file, or remove it\n"))
        self.assertEqual((self.folder / "x.csv").read_bytes(), b"id\n1\n")

    def test_prints_json(self):
        self.write("x.csv", b"id,x\n" + b"1,2.5\n" * 1000)
        code, out, err = self.data("bench", "x.csv", "--seconds", "1", "--json", "--threads", "2")
        self.assertEqual((code, err), (0, ""))
        trials = json.loads(out)["trials"]
        self.assertEqual([trial["name"] for trial in trials], ["parsed, in order", "parsed, shuffled"])
        for trial in trials:
            self.assertEqual(set(trial), {"name", "rows", "bytes", "seconds", "opened_seconds", "lost", "threads", "stages", "advice"})
            self.assertEqual([stage["name"] for stage in trial["stages"]], ["csv", "parse csv"])
            self.assertEqual(trial["bytes"], 6 * trial["rows"])

    def test_reads_programs(self):
        self.write("x", records.file(b"one", b"two"))
        code, out, err = self.data("bench", "exec:cat x", "--seconds", "1")
        self.assertEqual((code, err), (0, ""))
        self.assertRegex(out, r"(?m)^records, in order +[\d,]+ ")
        self.assertRegex(out, r"(?m)^program +\d+ ")
        self.assertNotIn("parsed", out)

    def test_needs_rows(self):
        self.write("x.tfrecord", b"")
        self.assertEqual(self.data("bench", "x.tfrecord"),
                         (2, "", "carrack data bench: x.tfrecord: holds no rows to measure with\n"))


class Explain(records.Program, unittest.TestCase):
    def explain(self, *arguments: str) -> str:
        code, out, err = self.data("explain", *arguments, "--threads", "3")
        self.assertEqual((code, err), (0, ""))
        self.assertRegex(out, MEANS + r"\Z")
        return re.sub(r"up to [\d.]+ MB, which", "up to N MB, which", out[:re.search(MEANS, out).start() + 1])

    def test_explains_how_records_are_read(self):
        self.write_points()
        self.assertEqual(self.explain("p-*", "--parse", "--shuffle", "full", "--batch", "2"), """\
stage                                                  gives                          goes on
records(p-0.tfrecord, p-1.tfrecord)                    4 rows, by place               exactly, from a few numbers
parse(record: image bytes, label int64, x float32[2])  4 rows, by place               exactly, from a few numbers
shuffle(full, seed 0)                                  4 rows, by place               exactly, from a few numbers
batch(2)                                               2 batches, by place            exactly, from a few numbers
repeat(without end)                                    batches without end, by place  exactly, from a few numbers

reads 2 files, 312 bytes: each row is read where it lies, in any order, in blocks of 262.1 kB; the last used ones are kept, up to N MB, which is all of them
""")

    def test_finds_features_of_records_that_exceed_the_part_of_each_file(self):
        for file in range(64):
            self.write(f"x-{file:02}.tfrecord", records.file(records.example(x=[b"x" * 300_000])))
        code, out, err = self.data("explain", "x-*", "--parse")
        self.assertEqual((code, err), (0, ""))
        self.assertIn("\nparse(record: x bytes) ", out)

    def test_explains_streams(self):
        self.write("x.csv", b"id\n1\n2\n")
        self.assertIn("csv(x.csv, by ',': id int64)", self.explain("x.csv", "--shuffle", "block"))
        self.assertIn("exactly, by reading again what came before", self.explain("exec:cat never-started"))
        self.assertIn("exactly, with 5 rows in the state", self.explain("exec:cat never-started", "--shuffle", "buffer=5"))

    def test_refuses_files_and_options_that_do_not_fit(self):
        self.write("job.yaml", b"kind: TrainingJob\n")
        for command in ("bench", "explain"):
            self.assertEqual(self.data(command, "job.yaml"), (2, "", (
                f"carrack data {command}: job.yaml: holds no records: text; what is CSV or JSON lines is known by its name, which "
                "ends in .csv or .jsonl\n")))
        self.write("x.tfrecord", records.file(b"raw"))
        self.assertEqual(self.data("explain", "x.tfrecord", "--parse"),
                         (2, "", "carrack data explain: x.tfrecord: holds no tf.Examples to parse; leave --parse out\n"))
        self.assertEqual(self.data("explain", "exec:cat x", "--shuffle", "full"), (1, "", (
            "carrack data explain: shuffle: what comes is not known before it comes, so it is shuffled through a buffer "
            "(kind: buffer), or before the stage that makes it so\n")))


if __name__ == "__main__":
    unittest.main()
