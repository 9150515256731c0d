"""`carrack data verify` and `index`."""

import gzip
import hashlib
import json
import unittest

import records


class Verify(records.Program, unittest.TestCase):
    def test_finds_nothing_damaged(self):
        self.write_points()
        self.assertEqual(self.data("verify", "p-*"),
                         (0, "2 files, 4 records, 312 bytes: nothing is damaged\nread 312 bytes in T\n", ""))

    def test_prints_each_damaged_place_in_the_order_of_the_files(self):
        self.write_points()
        whole = (self.folder / "p-0.tfrecord").read_bytes()
        flipped = bytearray(whole)
        flipped[20] ^= 1
        self.write("a.tfrecord", flipped)
        self.write("b.tfrecord", gzip.compress(whole, 0)[:-60])
        self.write("c.tfrecord", b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n")
        for threads in ("1", "3"):
            self.assertEqual(self.data("verify", "?.tfrecord", "p-*", "--threads", threads), (1, """\
a.tfrecord: record 0 at byte 0: the data does not match its checksum; 78 bytes lost
b.tfrecord: record 1 at byte 78 of the inflated data: the file ends within its compressed data; 26 bytes lost
c.tfrecord: holds no records: a pointer of Git LFS; `git lfs pull` fetches the file itself
5 files, 6 records, 643 bytes: 3 damaged spans, 160 bytes lost
read 643 bytes in T
""", ""))
        found = json.loads(self.data("verify", "a.tfrecord", "--json")[1])
        self.assertEqual((found["damaged"], found["lost"]), (1, 78))
        self.assertEqual(found["files"][0]["faults"], [{"record": 0, "offset": 0, "inflated": False, "lost": 78,
                                                        "what": "the data does not match its checksum"}])


class Index(records.Program, unittest.TestCase):
    def test_is_written_beside_the_data_and_fits(self):
        self.write_points()
        _, out, err = self.data("index", "p-*")
        # The sizes of the indexes may differ, as each holds the time of its file.
        sizes = [(self.folder / f"p-{file}.tfrecord.index").stat().st_size for file in range(2)]
        self.assertEqual((out, err), (f"""\
p-0.tfrecord.index: 2 records, {sizes[0]} bytes
p-1.tfrecord.index: 2 records, {sizes[1]} bytes
2 files: 2 indexed
""", ""))
        self.assertEqual(self.names(), ["p-0.tfrecord", "p-0.tfrecord.index", "p-1.tfrecord", "p-1.tfrecord.index"])
        self.assertEqual(self.data("index", "p-*", "--check"), (0, """\
p-0.tfrecord.index: fits
p-1.tfrecord.index: fits
2 files: 2 fit
""", ""))
        self.write_points()  # Newer, though with the same bytes.
        (self.folder / "p-1.tfrecord.index").write_bytes(b"CRRKIDX1")
        code, out, err = self.data("index", "p-*", "--check")
        self.assertEqual((code, out.splitlines()[0], err), (1, "p-0.tfrecord.index: is of another version of p-0.tfrecord", ""))
        self.assertEqual(out.splitlines()[2], "2 files: 0 fit, 2 do not")
        self.assertEqual(self.data("index", "p-*")[1].splitlines()[2], "2 files: 2 indexed")
        self.assertEqual(self.data("index", "p-*")[1].splitlines()[2], "2 files: 0 indexed, 2 had an index that fits")

    def test_is_written_as_text_to_another_folder(self):
        self.write_points()
        self.assertEqual(self.data("index", "p-*", "--text", "--out", "made/here"), (0, """\
made/here/p-0.tfrecord.idx: 2 records, 11 bytes
made/here/p-1.tfrecord.idx: 2 records, 11 bytes
2 files: 2 indexed
""", ""))
        self.assertEqual((self.folder / "made/here/p-0.tfrecord.idx").read_text(), "0 78\n78 78\n")
        self.assertEqual(self.data("index", "p-0.tfrecord", "--text", "--out", "made/here", "--check")[0], 0)
        (self.folder / "made/here/p-0.tfrecord.idx").write_text("0 78\n77 79\n")
        self.assertEqual(self.data("index", "p-0.tfrecord", "--text", "--out", "made/here", "--check"), (1, """\
made/here/p-0.tfrecord.idx: line 2: says that record 1 is 79 bytes long at byte 77, and it is 78 bytes long at byte 78; make the index again
1 file: 0 fit, 1 do not
""", ""))

    def test_is_written_to_a_folder_under_the_name_that_jobs_look_for(self):
        self.write_points()
        name = hashlib.sha256(f"file://{self.folder}/p-0.tfrecord".encode()).hexdigest() + ".index"
        self.assertEqual(self.data("index", "p-0.tfrecord", "--out", "indexes")[0], 0)
        self.assertEqual([file.name for file in (self.folder / "indexes").iterdir()], [name])
        self.assertEqual(self.data("index", "p-0.tfrecord", "--out", "indexes", "--check"),
                         (0, f"indexes/{name}: fits\n1 file: 1 fit\n", ""))

    def test_reports_files_that_cannot_be_indexed(self):
        self.write_points()
        self.write("packed.tfrecord", gzip.compress(records.file(b"one"), 0))
        damaged = bytearray(records.file(*[b"x" * 44] * 100))
        damaged[3000] ^= 1
        self.write("damaged.tfrecord", damaged)
        self.write("x.csv", b"id,x\n1,2\n")
        self.write("y.csv.gz", gzip.compress(b"id,x\n" + b"1,2\n" * 100))
        code, out, err = self.data("index", "*")
        self.assertEqual((code, out.splitlines()[-1], err), (
            1, "6 files: 3 indexed, 3 could not be",
            "carrack data index: damaged.tfrecord: record 50 at byte 3000: the length does not match its checksum\n"
            "carrack data index: x.csv: holds no records: text; `carrack data convert x.csv --to x.tfrecord` makes records of it\n"
            "carrack data index: y.csv.gz: holds no records: GZIP of something else; `carrack data convert y.csv.gz --to y.tfrecord` "
            "makes records of it\n"))
        self.assertEqual(self.names(), ["damaged.tfrecord", "p-0.tfrecord", "p-0.tfrecord.index", "p-1.tfrecord", "p-1.tfrecord.index",
                                        "packed.tfrecord", "packed.tfrecord.index", "x.csv", "y.csv.gz"])
        self.assertEqual(self.data("index", "packed.tfrecord", "--check"),
                         (0, "packed.tfrecord.index: fits\n1 file: 1 fit\n", ""))
        self.assertEqual(self.data("index", "packed.tfrecord", "--text"), (
            1, "1 file: 0 indexed, 1 could not be\n",
            "carrack data index: packed.tfrecord: it is compressed, and a text index is of files whose records lie in them "
            "as they are; leave out --text\n"))
        self.write("packed.tfrecord", gzip.compress(records.file(b"one", b"two"), 0))
        self.assertEqual(self.data("index", "packed.tfrecord", "--check"),
                         (1, "packed.tfrecord.index: is of another version of packed.tfrecord\n1 file: 0 fit, 1 do not\n", ""))

    def test_refuses_one_name_for_the_indexes_of_two_files(self):
        for name in "ab":
            (self.folder / name).mkdir()
            (self.folder / name / "x.tfrecord").write_bytes(records.file(b"one"))
        self.assertEqual(self.data("index", "?/x.tfrecord", "--text", "--out", "o"), (2, "", (
            "carrack data index: o/x.tfrecord.idx: would be the index of a/x.tfrecord and of b/x.tfrecord; index them into "
            "two folders\n")))


if __name__ == "__main__":
    unittest.main()
