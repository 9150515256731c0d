"""`carrack data` on `gs://`: each command, on a server that is slow, and on one that is not there."""

import gzip
import json
import os
import pty
import random
import subprocess
import tempfile
import unittest
from pathlib import Path

import records
from support import object_store


def all_there_is(terminal: int) -> str:
    """What was written to it and not read yet; nothing once nobody writes."""
    try:
        return os.read(terminal, 1 << 16).decode()
    except OSError:  # EIO, as Linux says that the other side is closed.
        return ""


class Store(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def data(self, url: str, *arguments: str) -> tuple[int, str, str]:
        done = records.data(*arguments, cwd=self.folder, env=os.environ | {"STORAGE_EMULATOR_HOST": url})
        return done.returncode, done.stdout, done.stderr

    def test_each_command_reads_and_writes_objects(self):
        with object_store.fake_gcs("bucket") as server:
            for file in range(3):
                examples = (records.example(x=[float(n)], file=[file]) for n in range(10))
                object_store.put(server, "bucket", f"in/x-{file}.tfrecord", records.file(*examples))
            every = "gs://bucket/in/x-*"
            found = json.loads(self.data(server, "inspect", every, "--json")[1])
            self.assertEqual([file["name"] for file in found["files"]], [f"gs://bucket/in/x-{n}.tfrecord" for n in range(3)])
            self.assertEqual((found["records"], found["whole"]), (30, True))
            self.assertEqual(json.loads(self.data(server, "head", every, "--json", "-n", "11")[1].splitlines()[-1])["holds"],
                             {"file": [1], "x": [0.0]})
            self.assertEqual(self.data(server, "verify", every)[0], 0)
            self.assertEqual(json.loads(self.data(server, "stats", every, "--json")[1])["features"][1]["float32"]["mean"], 4.5)
            code, out, err = self.data(server, "index", every)
            self.assertEqual((code, out.splitlines()[-1], err), (0, "3 files: 3 indexed", ""))
            self.assertEqual(self.data(server, "index", every, "--check")[0], 0)
            code, out, err = self.data(server, "convert", every, "--to", "gs://bucket/out/y.tfrecord.gz", "--shards", "2")
            self.assertEqual((code, out.splitlines()[0], err), (
                0, "gs://bucket/out/y-00000-of-00002.tfrecord.gz to gs://bucket/out/y-00001-of-00002.tfrecord.gz: 30 records", ""))
            self.assertEqual(self.data(server, "convert", "gs://bucket/out/y-*", "--to", "all.jsonl")[0], 0)
            lines = [json.loads(line) for line in (self.folder / "all.jsonl").read_text().splitlines()]
            self.assertEqual(lines, [{"file": [file], "x": [float(n)]} for file in range(3) for n in range(10)])
            for name, why in {"gs://bucket/none": "there is no such file", "gs://bucket/in/no*": "no file matches",
                              "gs://bucket/in": "is a folder; name its files, as in 'gs://bucket/in/*'"}.items():
                self.assertEqual(self.data(server, "verify", name), (2, "", f"carrack data verify: {name}: {why}\n"))

    def test_rows_are_read_as_from_local_files(self):
        rows = "id,x\n" + "".join(f"{n},{n / 2}\n" for n in range(30_000))
        with object_store.fake_gcs("bucket") as server:
            object_store.put(server, "bucket", "x.csv", rows.encode())
            self.assertEqual(self.data(server, "convert", "gs://bucket/x.csv", "--to", "gs://bucket/y.tfrecord")[0], 0)
            (self.folder / "x.csv").write_text(rows)
            self.assertEqual(self.data(server, "convert", "x.csv", "--to", "y.tfrecord")[0], 0)
            self.assertEqual(self.data(server, "convert", "gs://bucket/y.tfrecord", "--to", "far.tfrecord")[0], 0)
            self.assertTrue((self.folder / "far.tfrecord").read_bytes() == (self.folder / "y.tfrecord").read_bytes())
            explained = self.data(server, "explain", "gs://bucket/y.tfrecord", "--parse", "--shuffle", "full", "--batch", "100")[1]
            self.assertRegex(explained, r"in any order; a batch is 100 requests or fewer, \d\.\d kB\n")
            timed = json.loads(self.data(server, "bench", "gs://bucket/x.csv", "--seconds", "1", "--json")[1])
            self.assertTrue(all(trial["rows"] > 0 for trial in timed["trials"]), timed)

    def test_objects_are_indexed_in_large_pieces(self):
        content = records.file(*[random.Random(n).randbytes(1000) for n in range(16_000)])
        with object_store.fake_gcs("bucket") as server, object_store.fault_proxy(server) as proxy:
            object_store.put(server, "bucket", "x.tfrecord", content)
            self.assertEqual(self.data(proxy.url, "index", "gs://bucket/x.tfrecord")[0], 0)
            gets = proxy.state()["counters"]["methods"]["GET"]
        self.assertLess(gets, len(content) / (4 << 20) + 10, "pieces of 4 MiB")

    def shown_on_a_terminal(self, name: str, content: bytes, *command: str) -> str:
        with object_store.fake_gcs("bucket") as server, object_store.fault_proxy(server) as proxy:
            object_store.put(server, "bucket", name, content)
            proxy.set({"rules": [{"slow": {"first_byte_ms": 100, "bytes_per_second": 3_000_000}}]})
            ours, theirs = pty.openpty()
            self.addCleanup(os.close, ours)
            done = subprocess.run([records.CARRACK, "data", *command], stderr=theirs, cwd=self.folder,
                                  env=os.environ | {"STORAGE_EMULATOR_HOST": proxy.url}, stdout=subprocess.PIPE, timeout=60)
            os.close(theirs)
            shown = "".join(iter(lambda: all_there_is(ours), ""))
        self.assertEqual(done.returncode, 0)
        self.assertTrue(shown.endswith("\r\x1b[K"), "the line is left there")
        return shown

    def test_a_terminal_shows_progress(self):
        shown = self.shown_on_a_terminal("x.tfrecord", records.file(*[b"x" * 1000] * 2000), "verify", "gs://bucket/x.tfrecord")
        self.assertRegex(shown, r"^\r\[#*\.*\] [\d.]+ \w+ of 2\.0 MB, [\d.]+ \w+/s(, \d+ s left)?\x1b\[K")

    def test_a_terminal_shows_no_end_of_rows_that_are_inflated(self):
        numbers = random.Random(1)
        rows = "x\n" + "".join(f"{numbers.random()}\n" for _ in range(250_000))
        shown = self.shown_on_a_terminal("x.csv.gz", gzip.compress(rows.encode()), "convert", "gs://bucket/x.csv.gz", "--to", "y.tfrecord")
        self.assertRegex(shown, r"^\r[\d.]+ \w+, [\d.]+ \w+/s\x1b\[K")


if __name__ == "__main__":
    unittest.main()
