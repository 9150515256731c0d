"""`carrack plot` draws what a run has recorded."""

import json
import math
import os
import pty
import struct
import subprocess
import tempfile
import termios
import unittest
from fcntl import ioctl
from pathlib import Path

import job
from support import object_store

CARRACK = job.BIN / "carrack"
ASCII = {"LC_ALL": "C"}
BEHIND = "name the checkpoint folder of a job that has begun to train"


def carrack(*arguments: object, exit_code: int = 0, **environment: str) -> subprocess.CompletedProcess:
    done = subprocess.run([CARRACK, "plot", *map(str, arguments)], env=os.environ | ASCII | environment,
                          capture_output=True, text=True, timeout=60)
    if done.returncode != exit_code:
        raise AssertionError(f"carrack plot ended with {done.returncode}\n{done.stderr}")
    return done


def on_terminal(columns: int, *arguments: object) -> str:
    """What the command prints on a terminal of that width."""
    ours, theirs = pty.openpty()
    ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with open(ours, "rb", buffering=0) as reader:
        process = subprocess.Popen([CARRACK, "plot", *map(str, arguments)], env=os.environ | ASCII, stdout=theirs)
        os.close(theirs)
        text = b""
        try:
            while piece := reader.read(4096):
                text += piece
        except OSError:
            pass  # The command has ended.
        process.wait(60)
    return text.decode().replace("\r\n", "\n")


