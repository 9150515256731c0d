"""`carrack data convert` of CSV, JSON lines, arrays and programs: the same rows as Examples, in order, in complete files or none."""

import gzip
import json
import os
import struct
import subprocess
import unittest
import zlib
from pathlib import Path

import records


def npy(numbers: list[int]) -> bytes:
    header = f"{{'descr': '<i8', 'fortran_order': False, 'shape': ({len(numbers)},), }}\n".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + struct.pack(f"<{len(numbers)}q", *numbers)


def archive(name: str, packed: bytes, size: int) -> bytes:
    """A ZIP archive of one member that is deflated, and says that it has this size."""
    sizes = struct.pack("<QQ", size, len(packed))
    member = b"PK\3\4" + struct.pack("<HHHIIIIHH", 45, 0, 8, 0, 0, 0, 0, len(name), 0) + name.encode() + packed
    entry = (b"PK\1\2" + struct.pack("<HHHHIIIIHHHHHII", 45, 45, 0, 8, 0, 0, 0xFFFFFFFF, 0xFFFFFFFF, len(name), 20, 0, 0, 0, 0, 0)
             + name.encode() + struct.pack("<HH", 1, 16) + sizes)
    return member + entry + b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(entry), len(member), 0)


MORE = ("; {}--types {}=TYPE says what it is taken for, bytes, float32 or int64, and --on-damage skip leaves out rows that hold "
        "something else")


