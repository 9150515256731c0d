"""`carrack data convert` of tables with gaps: texts that stand for no value, what fills them, and how much may be left out."""

import gzip
import json
import re
import shlex
import unittest

import records

ADVICE = "; --types says what columns hold, --missing which texts stand for no value, and --on-damage skip leaves it out"


class ConvertTables(records.Program, unittest.TestCase):
    def rows(self, name: str) -> list[dict]:
        code, out, err = self.data("head", name, "--json", "-n", "100000")
        self.assertEqual((code, err), (0, ""))
        return [json.loads(line)["holds"] for line in out.splitlines()]

    def convert(self, name: str, *options: str) -> tuple[int, list[str], str]:
        """The exit code, what is said without the speed, and what went wrong."""
        code, out, err = self.data("convert", name, "--to", "y.tfrecord", "--force", *options)
        return code, [line for line in out.splitlines() if not line.startswith("read ")], err.removeprefix("carrack data convert: ")

    def test_takes_texts_for_no_value(self):
        self.write("x.csv", b'lot,name,year\n1.5,a,2001\nNA,null,"NA"\n,NA,\n4,"",2004\n')
        self.assertEqual(self.convert("x.csv", "--missing", "NA", "--missing=null,-")[:2], (0, [
            'column "lot" is float32: row 0 holds "1.5"', 'column "name" is bytes: row 0 holds "a"',
            'column "year" is int64: so are all values in the first 4 rows', "y.tfrecord: 4 records"]))
        self.assertEqual(self.rows("y.tfrecord"), [{"lot": [1.5], "name": ["a"], "year": [2001]}, {}, {},
                                                   {"lot": [4.0], "name": [""], "year": [2004]}])
        self.write("x.jsonl", b'{"lot": "NA", "l": [1, 2], "s": "NA"}\n{"lot": 1.5, "l": "NA", "s": "b"}\n')
        self.assertEqual(self.convert("x.jsonl", "--missing", "NA")[0], 0)
        self.assertEqual(self.rows("y.tfrecord"), [{"l": [1, 2]}, {"lot": [1.5], "s": ["b"]}])

    def test_says_that_a_missing_value_needs_another(self):
        advice = "; --fill sets a value where a row has none, and --on-damage skip leaves it out\n"
        self.write("x.csv", b"a,b\n1,2\nNA,3\n")
        self.assertEqual(self.convert("x.csv", "--missing", "NA", "--join", "x=a,b")[::2], (
            1, 'x.csv: row 1 (line 3) at byte 8: column "a" has no value but "NA", and there is no default; 5 bytes lost' + advice))
        self.write("x.jsonl", b'{"a": 1, "b": 2}\n{"a": null, "b": 3}\n')
        self.assertEqual(self.convert("x.jsonl", "--join", "x=a,b")[::2], (
            1, 'x.jsonl: row 1 (line 2) at byte 17: there is no feature "a"; 20 bytes lost' + advice))

    def test_says_which_words_keep_a_column_from_being_numbers(self):
        lots = "".join(f'"a\n{n}",{"NA" if n == 30 else "?" if n % 50 == 31 else n}\n' for n in range(100))
        self.write("x.csv", f"name,lot\n\n{lots}".encode())
        said = "column \"lot\" is bytes because of 3 of 100 values, as \"NA\" in line 63; --missing 'NA,?' makes it int64"
        self.assertEqual(self.convert("x.csv")[1][1], said)
        self.assertEqual(self.convert("x.csv", "--join", "x=lot"), (2, [], f"--join: {said}, and numbers alone are joined\n"))
        self.assertEqual(self.convert("x.csv", "--missing", "NA,?")[1][1],
                         'column "lot" is int64: so are all values in the first 100 rows')
        for cells, reason in {"1 2.5 x": '1 of 3 values, as "x" in line 4; --missing x makes it float32', "1 x": None, "1 2 x y": None,
                              "1 2 3 4 5 6 7 8 a b c d": None, "1 2 99999999999999999999": None, '1 2 "x,y"': None}.items():
            self.write("x.csv", "\n".join(["c", *cells.split(), ""]).encode())
            said = self.convert("x.csv")[1][0]
            self.assertEqual(said.removeprefix('column "c" is bytes because of ') if reason else "holds" in said, reason or True)

    def test_quotes_the_words_that_it_suggests(self):
        for words, typed in {" NA": "' NA'", "N;A $(x)": "'N;A $(x)'", "it's": "'it'\\''s'", "-": "-", "~": "'~'", "ü": "ü",
                             "n/a -1.5e+_": "'n/a -1.5e+_'", "n/a": "n/a", "a b,c|d": "'a b,c|d'"}.items():
            cells = words.split(",")
            self.write("x.csv", "\n".join(["n,m", *(f"{cell},1" for cell in cells), *("1,1" for _ in range(9)), ""]).encode())
            said = self.convert("x.csv")[1][0]
            self.assertEqual(said, f'column "n" is bytes because of {len(cells)} of {9 + len(cells)} values, as "{cells[0]}" in line 2; '
                             f"--missing {typed} makes it int64")
            self.assertEqual(shlex.split(typed), [words])
            self.assertIn('column "n" is int64: so', self.convert("x.csv", "--missing", *shlex.split(typed))[1][0])
        for cell in (b"\x1b[0m", b"N\tA", b"\xff"):
            self.write("x.csv", b"n,m\n" + cell + b",1\n1,1\n1,1\n1,1\n")
            shown = cell.decode("latin-1").replace("\x1b", r"\x1b").replace("\t", r"\x09").replace("\xff", r"\xff")
            self.assertEqual(self.convert("x.csv")[1][0], f'column "n" is bytes because of 1 of 4 values, as "{shown}" in line 2')

    def test_fills_gaps_with_the_mean(self):
        self.write("x.csv", b"id,lot,age\n1,2,\n2,NA,3\n3,5,4\n4,,\n5,3.5,4\n")
        options = ("--missing", "NA", "--default", "lot=mean,age=mean", "--fill", "id=0", "--join", "x=lot,age")
        self.assertEqual(self.convert("x.csv", *options), (0, [
            'column "id" is int64: so are all values in the first 5 rows', "lot: 2 missing, filled with 3.5", "age: 2 missing, filled with 3.6666667", "id: none missing", "y.tfrecord: 5 records"], ""))
        self.assertEqual([row["x"] for row in self.rows("y.tfrecord")],
                         [[2.0, 3.6666667], [3.5, 3.0], [5.0, 4.0], [3.5, 3.6666667], [3.5, 4.0]])
        self.write("x.jsonl", b'{"n": 1}\n{"n": null, "s": "a"}\n{"n": 4}\n')
        self.assertEqual(self.convert("x.jsonl", "--default", "n=mean,s=none")[1], [
            'column "n" is float32: its gaps get the mean', 'member "s" is bytes: row 1 holds "a"', "n: 1 missing, filled with 2.5",
            's: 2 missing, filled with "none"', "y.tfrecord: 3 records"])
        self.assertEqual(self.rows("y.tfrecord"), [{"n": [1.0], "s": ["none"]}, {"n": [2.5], "s": ["a"]}, {"n": [4.0], "s": ["none"]}])

    def test_fills_gaps_with_the_median(self):
        self.write("x.csv", b"id,lot\n4,2.5\n,NA\n1,7\n3,1\n2,30\n")
        self.assertEqual(self.convert("x.csv", "--missing", "NA", "--fill", "lot=median,id=median"), (0, [
            'column "id" is int64: so are all values in the first 5 rows', 'column "lot" is float32: row 0 holds "2.5"',
            "lot: 1 missing, filled with 2.5", "id: 1 missing, filled with 2", "y.tfrecord: 5 records"], ""))
        self.assertEqual(self.rows("y.tfrecord")[1], {"id": [2], "lot": [2.5]})
        self.write("x.csv", ("v,w\n" + "".join(f"{n * 7919 % 100_003},\n" for n in range(100_003)) + ",\n").encode())
        code, said, err = self.convert("x.csv", "--fill", "v=median")
        self.assertEqual((code, err), (0, ""))
        median = re.fullmatch(r"v: 1 missing, filled with (\d+)", said[2]).group(1)
        self.assertAlmostEqual(int(median), 50_001, delta=1000)

    def test_takes_a_missing_number_however_it_is_spelled(self):
        self.write("x.csv", b"n,f,s\n-999,-999,-999.0\n-999.0,-999.0,a\n7,0.5,b\n")
        self.assertEqual(self.convert("x.csv", "--missing", "-999")[1][:2],
                         ['column "n" is int64: so are all values in the first 3 rows', 'column "f" is float32: row 2 holds "0.5"'])
        self.assertEqual(self.rows("y.tfrecord"), [{"s": ["-999.0"]}, {"s": ["a"]}, {"n": [7], "f": [0.5], "s": ["b"]}])
        self.write("x.jsonl", b'{"n": -999, "s": "-999"}\n{"n": -999.0, "s": "-999.0"}\n{"n": 7, "s": "b"}\n')
        self.assertEqual(self.convert("x.jsonl", "--missing", "-999", "--fill", "n=median")[1], [
            'member "n" is int64: row 2 holds 7', 'member "s" is bytes: row 1 holds "-999.0"', "n: 2 missing, filled with 7", "y.tfrecord: 3 records"])
        self.assertEqual(self.rows("y.tfrecord"), [{"n": [7]}, {"n": [7], "s": ["-999.0"]}, {"n": [7], "s": ["b"]}])

    def test_takes_an_empty_array_for_a_gap(self):
        self.write("x.jsonl", b'{"n": [], "m": 1}\n{"n": 4, "m": 2}\n{"n": [1, 2], "m": 3}\n')
        code, _, err = self.convert("x.jsonl", "--fill", "n=0")
        self.assertEqual(code, 1)
        self.assertIn('row 2 (line 3) at byte 41: feature "n" has 2 values, and 1 are needed; ', err)
        code, said, _ = self.convert("x.jsonl", "--fill", "n=0", "--on-damage", "skip")
        self.assertEqual((code, said[2:]), (0, ["n: 1 missing, filled with 0", "y.tfrecord: 2 records", "left out: 1 row, 22 bytes lost"]))
        self.assertEqual(self.rows("y.tfrecord"), [{"n": [0], "m": [1]}, {"n": [4], "m": [2]}])
        self.assertIn("has 0 values, and 1 are needed; 18 bytes lost; --fill sets a value where a row has none, and ",
                      self.convert("x.jsonl", "--join", "x=n,m")[2])

    def test_finds_the_same_mean_with_any_number_of_threads(self):
        rows = "".join(f"{'' if n % 7 == 0 else (1e8 if n % 2 else -1e8) + n / 16}\n" for n in range(60_000))
        self.write("x-0.csv", b"v,w\n" + rows.replace("\n", ",\n").encode())
        self.write("x-1.csv.gz", gzip.compress(b"v,w\n1e8,\n2e-3,\n"))
        written = []
        for threads in ("1", "5"):
            code, said, err = self.convert("x-*", "--default", "v=mean", "--threads", threads)
            self.assertEqual((code, err), (0, ""))
            written.append((said, (self.folder / "y.tfrecord").read_bytes()))
        self.assertEqual(written[0], written[1])
        self.assertRegex("\n".join(written[0][0]), r"\nv: 8,572 missing, filled with [\d.]+\n")

    def test_leaves_rows_out_of_counts_and_means_as_out_of_the_records(self):
        self.write("x.csv", b"lot,price\n1,10\n,20\n100,bad\n,bad\n3,30\n")
        for more, price in (((), "price"), (("--join", "x=price", "--types", "price=int64,x=int64"), "x")):
            code, said, _ = self.convert("x.csv", "--on-damage", "skip", "--types", "price=int64", "--fill", "lot=mean", *more)
            self.assertEqual((code, said[-3:]), (0, ["lot: 1 missing, filled with 2", "y.tfrecord: 3 records", "left out: 2 rows, 13 bytes lost"]))
            self.assertEqual(self.rows("y.tfrecord"), [{"lot": [n], price: [10 * n]} for n in (1, 2, 3)])
        self.write("x.jsonl", b'{"a": 1, "b": 1}\n{"a": [40, 50], "b": 2}\n{"b": 3}\n{"a": 3, "b": [4, 4]}\n{"a": 4, "b": null}\n{"a": 60, "b": "x"}\n')
        code, said, _ = self.convert("x.jsonl", "--on-damage", "skip", "--types", "b=int64", "--fill", "a=mean,b=7")
        self.assertEqual((code, said[-4:]), (0, ["a: 1 missing, filled with 2.5", "b: 1 missing, filled with 7", "y.tfrecord: 3 records",
                                                 "left out: 3 rows, 66 bytes lost"]))
        self.assertEqual(self.rows("y.tfrecord"), [{"a": [1.0], "b": [1]}, {"a": [2.5], "b": [3]}, {"a": [4.0], "b": [7]}])

    def test_refuses_defaults_that_do_not_fit(self):
        self.write("x.csv", b"width,city,nan,none\n1,Bern,nan,\n,,1,\n")
        for default, words in {
            "widht=1": "there is no column widht; did you mean 'width'?",
            "city=mean": 'column city is bytes, which have no mean; write the text itself (column "city" is bytes: row 0 holds "Bern")',
            "nan=mean": "column nan has no mean, as it holds 1 number that is NaN or infinite; --missing takes such a text for a gap, "
                        "written as it stands in the file, such as NaN",
            "width=0.5": "'0.5' is no int64, as column width is; --types says what a column holds",
            "width=average": "'average' is no int64, as column width is; --types says what a column holds",
            "width=1,width=2": "column width is filled twice",
            "=1": "expects NAME=VALUE,..., not '=1'; `carrack data convert --help` lists what it does",
        }.items():
            self.assertEqual(self.convert("x.csv", "--default", default), (2, [], f"--default: {words}\n"))
        for options, words in [
            (("--fill", "city=mean", "--types", "city=bytes"), "--fill: column city is bytes, which have no mean; write the text itself"),
            (("--fill", "none=mean", "--types", "none=float32"), "--fill: column none has no mean, as it holds no number"),
            (("--fill", "width=mean", "--types", "width=int64"),
             "--fill: column width is int64 by --types, and its mean may be no whole number; make it float32, or write the number itself"),
            (("--fill", "width=mean", "--join", "x=width", "--types", "x=int64"),
             "--fill: column width is int64 by --types, and its mean may be no whole number; make it float32, or write the number itself"),
            (("--missing", "NA,"), "--missing: expects TEXT,..., not 'NA,'; an empty field is missing anyway; "
             "`carrack data convert --help` lists what it does"),
        ]:
            self.assertEqual(self.convert("x.csv", *options), (2, [], words + "\n"))
        self.write("x.csv", b"a\n1\nNaN\n4\n")
        self.assertEqual(self.convert("x.csv", "--fill", "a=mean", "--missing", "NaN")[1][1], "a: 1 missing, filled with 2.5")
        self.write("x.csv", b"lot\n1\nNA\n3\n")
        self.assertEqual(self.convert("x.csv", "--fill", "lot=mean"), (
            2, [], '--fill: column lot is bytes, which have no mean; write the text itself (column "lot" is bytes because of 1 of 3 values, '
            'as "NA" in line 3; --missing NA makes it int64)\n'))
        self.write("x.tfrecord", records.file(b"one"))
        self.assertEqual(self.convert("x.tfrecord", "--missing", "NA"), (
            2, [], "--missing: says which texts of CSV and JSON lines stand for no value, and these are TFRecords\n"))
        self.assertEqual(self.convert("x.tfrecord", "--default", "a=1"), (
            2, [], "--default: gives columns of CSV and JSON lines values, and these are TFRecords\n"))

    def test_keeps_the_names_of_joined_columns(self):
        self.write("x.csv", '"a, b",ü,y\n1,2,3\n4,5,6\n7,8,9\n'.encode())
        self.assertEqual(self.convert("x.csv", "--join", "x=y,ü")[0], 0)
        self.assertEqual((self.folder / "y.tfrecord.columns").read_bytes(), '{"x": ["y", "ü"]}\n'.encode())
        stats = self.data("stats", "y.*")[1]
        self.assertIn("1 file, 3 records", stats)
        self.assertIn("""\
  each value of a record:
    value  min  max  mean  std    NaN  column
    0      3    9    6     2.449  0    y
    1      2    8    5     2.449  0    ü
""", stats)
        self.assertIn("\ncolumns that are joined:\nx: 0 y, 1 ü\n", self.data("inspect", "y.*")[1])
        found = json.loads(self.data("stats", "y.tfrecord", "--json")[1])["features"]
        self.assertEqual([feature.get("names") for feature in found], [None, ["y", "ü"]])
        for typed in ("x[1]", "x[ü]"):
            self.assertIn(f"\n{typed}: float32, values 1\n  2 to 8, mean 5\n", self.data("stats", "y.tfrecord", "--feature", typed)[1])
        self.assertEqual(self.convert("x.csv", "--join", "x=ü,y")[0], 0)
        self.assertIn("\nx[ü]: float32, values 1\n  2 to 8, mean 5\n", self.data("stats", "y.tfrecord", "--feature", "x[ü]")[1])

    def test_refuses_columns_of_which_there_is_none_or_another(self):
        self.write("x.csv", b"id,lot,age\n1,2,3\n")
        self.assertEqual(self.convert("x.csv", "--join", "x=lot,age")[0], 0)
        for typed, words in {"x[agee]": """x has no column "agee"; did you mean 'age'?""", "x[size]": 'x has no column "size"; there are lot, age',
                             "x[]": 'x has no column ""; there are lot, age', "x[2]": "there is no x[2], as x has at most 2 values, and the first is x[0]",
                             "id[lot]": "there is no feature id[lot]; there are id, x"}.items():
            self.assertEqual(self.data("stats", "y.tfrecord", "--feature", typed), (2, "", f"carrack data stats: --feature: {words}\n"))
        self.write("x.csv", b"1,2,0\n10,20,30\n")
        self.assertEqual(self.data("convert", "x.csv", "--to", "z.tfrecord", "--join", "x=1,2")[0], 0)
        self.assertIn("\n  always 10\n", self.data("stats", "z.tfrecord", "--feature", "x[0]")[1])
        for typed, words in {"x[1]": 'x[1] is value 1 (column "2"), and column "1" is x[0]', "x[2]": 'x[2] is value 2, and column "2" is x[1]'}.items():
            self.assertEqual(self.data("stats", "y.tfrecord", "z.tfrecord", "--feature", typed), (
                2, "", f"carrack data stats: --feature: {words}; name the columns otherwise in z.tfrecord.columns, or remove that file\n"))
        (self.folder / "z.tfrecord.columns").write_text('{"x": ["0", "1"]}')
        self.assertIn("\n  always 20\n", self.data("stats", "z.tfrecord", "--feature", "x[1]")[1])

    def test_names_columns_only_if_all_files_have_the_same(self):
        self.write("x.csv", b"a,b\n1,2\n")
        for to, join in (("p.tfrecord", "x=a,b"), ("q.tfrecord", "x=b,a"), ("r.tfrecord", "x=a,b")):
            self.assertEqual(self.data("convert", "x.csv", "--to", to, "--join", join)[0], 0)
        self.assertIn("0    a\n", self.data("stats", "p.*", "r.*")[1])
        code, out, err = self.data("stats", "p.*", "q.*", "r.*")
        self.assertEqual((code, err), (0, "carrack data stats: the columns of x have other names in q.tfrecord than in p.tfrecord, so they are "
                                          "shown without names\n"))
        self.assertNotIn("column\n", out)
        (self.folder / "q.tfrecord.columns").unlink()
        for files, named in ((("p.*", "q.*"), "p.tfrecord"), (("q.*", "p.*"), "p.tfrecord")):
            self.assertEqual(self.data("inspect", *files)[::2], (0, (
                f"carrack data inspect: the columns of x have names in {named} and none in q.tfrecord, so they are shown without names\n")))
        self.assertEqual(self.data("convert", "x.csv", "--to", "q.tfrecord", "--join", "x=b,a", "--force")[0], 0)
        code, out, err = self.data("stats", "p.*", "q.*", "--feature", "x[b]")
        self.assertIn("\nx[b]: float32, values 1\n  always 2\n", out)
        self.assertEqual((code, err), (0, ""))
        (self.folder / "r.tfrecord.columns").write_text('{"x": "a"}')
        self.assertEqual(self.data("stats", "r.tfrecord")[::2], (1, (
            "carrack data stats: r.tfrecord.columns: holds no names of columns as `carrack data convert` writes them; remove it\n")))

    def test_replaces_and_removes_names_with_their_records(self):
        self.write("x.csv", b"a,b\n1,2\n3,4\n")
        convert = ("convert", "x.csv", "--to", "y.tfrecord")
        self.write("y.tfrecord.columns", b"another's")
        for more in ((), ("--join", "x=a,b")):
            self.assertEqual(self.data(*convert, *more), (
                2, "", "carrack data convert: y.tfrecord.columns: is there already; --force replaces it\n"))
        self.assertEqual(self.data(*convert, "--force", "--join", "x=a,b", "--shards", "2")[0], 0)
        shards = [f"y-0000{n}-of-00002.tfrecord" for n in range(2)]
        self.assertEqual(self.names(), ["x.csv", *sorted(shards + [name + ".columns" for name in shards]), "y.tfrecord.columns"])
        self.assertEqual(self.data(*convert, "--force", "--shards", "3")[0], 0)
        self.assertEqual([name for name in self.names() if name.startswith("y-")], [f"y-0000{n}-of-00003.tfrecord" for n in range(3)])
        self.assertEqual(self.data(*convert, "--force")[0], 0)
        self.assertNotIn("y.tfrecord.columns", self.names())

    def test_refuses_a_folder_where_names_should_be(self):
        self.write("x.csv", b"a,b\n1,2\n3,4\n5,b\n")
        convert = ("convert", "x.csv", "--to", "y.tfrecord", "--shards", "2", "--force", "--types", "b=int64")
        self.assertEqual(self.data(*convert, "--join", "x=a", "--on-damage", "skip")[0], 0)
        first, second = (f"y-0000{n}-of-00002.tfrecord" for n in range(2))
        self.assertEqual(self.names(), ["x.csv", first, first + ".columns", second, second + ".columns"])
        self.assertEqual((self.folder / (first + ".columns")).read_bytes(), b'{"x": ["a"]}\n')
        (self.folder / (second + ".columns")).unlink()
        (self.folder / (second + ".columns")).mkdir()
        before = {name: (self.folder / name).read_bytes() for name in (first, second)}
        self.assertEqual(self.data(*convert, "--join", "x=a", "--on-damage", "skip")[::2], (
            2, f"carrack data convert: {second}.columns: is a folder; remove it, or write another --to\n"))
        self.assertEqual({name: (self.folder / name).read_bytes() for name in (first, second)}, before)

    def test_replaces_nothing_if_too_much_would_be_left_out(self):
        self.write("x.csv", b"a,b\n" + b"1,2\n" * 100 + b"1,b\n" * 10)
        damaged = bytearray(records.file(*[b"x" * 84] * 100))
        damaged[99 * 100 + 20] ^= 1
        self.write("x.tfrecord", bytes(damaged))
        self.write("z.tfrecord.gz", gzip.compress(damaged))
        shards = [f"y-0000{n}-of-00003.tfrecord" for n in range(3)]
        for shard in shards:
            self.write(shard, b"kept")
        for name, types in (("x.csv", ("--types", "b=int64")), ("x.tfrecord", ()), ("z.tfrecord.gz", ())):
            code, _, err = self.convert(name, "--shards", "3", *types, "--on-damage", "skip", "--max-skipped", "0")
            self.assertEqual(code, 1, err)
            self.assertIn("more is left out than --max-skipped 0, so nothing is written: ", err)
            self.assertEqual([(self.folder / shard).read_bytes() for shard in shards], [b"kept"] * 3, name)

    def test_converts_a_table_of_houses(self):
        """As they are sold: text, years, and lots of which some are unknown."""
        houses = [(f"{n} Elm St.\nApt {n % 9}", ("NA" if n % 40 == 7 else "" if n % 50 == 3 else 300 + n % 97), 1900 + n % 120,
                   "n/a" if n % 333 == 0 else n / 4) for n in range(5000)]
        self.write("houses.csv", b"address,lot,year,price\n" + "".join(f'"{a}",{lot},{year},{price}\n' for a, lot, year, price in houses).encode())
        self.assertIn('column "lot" is bytes because of 125 of 4,900 values, as "NA" in line 16; --missing NA makes it int64',
                      self.convert("houses.csv")[1])
        code, said, err = self.convert("houses.csv", "--missing", "NA,n/a", "--default", "lot=mean", "--join", "x=lot,year",
                                       "--on-damage", "skip", "--max-skipped", "1%")
        lots = [lot for _, lot, _, _ in houses if not isinstance(lot, str)]
        mean = sum(lots) / len(lots)
        self.assertEqual((code, err), (0, ""))
        filled = [line for line in said if line.startswith("lot: ")]
        self.assertRegex(filled[0], rf"^lot: {5000 - len(lots)} missing, filled with {mean:.4f}"[:-1])
        rows = self.rows("y.tfrecord")
        self.assertEqual(len(rows), 5000)
        self.assertEqual(rows[1], {"address": ["1 Elm St.\nApt 1"], "price": [0.25], "x": [301.0, 1901.0]})
        self.assertAlmostEqual(rows[7]["x"][0], mean, places=4)
        self.assertNotIn("price", rows[333])
        self.assertIn("\nx[lot]: float32, values 1\n  300 to 396, mean 347", self.data("stats", "y.tfrecord", "--feature", "x[lot]")[1])

    def test_leaves_out_no_more_than_may_be(self):
        self.write("x.csv", b"n\n" + b"1\n" * 10_000 + b"x\n" * 100)
        self.write("y.tfrecord", b"kept")
        lost = "100 rows, 200 bytes lost, of 10,100 rows and 20,200 bytes"
        for limit in ("99", "0.9%", "0", "0%"):
            code, _, err = self.convert("x.csv", "--on-damage", "skip", "--max-skipped", limit)
            self.assertEqual((code, err.splitlines()[-1]), (
                1, f"carrack data convert: more is left out than --max-skipped {limit}, so nothing is written: {lost}"))
            self.assertEqual((self.folder / "y.tfrecord").read_bytes(), b"kept")
            self.assertEqual(self.names(), ["x.csv", "y.tfrecord"])
        for limit in ("100", "1%", "100%"):
            self.assertEqual(self.convert("x.csv", "--on-damage", "skip", "--max-skipped", limit)[:2],
                             (0, ['column "n" is int64: so are all values in the first 10,000 rows', "y.tfrecord: 10,000 records",
                                  "left out: 100 rows, 200 bytes lost"]))

    def test_counts_the_bytes_that_one_fault_takes_with_it(self):
        self.write("x.csv", b"n,s\n" + b"1,a\n" * 300 + b'2,"b\n' + b"3,c\n" * 300)
        code, _, err = self.convert("x.csv", "--on-damage", "skip", "--max-skipped", "1%")
        self.assertEqual((code, err.splitlines()[-1]), (1, (
            "carrack data convert: more is left out than --max-skipped 1%, so nothing is written: 1 row, 1,205 bytes lost, of 301 rows and "
            "2,408 bytes")))
        self.write("x.csv.gz", gzip.compress(b"n,s\n" + b"1,a\n" * 300 + b'2,"b\n' + b"3,c\n" * 300))
        for limit, expected in (("1%", 1), ("50.1%", 0)):
            code, _, err = self.convert("x.csv.gz", "--on-damage", "skip", "--max-skipped", limit)
            self.assertEqual(code, expected, err)
            if code == 1:
                self.assertTrue(err.endswith(": 1 row, 1,205 bytes lost, of 301 rows and 2,409 bytes\n"), err)
        damaged = bytearray(records.file(*[b"x" * 84] * 100))
        damaged[5] ^= 1
        damaged[60 * 100:60 * 100 + 8] = b"........"
        for content, name in ((bytes(damaged), "x.tfrecord"), (gzip.compress(damaged), "z.tfrecord.gz")):
            self.write(name, content)
            for limit, expected in (("1", 1), ("2", 0), ("1.9%", 1), ("2%", 0)):
                code, _, err = self.convert(name, "--on-damage", "skip", "--max-skipped", limit)
                self.assertEqual(code, expected, (name, limit))
                if code == 1:
                    self.assertRegex(err.splitlines()[-1], r" bytes lost, of 100 records and 10,000 bytes$")

    def test_bytes_behind_a_row_that_is_too_long_count(self):
        self.write("x.csv.gz", gzip.compress(b"n,s\n" + b"1,a\n" * 2_500_000 + b'2,"' + b"b" * 80_000_000, 1))
        for limit, expected in (("80%", 1), ("95%", 0)):
            code, _, err = self.convert("x.csv.gz", "--on-damage", "skip", "--max-skipped", limit)
            self.assertEqual(code, expected, err)

    def test_refuses_limits_that_make_no_sense(self):
        self.write("x.csv", b"n\n1\n")
        for limit in ("x", "1.5", "-1", "101%", "-1%", "nan%", "%"):
            self.assertEqual(self.convert("x.csv", "--on-damage", "skip", "--max-skipped", limit), (
                2, [], f"--max-skipped: expects a number of rows, or a share such as 1%, not '{limit}'; "
                "`carrack data convert --help` lists what it does\n"))
        self.assertEqual(self.convert("x.csv", "--max-skipped", "1%"), (
            2, [], "--max-skipped limits what --on-damage skip leaves out, so give both; `carrack data convert --help` lists what it does\n"))

    def test_names_the_line_of_a_bad_row(self):
        rows = b'\n"a\nb",1\n\r\n"c",2\n"d",3,4\n\n"e\n\n",x\nf,5\ng,y\n'
        told = ["row 2 (line 7) at byte {0}: it has 3 fields, and the file 2 columns; 8 bytes lost",
                'row 3 (line 9) at byte {1}: column "n" holds "x", and int64 was asked for; 8 bytes lost',
                'row 5 (line 13) at byte {2}: column "n" holds "y", and int64 was asked for; 4 bytes lost']
        content = b"\xef\xbb\xbfs,n\n" + rows
        places = content.index(b'"d"'), content.index(b"x\n"), content.index(b"y\n")
        self.write("x.csv", content)
        self.write("x.csv.gz", gzip.compress(content))
        for name in ("x.csv", "x.csv.gz"):
            inflated = " of the inflated data" if name.endswith(".gz") else ""
            lines = [f"{name}: " + line.format(*places).replace(": ", f"{inflated}: ", 1) for line in told]
            code, _, err = self.convert(name, "--on-damage", "skip", "--types", "n=int64")
            self.assertEqual((code, ("carrack data convert: " + err).splitlines()),
                             (0, [f"carrack data convert: left out: {line}" for line in lines]))
        self.write("x.jsonl", b'\n{"n": 1}\n \n{"n": []}\n{"n": "x"}\n')
        self.assertEqual(self.convert("x.jsonl", "--types", "n=int64")[::2], (
            1, 'x.jsonl: row 2 (line 5) at byte 28: feature "n" holds a string, and int64 was asked for; 11 bytes lost' + ADVICE + "\n"))

    def test_names_a_file_that_cannot_be_created_as_it_was_typed(self):
        self.write("x.csv", b"n\n1\n")
        code, _, err = self.data("convert", "x.csv", "--to", "/proc/x.tfrecord")
        self.assertEqual((code, err), (1, "carrack data convert: /proc/x.tfrecord: cannot create it: No such file or directory\n"))


if __name__ == "__main__":
    unittest.main()