def recorded() -> list[dict]:
    points = []
    for step in range(10, 4001, 10):
        common = {"step": step, "epoch": step // 1000, "time": 1764094500 + step}
        loss = 2 * math.exp(-step / 400) + 0.005
        points.append(common | {"loss": loss, "records_per_second": 5000})
        if step % 1000 == 0:
            worse = 0.01 if step == 4000 else 0
            evaluation = {"records": 300, "loss": loss + worse, "accuracy": 1 - loss}
            points.append(common | {"evaluation": evaluation, "best": not worse})
    return points


class Plot(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.file = self.folder / "metrics.jsonl"
        self.write(recorded())

    def write(self, points: list[dict], behind: str = "") -> None:
        self.file.write_text("".join(json.dumps(point) + "\n" for point in points) + behind)

    def test_draws_the_losses(self):
        lines = carrack(self.folder).stdout.splitlines()
        self.assertEqual(lines[:4], [
            "loss by step, log scale", ".' training 0.005091 at step 4,000", "o  evaluation 0.01509 at step 4,000",
            "*  best evaluation 0.006106 at step 3,000"])
        self.assertEqual(len(lines), 4 + 16 + 2)
        self.assertEqual(max(map(len, lines)), 80)
        axis = lines[-2]
        self.assertEqual(len(axis), 80)
        ticks = [line.split()[0] for line in lines[4:-2] if line[axis.index("+")] == "+"]
        self.assertEqual(ticks, ["1", "0.3", "0.1", "0.03", "0.01"])
        self.assertEqual(lines[-1].split(), ["0", "1,000", "2,000", "3,000", "4,000"])
        left = axis.index("+") + 1
        self.assertEqual(sum(line.count("o", left) for line in lines[4:-2]), 3, "1,000, 2,000 and 4,000")
        best = next(star for line in lines[4:-2] if (star := line.find("*", left)) >= 0)
        self.assertAlmostEqual((best - left) / (80 - left - 1), 3000 / 4000, delta=0.01)

    def test_takes_the_file_and_urls_too(self):
        expected = carrack(self.folder).stdout
        for place in (f"{self.folder}/", self.file, f"file://{self.folder}", f"file://{self.file}"):
            self.assertEqual(carrack(place).stdout, expected, place)

    def test_reads_from_a_bucket(self):
        expected = carrack(self.folder).stdout
        with object_store.fake_gcs("bucket") as server:
            object_store.put(server, "bucket", "line/checkpoints/metrics.jsonl", self.file.read_bytes())
            place = "gs://bucket/line/checkpoints"
            self.assertEqual(carrack(place, STORAGE_EMULATOR_HOST=server).stdout, expected)
            found = carrack(f"{place}/x", exit_code=2, STORAGE_EMULATOR_HOST=server)
        self.assertEqual(found.stderr, f"carrack plot: {place}/x: holds no metrics.jsonl; {BEHIND}\n")

    def test_shows_braille_where_the_locale_has_it(self):
        for environment in ({"LC_ALL": "C.UTF-8"}, {"LC_ALL": "", "LC_CTYPE": "", "LANG": "en_US.utf8"}):
            text = carrack(self.folder, **environment).stdout
            self.assertIn("└", text)
            self.assertTrue(any(0x2800 < ord(character) < 0x2900 for character in text))
            self.assertEqual({len(line) for line in text.splitlines() if "└" in line}, {80})
        self.assertTrue(carrack(self.folder, LC_ALL="", LC_CTYPE="C", LANG="C.UTF-8").stdout.isascii())

    def test_is_as_wide_as_the_terminal(self):
        for columns in (20, 33, 80, 211):
            lines = on_terminal(columns, self.folder).splitlines()
            self.assertEqual(max(map(len, lines)), columns)
            self.assertEqual(lines, carrack(self.folder, "--width", columns).stdout.splitlines())
        self.assertEqual(on_terminal(11, self.folder), carrack(self.folder, "--width", 20).stdout, "no narrower")

    def test_draws_other_metrics(self):
        text = carrack(self.folder, "--metric", "accuracy").stdout
        self.assertTrue(text.startswith("accuracy by step\no  evaluation 0.9949 at step 4,000\n"
                                        "*  evaluation with the lowest loss 0.9939 at step 3,000\n"), text)
        text = carrack(self.folder, "--metric=records_per_second").stdout
        self.assertTrue(text.startswith("records_per_second by step\n.' training 5000 at step 4,000\n5500 +\n"), text)
        found = carrack(self.folder, "--metric", "los", exit_code=2)
        self.assertEqual(found.stderr, "carrack plot: nothing is recorded of 'los'; did you mean 'loss'?\n")

    def test_draws_what_there_is(self):
        self.write([point for point in recorded() if "evaluation" not in point])
        self.assertNotIn("evaluation", carrack(self.folder).stdout)
        self.write(recorded()[:1])
        self.assertIn("training 1.956 at step 10\n", carrack(self.folder).stdout)
        self.write([])
        self.assertEqual(carrack(self.folder).stdout, "nothing is recorded yet\n")
        self.write(recorded()[:2], '{"step":40,"epo')
        self.assertIn(" at step 20\n", carrack(self.folder).stdout, "a killed writer leaves half a line")
        self.write([recorded()[0] | {"loss": None}, *recorded()[1:3]])
        self.assertIn("\n1 value is not finite, so not drawn\n", carrack(self.folder).stdout)

    def test_names_the_checkpoint_folder_of_a_run(self):
        run = self.folder / "run"
        (run / "checkpoints").mkdir(parents=True)
        (run / "checkpoints/HEAD.1").write_text("any")
        self.assertEqual(carrack(run, exit_code=2).stderr,
                         f"carrack plot: {run}: holds no metrics.jsonl; did you mean {run}/checkpoints?\n")

    def test_says_what_it_needs(self):
        self.write(recorded()[:2], "step 3\n")
        run = self.folder / "run"
        run.mkdir()
        cases = [
            ([self.folder], 1, f"{self.file}: line 3: an object was expected at byte 0"),
            ([self.folder / "x"], 2, f"{self.folder}/x: does not exist; {BEHIND}"),
            ([self.folder / "x.jsonl"], 2, f"{self.folder}/x.jsonl: there is no such file; {BEHIND}"),
            ([run], 2, f"{run}: holds no metrics.jsonl; {BEHIND}"),
            (["a", "b"], 2, "takes one folder; 'b' is one too many"),
            (["a", "--width", "19"], 2, "--width: is '19'; must be a whole number from 20 to 1000"),
            (["a", "--metrik", "x"], 2, "does not know '--metrik'; did you mean '--metric'?; `carrack plot --help` lists what it does"),
        ]
        for arguments, exit_code, message in cases:
            with self.subTest(message):
                found = carrack(*arguments, exit_code=exit_code)
                self.assertEqual((found.stdout, found.stderr), ("", f"carrack plot: {message}\n"))
        self.assertTrue(carrack("--help").stdout.startswith("usage: carrack plot FOLDER [options]\n"))
        self.assertTrue(carrack(exit_code=2).stderr.startswith("usage: carrack plot FOLDER [options]\n"))

    def test_refuses_a_file_beyond_its_limit(self):
        with open(self.file, "wb") as file:
            file.truncate((64 << 20) + 1)
        found = carrack(self.folder, exit_code=1)
        self.assertRegex(found.stderr, rf"^carrack plot: {self.file}: .*67")


if __name__ == "__main__":
    unittest.main()