class ConvertRows(records.Program, unittest.TestCase):
    def rows(self, *names: str) -> list[dict]:
        code, out, err = self.data("head", *names, "--json", "-n", "100000")
        self.assertEqual((code, err), (0, ""))
        return [json.loads(line)["holds"] for line in out.splitlines()]

    def test_infers_the_types_of_csv(self):
        self.write("x.csv", b'id,x,name,none\n1,2,"a, ""b""",\n2,,\xc3\xbc,\n-3,1.5,"",\n')
        self.assertEqual(self.data("convert", "x.csv", "--to", "y.tfrecord"), (0, """\
column "id" is int64: so are all values in the first 3 rows
column "x" is float32: row 2 holds "1.5"
column "name" is bytes: row 0 holds "a, "b""
column "none" is bytes: it is empty in the first 3 rows
y.tfrecord: 3 records
read 49 bytes in T
""", ""))
        self.assertEqual(self.rows("y.tfrecord"), [{"id": [1], "name": ['a, "b"'], "x": [2.0]}, {"id": [2], "name": ["ü"]},
                                                   {"id": [-3], "name": [""], "x": [1.5]}])

    def test_takes_types_and_separators_from_options(self):
        self.write("x.tsv", b"id\tx\n1\t2\n")
        self.write("y.csv", b"id;x\n3;4\n")
        self.assertEqual(self.data("convert", "x.tsv", "--to", "x.tfrecord", "--types", "x=float32,id=bytes")[1].splitlines()[0],
                         "x.tfrecord: 1 record")
        self.assertEqual(self.data("convert", "y.csv", "--to", "y.tfrecord", "--delimiter", ";")[0], 0)
        self.assertEqual(self.rows("x.tfrecord", "y.tfrecord"), [{"id": ["1"], "x": [2.0]}, {"id": [3], "x": [4]}])

    def test_suggests_another_separator_for_a_file_of_one_column(self):
        hint = "it is the only column; if {} separates its fields, say --delimiter '{}'"
        for name, content, said in [
            ("x.csv", b"a;b\n1;2\n", ['column "a;b" is bytes: row 0 holds "1;2"', hint.format(";", ";")]),
            ("x.csv", b"a\tb\n1\t2\n", ['column "a\\x09b" is bytes: row 0 holds "1\\x092"', hint.format("a tab", "\\t")]),
            ("x.tsv", b"a,b\n1,2\n", ['column "a,b" is bytes: row 0 holds "1,2"', hint.format(",", ",")]),
            ("x.csv", b"a b\n1 2\n", ['column "a b" is bytes: row 0 holds "1 2"']),
        ]:
            self.write(name, content)
            self.assertEqual(self.data("convert", name, "--to", "y.tfrecord", "--force")[1].splitlines()[:-2], said)
        self.write("x.csv", b"a;b\n1;2\n")
        for delimiter in (",", ";"):
            self.assertNotIn("the only column", self.data("convert", "x.csv", "--to", "y.tfrecord", "--force", "--delimiter", delimiter)[1])

    def test_reads_json_lines_arrays_and_programs(self):
        lines = [{"id": n, "l": [0.5] * (n % 3), "s": f"n{n}"} for n in range(3)]
        self.write("x.jsonl", "".join(json.dumps(line) + "\n" for line in lines).encode())
        self.write("x.npy", npy([5, -6]))
        self.write("x", records.file(records.example(id=[7]), b"raw"))
        self.assertEqual(self.data("convert", "x.jsonl", "--to", "j.tfrecord")[1].splitlines()[:2], [
            'member "id" is int64: row 0 holds 0', 'member "l" is float32: row 1 holds 0.5'])
        self.assertEqual(self.data("convert", "x.npy", "--to", "n.tfrecord"), (0, "n.tfrecord: 2 records\nread 84 bytes in T\n", ""))
        self.assertEqual(self.data("convert", "exec:cat x", "--to", "p.tfrecord")[1].splitlines()[0], "p.tfrecord: 2 records")
        self.assertEqual(self.rows("j.tfrecord", "n.tfrecord"), [
            {"id": [0], "s": ["n0"]}, {"id": [1], "l": [0.5], "s": ["n1"]}, {"id": [2], "l": [0.5, 0.5], "s": ["n2"]},
            {"values": [5]}, {"values": [-6]}])
        self.assertEqual((self.folder / "p.tfrecord").read_bytes(), (self.folder / "x").read_bytes())

    def test_infers_types_from_the_first_file_with_rows_and_refuses_rows_without_types(self):
        self.write("empty.csv", b"")
        self.write("x.csv", b"id\n1\n2\n")
        self.assertEqual(self.data("convert", "empty.csv", "x.csv", "--to", "y.jsonl")[0], 0)
        self.assertEqual((self.folder / "y.jsonl").read_bytes(), b'{"id": [1]}\n{"id": [2]}\n')
        for name, line in {"empty": b"{}", "text": b"garbage", "list": b'[{"a": 1}]'}.items():
            self.write(f"{name}.jsonl", line + b"\n")
            code, out, err = self.data("convert", f"{name}.jsonl", "--to", "z.tfrecord")
            self.assertEqual((code, out), (2, ""))
            self.assertIn(f"{name}.jsonl: none of its first rows can be used; each is an object on a line of its own", err)

    def test_leaves_out_json_members_that_no_feature_can_hold_and_says_so(self):
        self.write("x.jsonl", b'{"a": 1, "user": {"name": "x"}}\n{"a": 2.5, "user": {"name": "y"}}\n{"a": 3}\n')
        convert = ("convert", "x.jsonl", "--to", "y.tfrecord")
        told = 'member "user" holds an object, which no feature can; it is left out'
        self.assertEqual(self.data(*convert), (0, f"""\
member "a" is float32: row 1 holds 2.5
{told}
y.tfrecord: 3 records
read 75 bytes in T
""", ""))
        self.assertEqual(self.rows("y.tfrecord"), [{"a": [1.0]}, {"a": [2.5]}, {"a": [3.0]}])
        self.assertEqual(self.data(*convert, "--force", "--types", "user=bytes"), (1, 'member "a" is float32: row 1 holds 2.5\n', (
            'carrack data convert: x.jsonl: row 0 (line 1) at byte 17: feature "user" holds an object, and bytes was asked for; 32 bytes lost; '
            "--types says what columns hold, --missing which texts stand for no value, and --on-damage skip leaves it out\n")))
        self.assertEqual(self.data(*convert, "--force", "--fill", "user=x"), (2, "", f"carrack data convert: --fill: {told}\n"))
        for join in ("x=a,user", "x=a..user"):
            self.assertEqual(self.data(*convert, "--force", "--join", join), (2, "", f"carrack data convert: --join: {told}\n"))
        self.write("only.jsonl", b'{"user": {"name": "x"}}\n')
        self.assertEqual(self.data("convert", "only.jsonl", "--to", "z.tfrecord"), (
            2, "", f"carrack data convert: only.jsonl: none of its first rows can be used; {told}\n"))

    def test_writes_the_same_bytes_with_any_number_of_threads(self):
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
        bad = "x.csv: row 10000 (line 10002) at byte 40005: " + 'column "id" holds "x", and int64 was asked for; 4 bytes lost'
        self.assertEqual(self.data("convert", "x.csv", "--to", "y.tfrecord"), (1, """\
column "id" is int64: so are all values in the first 10,000 rows
column "s" is bytes: row 0 holds "a"
""", f"carrack data convert: {bad}; --types says what columns hold, --missing which texts stand for no value, and --on-damage skip leaves it out\n"))
        self.assertEqual(self.names(), ["x.csv"])
        code, out, err = self.data("convert", "x.csv", "--to", "y.tfrecord", "--on-damage", "skip")
        self.assertEqual((code, out.splitlines()[2:4]), (0, ["y.tfrecord: 10,001 records", "left out: 2 rows, 6 bytes lost"]))
        self.assertEqual(err, f"carrack data convert: left out: {bad}\ncarrack data convert: left out: "
                              "x.csv: row 10002 (line 10004) at byte 40013: it has 1 field, and the file 2 columns; 2 bytes lost\n")
        self.assertEqual(self.data("convert", "x.csv", "--to", "s.tfrecord", "--on-damage", "skip", "--shards", "2")[2], err)
        self.assertEqual(self.data("convert", "x.csv", "--to", "z.tfrecord", "--types", "id=bytes", "--on-damage", "skip")[1].splitlines()[1],
                         "z.tfrecord: 10,002 records")

    def test_fails_if_every_row_is_left_out(self):
        self.write("x.csv", b"s\na\nb\n")
        self.write("y.tfrecord", b"kept")
        code, out, err = self.data("convert", "x.csv", "--to", "y.tfrecord", "--types", "s=float32", "--on-damage", "skip", "--force")
        self.assertEqual((code, out, err.splitlines()[-1]), (1, "", (
            "carrack data convert: no record is left, so nothing is written: 2 rows, 4 bytes lost; "
            "do the columns hold what --types says?")))
        self.assertEqual((self.folder / "y.tfrecord").read_bytes(), b"kept")
        self.write("empty.csv", b"s\n")
        self.assertEqual(self.data("convert", "empty.csv", "--to", "z.tfrecord", "--on-damage", "skip")[0], 0)

    def test_runs_no_program_that_a_pattern_of_the_shell_may_have_named(self):
        name = "exec:sh made.sh"
        self.write("made.sh", b"touch made\n")
        self.write(name, records.file(b"one"))
        for command in (["convert", "--to", "y.tfrecord"], ["bench"], ["explain"]):
            self.assertEqual(self.data(*command, name), (2, "", (
                f"carrack data {command[0]}: {name}: is a file, so it is not run as a program; write './{name}' to read it, or "
                "rename it to run the program\n")))
        for typed in ([f"./{name}"], ["--", name]):
            self.assertEqual(self.data("convert", "--to", "y.tfrecord", "--force", *typed)[0], 0)
            self.assertEqual((self.folder / "y.tfrecord").read_bytes(), records.file(b"one"))
        (self.folder / name).unlink()
        self.assertEqual(self.data("convert", "--to", "y.tfrecord", "--force", "--", name),
                         (2, "", f"carrack data convert: {name}: there is no such file\n"))
        self.assertEqual(self.names(), ["made.sh", "y.tfrecord"])

    def test_suggests_types_only_if_they_can_help(self):
        self.write("x.csv", b"id,s\n1,a\n2,b,c\n")
        self.write("x.jsonl", b'{"id": 1}\n{"id": 2,}\n')
        for name, bad in {"x.csv": "row 1 (line 3) at byte 9: it has 3 fields, and the file 2 columns; 6 bytes lost",
                          "x.jsonl": "row 1 (line 2) at byte 19: it is not JSON: a name in quotes was expected; 11 bytes lost"}.items():
            self.assertEqual(self.data("convert", name, "--to", "y.tfrecord")[::2],
                             (1, f"carrack data convert: {name}: {bad}; --on-damage skip leaves it out\n"))

    def test_joins_columns_to_one_feature(self):
        self.write("x.csv", b"id,a,b,c,name,y\n7,1,2.5,3,n,9\n8,-4,5,6,m,10\n")
        self.assertEqual(self.data("convert", "x.csv", "--to", "y.tfrecord", "--join", "x=a..c", "--join", "z=y,id", "--types", "z=int64"), (0, """\
column "name" is bytes: row 0 holds "n"
y.tfrecord: 2 records
read 44 bytes in T
""", ""))
        self.assertEqual(self.rows("y.tfrecord"), [{"name": ["n"], "x": [1.0, 2.5, 3.0], "z": [9, 7]},
                                                   {"name": ["m"], "x": [-4.0, 5.0, 6.0], "z": [10, 8]}])
        self.write("x.jsonl", b'{"b": 2, "a": 1}\n{"a": 3, "b": 4.5}\n')
        self.assertEqual(self.data("convert", "x.jsonl", "--to", "j.tfrecord", "--join", "a=a,b")[0], 0)
        self.assertEqual(self.rows("j.tfrecord"), [{"a": [1.0, 2.0]}, {"a": [3.0, 4.5]}])

    def test_fills_gaps(self):
        self.write("x.csv", b"a,b,c,d\n1,2,t,7\n3,,,\n,5,u,\n")
        self.assertEqual(self.data("convert", "x.csv", "--to", "y.tfrecord", "--fill", "a=0.5,c=a=b,d=-1", "--join", "x=a,b",
                                   "--fill=b=-2")[::2], (0, ""))
        self.assertEqual(self.rows("y.tfrecord"), [{"c": ["t"], "d": [7], "x": [1.0, 2.0]}, {"c": ["a=b"], "d": [-1], "x": [3.0, -2.0]},
                                                   {"c": ["u"], "d": [-1], "x": [0.5, 5.0]}])
        self.write("x.jsonl", b'{"b": 2, "a": 1}\n{"a": 3}\n')
        self.assertEqual(self.data("convert", "x.jsonl", "--to", "j.tfrecord", "--fill", "b=7")[0], 0)
        self.assertEqual(self.rows("j.tfrecord"), [{"a": [1], "b": [2]}, {"a": [3], "b": [7]}])
        for fill, words in {"e=1": "there is no column e; there are a, b, c, d", "d=0.5": "'0.5' is no int64, as column d is; --types says what a column holds",
                            "a=x": "'x' is no int64, as column a is; --types says what a column holds",
                            "a": "expects NAME=VALUE,..., not 'a'; `carrack data convert --help` lists what it does"}.items():
            self.assertEqual(self.data("convert", "x.csv", "--to", "z.tfrecord", "--fill", fill), (2, "", f"carrack data convert: --fill: {words}\n"))

    def test_refuses_joins_of_missing_columns(self):
        self.write("x.csv", b"a,b,c\n1,2,t\n3,,t\n4,5,t\n")
        bad = 'x.csv: row 1 (line 3) at byte 14: column "b" is empty, and there is no default; 5 bytes lost'
        convert = ("convert", "x.csv", "--to", "y.tfrecord")
        self.assertEqual(self.data(*convert, "--join", "x=a,b")[::2],
                         (1, f"carrack data convert: {bad}; --fill sets a value where a row has none, and --on-damage skip "
                          "leaves it out\n"))
        self.assertEqual(self.data(*convert, "--join", "x=a,b", "--on-damage", "skip")[1].splitlines()[1:3],
                         ["y.tfrecord: 2 records", "left out: 1 row, 5 bytes lost"])
        for joins, words in {
            ("x=a,d",): "there is no column d; there are a, b, c",
            ("x=b..a",): "b..a: column a comes before b",
            ("x=a..garaj",): "there is no column garaj; there are a, b, c",
            ("x=a,a",): "column a is joined twice",
            ("x=a", "y=a"): "column a is joined twice",
            ("x=a", "x=b"): "x is joined twice",
            ("c=a,b",): "there is a column c, too; give the feature another name, or join that as well",
            ("x=a,c",): 'column "c" is bytes: row 0 holds "t", and numbers alone are joined',
            ("x",): "expects NAME=COLUMN,COLUMN,... or NAME=FIRST..LAST, not 'x'; `carrack data convert --help` lists what it does",
        }.items():
            got = self.data(*convert, *(f"--join={join}" for join in joins))
            self.assertEqual(got, (2, "", f"carrack data convert: --join: {words}\n"))
        self.assertEqual(self.data(*convert, "--join", "x=a,b", "--types", "x=bytes"),
                         (2, "", "carrack data convert: --join: x is of numbers, not of bytes\n"))
        self.write("h.csv", b"age,height\nold,2\n")
        for option in (("--join", "x=age,heigth"), ("--join", "x=age", "--join", "y=heigth"), ("--types", "heigth=int64")):
            self.assertEqual(self.data("convert", "h.csv", "--to", "y.tfrecord", *option), (2, "", (
                f"carrack data convert: {option[0]}: there is no column heigth; did you mean 'height'?\n")))
        for told in ("a=int64", "a=bytes"):
            self.assertEqual(self.data(*convert, "--join", "x=a,b", "--types", told), (2, "", (
                "carrack data convert: --join: --types has column a otherwise than x; give the type of x alone\n")))

    def test_reads_json_of_several_types_with_the_type_of_the_option(self):
        self.write("x.jsonl", b'{"id": 1, "n": 18446744073709551616}\n{"id": "a", "n": 2}\n')
        convert = ("convert", "x.jsonl", "--to", "y.tfrecord")
        self.assertEqual(self.data(*convert, "--types", "id=bytes"), (1, "", (
            'carrack data convert: x.jsonl: row 0 (line 1) at byte 0: member "n" holds 18446744073709551616, which no int64 holds'
            + MORE.format("", "n") + "\n")))
        code, out, _ = self.data(*convert, "--types", "id=int64,n=float32", "--on-damage", "skip")
        self.assertEqual((code, out.splitlines()[:2]), (0, ["y.tfrecord: 1 record", "left out: 1 row, 20 bytes lost"]))
        self.assertEqual(self.rows("y.tfrecord"), [{"id": [1], "n": [1.8446744e19]}])

    def test_reports_how_much_of_a_program_s_records_is_left_out(self):
        whole = records.file(b"one", b"two", b"three", b"four")
        self.write("x", whole[:25] + b"#" + whole[26:-1])
        code, out, _ = self.data("convert", "exec:cat x", "--to", "y.tfrecord", "--on-damage", "skip")
        self.assertEqual((code, out.splitlines()[:2]), (0, ["y.tfrecord: 2 records", "left out: 2 damaged spans, 38 bytes lost"]))

    def test_takes_time_linear_in_the_number_of_columns(self):
        """The square of the columns would take minutes, and what runs here has one."""
        names, numbers = [f"c{n}" for n in range(100_000)], range(100_000)
        self.write("x.csv", "".join(",".join(map(str, row)) + "\n" for row in (names, numbers, numbers)).encode())
        self.write("x.jsonl", (json.dumps(dict(zip(names, numbers))) + "\n").encode())
        for name in ("x.csv", "x.jsonl"):
            for join in ([], ["--join", "x=c0..c99999"]):
                code, out, err = self.data("convert", name, "--to", "y.tfrecord", "--force", *join)
                self.assertEqual((code, err), (0, ""))
        (row,) = self.rows("y.tfrecord")
        self.assertEqual(row, {"x": [float(n) for n in numbers]})

    def test_refuses_rows_without_columns(self):
        header = b"{'descr': '<i8', 'fortran_order': False, 'shape': (9223372036854775808, 0), }\n"
        self.write("x.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header)
        self.assertEqual(self.data("convert", "x.npy", "--to", "y.tfrecord"), (1, "", (
            "carrack data convert: x.npy: its 9223372036854775808 rows hold no numbers, so there is nothing to read\n")))

    def write_bomb(self, name: str, size: int) -> None:
        deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
        million = bytes(1_000_000)
        packed = b"".join(deflate.compress(million) for _ in range(400)) + deflate.flush()
        self.write(name, archive("a.npy", packed, size))

    @unittest.skipIf("-fsanitize" in (Path(os.environ["CARRACK_BUILD"]) / "CMakeCache.txt").read_text(),
                     "sanitizers take more address space than the limit leaves")
    def test_reports_what_does_not_fit_in_memory(self):
        self.write_bomb("bomb.npz", size=400_000_000)
        limited = f"ulimit -v 300000; exec {records.CARRACK} data explain bomb.npz --threads 1"
        done = subprocess.run(["bash", "-c", limited], cwd=self.folder, capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (1, (
            "carrack data explain: bomb.npz/a.npy: inflates to 400000000 bytes, for which there is not enough memory; store it "
            "uncompressed, as numpy.savez does\n")))

    def test_reports_what_no_process_of_this_machine_has_memory_for(self):
        self.write_bomb("large.npz", size=2**50)
        self.assertRegex(self.data("explain", "large.npz")[2],
                         r"\Acarrack data explain: large.npz: its arrays inflate to 1125899906842624 bytes, and this process may have "
                         r"\d+; store them uncompressed, as numpy.savez does\n\Z")

    def test_refuses_arguments_that_contradict_each_other(self):
        self.write("x.csv", b"id\n1\n")
        self.write("x.jsonl", b'{"id": 1}\n{"id": "a"}\n')
        self.write("x.tfrecord", records.file(b"one"))
        convert = ("convert", "--to", "y.tfrecord")
        for arguments, code, words in [
            (("x.csv", "x.jsonl"), 2, "x.jsonl: is named as JSON lines, and x.csv as CSV; read each kind by itself"),
            (("x.csv", "--types", "x=int64"), 2, "--types: there is no column x; there are id"),
            (("x.csv", "--types", "id=int32"), 2,
             "--types: expects the type bytes, float32 or int64 for 'id', not 'int32'; "
             "`carrack data convert --help` lists what it does"),
            (("x.csv", "--delimiter", ";;"), 2, "--delimiter: expects one character, or \\t for a tab, not ';;'; "
             "`carrack data convert --help` lists what it does"),
            (("x.tfrecord", "--types", "id=int64"), 2, "--types: says what columns of CSV and JSON lines hold, and these are TFRecords"),
            (("x.jsonl", "--delimiter", ";"), 2, "--delimiter: separates fields of CSV, and these are JSON lines"),
            (("x.jsonl",), 1, 'x.jsonl: row 1 (line 2) at byte 10: member "id" holds "a", and 1 in row 0; a feature holds strings or numbers'
             + MORE.format("--missing says which strings stand for no value, and ", "id")),
            (("x.tfrecord", "--fill", "a=1"), 2, "--fill: gives columns of CSV and JSON lines values, and these are TFRecords"),
            (("x.tfrecord", "--join", "x=a,b"), 2, "--join: puts columns of CSV and JSON lines together, and these are TFRecords"),
            (("exec:nothing-here x",), 1, "exec:nothing-here x: cannot be started: No such file or directory"),
            (("exec:",), 1, "exec: no program is named"),
            (("exec:cat x.tfrecord", "x.csv"), 2, "x.csv: a program is read alone"),
            (("exec:cat x.tfrecord", "--shards", "2"), 2,
             "exec:cat x.tfrecord: cannot be cut into shards, as how much it writes is not known before"),
            (("exec:false",), 1, "exec:false: record 0 at byte 0: the program ended with exit code 1; 0 bytes lost; "
             "--on-damage skip leaves it out"),
        ]:
            got = self.data(*convert, *arguments)
            self.assertEqual((got[0], got[2]), (code, f"carrack data convert: {words}\n"))
            self.assertEqual(self.names(), ["x.csv", "x.jsonl", "x.tfrecord"])


if __name__ == "__main__":
    unittest.main()
