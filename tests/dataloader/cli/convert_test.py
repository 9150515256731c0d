"""`carrack data convert`: the same records in other files, whole or not at all."""

import gzip
import os
import signal
import subprocess
import time
import unittest

import records


class Convert(records.Program, unittest.TestCase):
    def test_copies_records_into_shards_and_back(self):
        whole = records.file(*[f"record {n}".encode() for n in range(100)])
        self.write("x.tfrecord", whole)
        self.assertEqual(self.data("convert", "x.tfrecord", "--to", "y.tfrecord.gz", "--shards", "3"), (0, """\
y-00000-of-00003.tfrecord.gz to y-00002-of-00003.tfrecord.gz: 100 records
read 2.5 kB in T
""", ""))
        shards = [gzip.decompress((self.folder / f"y-0000{n}-of-00003.tfrecord.gz").read_bytes()) for n in range(3)]
        self.assertEqual(b"".join(shards), whole)
        self.assertLessEqual(max(map(len, shards)) - min(map(len, shards)), 50)
        self.assertEqual(self.data("convert", "y-*", "--to", "z.tfrecord", "--shard-size", "1kB")[0], 0)
        sizes = [path.stat().st_size for path in sorted(self.folder.glob("z-*"))]
        self.assertEqual((len(sizes), sum(sizes)), (3, len(whole)))
        self.assertEqual(self.data("convert", "z-*", "--to", "again.tfrecord"),
                         (0, "again.tfrecord: 100 records\nread 2.5 kB in T\n", ""))
        self.assertEqual((self.folder / "again.tfrecord").read_bytes(), whole)

    def test_writes_more_shards_than_records(self):
        self.write("x.tfrecord", records.file(b"one"))
        self.assertEqual(self.data("convert", "x.tfrecord", "--to", "y", "--shards", "3")[0], 0)
        self.assertEqual([(self.folder / f"y-0000{n}-of-00003").stat().st_size for n in range(3)], [19, 0, 0])

    def test_writes_json_lines(self):
        self.write("x.tfrecord", records.file(records.example(x=[0.1, float("inf")], s=[b"\xff", "ü".encode()]), b"raw"))
        self.assertEqual(self.data("convert", "x.tfrecord", "--to", "x.jsonl")[0], 0)
        self.assertEqual((self.folder / "x.jsonl").read_text(), (
            '{"s": [{"base64": "/w=="}, "ü"], "x": [0.1, "Infinity"]}\n'
            '{"data": "raw"}\n'))

    def test_stops_at_damage_or_leaves_it_out(self):
        damaged = bytearray(records.file(b"one", b"two", b"three"))
        damaged[19 + 13] ^= 1
        self.write("x.tfrecord", damaged)
        self.assertEqual(self.data("convert", "x.tfrecord", "--to", "y.tfrecord", "--shards", "2"), (1, "", (
            "carrack data convert: x.tfrecord: record 1 at byte 19: the data does not match its checksum; 19 bytes lost; "
            "--on-damage skip leaves it out\n")))
        self.assertEqual(self.names(), ["x.tfrecord"])
        self.assertEqual(self.data("convert", "x.tfrecord", "--to", "y.tfrecord", "--on-damage", "skip"), (0, """\
y.tfrecord: 2 records
left out: 1 damaged span, 19 bytes lost
read 59 bytes in T
""", "carrack data convert: left out: x.tfrecord: record 1 at byte 19: the data does not match its checksum; 19 bytes lost\n"))
        self.assertEqual((self.folder / "y.tfrecord").read_bytes(), records.file(b"one", b"three"))

    def test_replaces_files_only_with_force(self):
        self.write("x.tfrecord", records.file(b"one", b"two"))
        self.write("y-00000-of-00003.tfrecord", b"old")
        self.write("z.tfrecord", b"old")
        convert = ("convert", "x.tfrecord", "--to")
        for there, arguments in {"z.tfrecord": ("z.tfrecord",),
                                 "y-00000-of-00003.tfrecord": ("y.tfrecord", "--shards", "2")}.items():
            self.assertEqual(self.data(*convert, *arguments),
                             (2, "", f"carrack data convert: {there}: is there already; --force replaces it\n"))
            self.assertEqual((self.folder / there).read_bytes(), b"old")
            self.assertEqual(self.data(*convert, *arguments, "--force")[0], 0)
        self.assertEqual(self.names(), ["x.tfrecord", "y-00000-of-00002.tfrecord", "y-00001-of-00002.tfrecord", "z.tfrecord"])
        self.assertEqual((self.folder / "z.tfrecord").read_bytes(), records.file(b"one", b"two"))

    def test_replaces_shards_by_one_file_if_that_is_enough(self):
        self.write("x.tfrecord", records.file(b"one", b"two"))
        self.write("y-00000-of-00003.tfrecord", b"old")
        convert = ("convert", "x.tfrecord", "--to", "y.tfrecord", "--shard-size", "1GB")
        self.assertEqual(self.data(*convert), (
            2, "", "carrack data convert: y-00000-of-00003.tfrecord: is there already; --force replaces it\n"))
        self.assertEqual(self.data(*convert, "--force")[0], 0)
        self.assertEqual(self.names(), ["x.tfrecord", "y.tfrecord"])

    def test_reads_a_file_once_however_it_is_spelled(self):
        self.write("x.tfrecord", records.file(b"one"))
        names = ("x.tfrecord", "./x.tfrecord", f"file://{self.folder}/x.tfrecord", f"{self.folder}/*")
        self.assertEqual(self.data("convert", *names, "--to", "y.tfrecord")[0], 0)
        self.assertEqual((self.folder / "y.tfrecord").read_bytes(), records.file(b"one"))

    def test_counts_a_loss_of_unknown_size_as_more_than_any_share(self):
        ten = records.file(*[b"x" * 84] * 10)
        self.write("x.tfrecord", ten)
        self.write("x.tfrecord.gz", gzip.compress(ten) + b"x" + gzip.compress(ten * 99))
        self.write("x.csv.gz", gzip.compress(b"n\n" + b"1\n" * 10) + b"x" + gzip.compress(b"1\n" * 990))
        self.write("fails.sh", b"cat x.tfrecord; exit 3\n")
        for name, more, lost in (("x.tfrecord.gz", (), "1 damaged span"), ("x.tfrecord.gz", ("--shards", "2"), "1 damaged span"),
                                 ("exec:sh fails.sh", (), "1 damaged span"), ("x.csv.gz", (), "1 row")):
            convert = ("convert", name, "--to", "y.tfrecord", "--force", *more, "--on-damage", "skip", "--max-skipped")
            for limit in ("10%", "99%"):
                code, _, err = self.data(*convert, limit)
                self.assertEqual(code, 1, err)
                self.assertIn(f": more is left out than --max-skipped {limit}, so nothing is written: {lost}, 0 bytes lost, and all that "
                              "follows in 1 input, of 11 r", err)
            for limit in ("1", "100%"):
                code, out, err = self.data(*convert, limit)
                self.assertEqual((code, out.splitlines()[-2]), (0, f"left out: {lost}, 0 bytes lost, and all that follows in 1 input"), err)

    def test_never_replaces_what_it_reads(self):
        self.write("x.tfrecord", records.file(b"one"))
        self.write("y-00001-of-00002.tfrecord", records.file(b"two"))
        refusal = "carrack data convert: {}: is read, so it cannot be written; write another --to\n"
        self.assertEqual(self.data("convert", "x.tfrecord", "--to", "./x.tfrecord", "--force"), (2, "", refusal.format("./x.tfrecord")))
        self.assertEqual(self.data("convert", "y-*", "--to", "y.tfrecord", "--shards", "3", "--force"),
                         (2, "", refusal.format("y-00001-of-00002.tfrecord")))
        self.assertEqual(self.names(), ["x.tfrecord", "y-00001-of-00002.tfrecord"])

    def test_writes_nothing_for_a_file_without_records(self):
        self.write("x.txt", b"id,x\n1,2\n")
        self.assertEqual(self.data("convert", "x.txt", "--to", "y.tfrecord", "--on-damage", "skip"),
                         (2, "", "carrack data convert: x.txt: holds no records: text; what is CSV or JSON lines is known by its name, "
                                 "which ends in .csv or .jsonl\n"))
        self.assertEqual(self.names(), ["x.txt"])

    def test_leaves_no_file_when_interrupted(self):
        source = self.folder / "in"
        source.mkdir()
        with open(source / "big.tfrecord", "wb") as big:
            piece = records.file(os.urandom(1_000_000)) * 10
            for _ in range(20):
                big.write(piece)
        command = [records.CARRACK, "data", "convert", "in/big.tfrecord", "--to", "out/y.tfrecord.gz", "--shards", "20"]
        running = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 60
        while not list(self.folder.glob("out/y-*")) and time.monotonic() < deadline:
            time.sleep(0.005)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=60)
        self.assertEqual((running.returncode, out, err), (130, "", "carrack data convert: interrupted\n"))
        self.assertEqual(list((self.folder / "out").iterdir()), [], "something is left")


if __name__ == "__main__":
    unittest.main()
