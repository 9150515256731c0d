"""`carrack data convert` of what is no TFRecords: the same rows as Examples, in their order, whole or not at all."""

import gzip
import json
import struct
import unittest

import records


def npy(numbers: list[int]) -> bytes:
    header = f"{{'descr': '<i8', 'fortran_order': False, 'shape': ({len(numbers)},), }}\n".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + struct.pack(f"<{len(numbers)}q", *numbers)


class ConvertRows(records.Program, unittest.TestCase):
    def rows(self, *names: str) -> list[dict]:
        code, out, err = self.data("head", *names, "--json", "-n", "100000")
        self.assertEqual((code, err), (0, ""))
        return [json.loads(line)["holds"] for line in out.splitlines()]

    def test_takes_csv_with_the_types_it_has(self):
        self.write("x.csv", b'id,x,name,none\n1,2,"a, ""b""",\n2,,\xc3\xbc,\n-3,1.5,"",\n')
        self.assertEqual(self.data("convert", "x.csv", "--to", "y.tfrecord"), (0, """\
column "id" is int64: so are all values in the first 3 rows
column "x" is float: row 2 holds "1.5"
column "name" is bytes: row 0 holds "a, "b""
column "none" is bytes: it is empty in the first 3 rows
y.tfrecord: 3 records
read 49 bytes in T
""", ""))
        self.assertEqual(self.rows("y.tfrecord"), [{"id": [1], "name": ['a, "b"'], "x": [2.0]}, {"id": [2], "name": ["ü"]},
                                                   {"id": [-3], "name": [""], "x": [1.5]}])

    def test_takes_other_types_and_separators(self):
        self.write("x.tsv", b"id\tx\n1\t2\n")
        self.write("y.csv", b"id;x\n3;4\n")
        self.assertEqual(self.data("convert", "x.tsv", "--to", "x.tfrecord", "--types", "x=float32,id=bytes")[1].splitlines()[0],
                         "x.tfrecord: 1 record")
        self.assertEqual(self.data("convert", "y.csv", "--to", "y.tfrecord", "--delimiter", ";")[0], 0)
        self.assertEqual(self.rows("x.tfrecord", "y.tfrecord"), [{"id": ["1"], "x": [2.0]}, {"id": [3], "x": [4]}])

    def test_takes_json_lines_arrays_and_programs(self):
        lines = [{"id": n, "l": [0.5] * (n % 3), "s": f"n{n}"} for n in range(3)]
        self.write("x.jsonl", "".join(json.dumps(line) + "\n" for line in lines).encode())
        self.write("x.npy", npy([5, -6]))
        self.write("x", records.file(records.example(id=[7]), b"raw"))
        self.assertEqual(self.data("convert", "x.jsonl", "--to", "j.tfrecord")[1].splitlines()[:2], [
            'member "id" is int64: row 0 holds 0', 'member "l" is float: row 1 holds 0.5'])
        self.assertEqual(self.data("convert", "x.npy", "--to", "n.tfrecord"), (0, "n.tfrecord: 2 records\nread 84 bytes in T\n", ""))
        self.assertEqual(self.data("convert", "exec:cat x", "--to", "p.tfrecord")[1].splitlines()[0], "p.tfrecord: 2 records")
        self.assertEqual(self.rows("j.tfrecord", "n.tfrecord"), [
            {"id": [0], "s": ["n0"]}, {"id": [1], "l": [0.5], "s": ["n1"]}, {"id": [2], "l": [0.5, 0.5], "s": ["n2"]},
            {"values": [5]}, {"values": [-6]}])
        self.assertEqual((self.folder / "p.tfrecord").read_bytes(), (self.folder / "x").read_bytes())

    def test_loses_nothing_where_the_first_rows_tell_no_types(self):
        self.write("empty.csv", b"")
        self.write("x.csv", b"id\n1\n2\n")
        self.assertEqual(self.data("convert", "empty.csv", "x.csv", "--to", "y.jsonl")[0], 0)
        self.assertEqual((self.folder / "y.jsonl").read_bytes(), b'{"id": [1]}\n{"id": [2]}\n')
        for name, line in {"nested": b'{"a": 1, "b": {"c": 1}}', "text": b"garbage", "list": b'[{"a": 1}]'}.items():
            self.write(f"{name}.jsonl", line + b"\n")
            code, out, err = self.data("convert", f"{name}.jsonl", "--to", "z.tfrecord")
            self.assertEqual((code, out), (2, ""))
            self.assertIn(f"{name}.jsonl: none of its first rows can be used; each is an object on a line of its own", err)

    def test_gives_the_same_bytes_whatever_the_threads(self):
        text = b"id,s\n" + b"".join(b"%d,%s\n" % (n, b"x" * (n % 97)) for n in range(60_000))
        self.write("x-0.csv", text)
        self.write("x-1.csv.gz", gzip.compress(text))
        for to, shards in {"y.tfrecord": [], "y.tfrecord.gz": [], "y.jsonl": [], "z.tfrecord.gz": ["--shards", "3"]}.items():
            written = []
            for threads in ("1", "5"):
                code, out, err = self.data("convert", "x-*", "--to", to, "--threads", threads, "--force", *shards)
                self.assertEqual((code, err), (0, ""), out)
                written.append([path.read_bytes() for path in sorted(self.folder.glob(to.replace(".", "*.", 1)))])
            self.assertEqual(len(written[0]), 3 if shards else 1)
            self.assertTrue(written[0] == written[1], to)
        self.assertEqual([row["id"][0] for row in self.rows("y.tfrecord")], [*range(60_000), *range(40_000)])
        plain = (self.folder / "y.tfrecord").read_bytes()
        self.assertTrue(gzip.decompress((self.folder / "y.tfrecord.gz").read_bytes()) == plain)
        self.assertTrue(b"".join(gzip.decompress(path.read_bytes()) for path in sorted(self.folder.glob("z-*"))) == plain)
        self.assertEqual((self.folder / "y.jsonl").read_bytes().count(b"\n"), 120_000)

    def test_stops_at_a_bad_row_or_leaves_it_out(self):
        self.write("x.csv", b"id,s\n" + b"1,a\n" * 10_000 + b"x,b\n2,c\n3\n")
        bad = "x.csv: row 10,000 at byte 40005: ".replace(",", "") + 'column "id" holds "x", and int64 was asked for; 4 bytes lost'
        self.assertEqual(self.data("convert", "x.csv", "--to", "y.tfrecord"), (1, """\
column "id" is int64: so are all values in the first 10000 rows
column "s" is bytes: row 0 holds "a"
""", f"carrack data convert: {bad}; --types says what columns hold, and --skip-corrupt leaves it out\n"))
        self.assertEqual(self.names(), ["x.csv"])
        code, out, err = self.data("convert", "x.csv", "--to", "y.tfrecord", "--skip-corrupt")
        self.assertEqual((code, out.splitlines()[2:4]), (0, ["y.tfrecord: 10,001 records", "left out: 2 rows"]))
        self.assertEqual(err, f"carrack data convert: left out: {bad}\ncarrack data convert: left out: "
                              "x.csv: row 10002 at byte 40013: it has 1 field, and the file 2 columns; 2 bytes lost\n")
        self.assertEqual(self.data("convert", "x.csv", "--to", "s.tfrecord", "--skip-corrupt", "--shards", "2")[2], err)
        self.assertEqual(self.data("convert", "x.csv", "--to", "z.tfrecord", "--types", "id=bytes", "--skip-corrupt")[1].splitlines()[1],
                         "z.tfrecord: 10,002 records")

    def test_says_what_cannot_be(self):
        self.write("x.csv", b"id\n1\n")
        self.write("x.jsonl", b'{"id": 1}\n{"id": "a"}\n')
        self.write("x.tfrecord", records.file(b"one"))
        convert = ("convert", "--to", "y.tfrecord")
        for arguments, code, words in [
            (("x.csv", "x.jsonl"), 2, "x.jsonl: is named as JSON lines, and x.csv as CSV; read each kind by itself"),
            (("x.csv", "--types", "x=int64"), 2, "--types: there is no column x; there are id"),
            (("x.csv", "--types", "id=int32"), 2,
             "--types: expects NAME=TYPE,... of types bytes, float32 and int64, not 'id=int32'; "
             "`carrack data convert --help` lists what it does"),
            (("x.csv", "--delimiter", ";;"), 2, "--delimiter: expects one character, or \\t for a tab, not ';;'; "
             "`carrack data convert --help` lists what it does"),
            (("x.tfrecord", "--types", "id=int64"), 2, "--types: says what columns of CSV and JSON lines hold, and these are TFRecords"),
            (("x.jsonl", "--delimiter", ";"), 2, "--delimiter: separates fields of CSV, and these are JSON lines"),
            (("x.jsonl",), 1, 'x.jsonl: row 1 at byte 10: member "id" holds "a", and 1 in row 0; a feature holds strings or numbers'),
            (("exec:nothing-here x",), 1, "exec:nothing-here x: cannot be started: No such file or directory"),
            (("exec:",), 1, "exec: no program is named"),
            (("exec:cat x.tfrecord", "x.csv"), 2, "x.csv: a program is read alone"),
            (("exec:cat x.tfrecord", "--shards", "2"), 2,
             "exec:cat x.tfrecord: cannot be cut into shards, as how much it writes is not known before"),
            (("exec:false",), 1, "exec:false: record 0 at byte 0: the program ended with exit code 1; 0 bytes lost; "
             "--skip-corrupt leaves it out"),
        ]:
            got = self.data(*convert, *arguments)
            self.assertEqual((got[0], got[2]), (code, f"carrack data convert: {words}\n"))
            self.assertEqual(self.names(), ["x.csv", "x.jsonl", "x.tfrecord"])


if __name__ == "__main__":
    unittest.main()
