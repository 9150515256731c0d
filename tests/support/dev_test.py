"""./dev refuses an operand that a verb does not know, names the possible ones, and changes nothing."""

import fcntl
import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from support import machine

SCRIPTS = ["dev", "tests/support/steps.sh"]


class Dev(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """A checkout of the scripts alone, so that a verb that is not refused has nothing to build or remove."""
        cls.checkout = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        for script in SCRIPTS:
            (cls.checkout / script).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(machine.REPOSITORY / script, cls.checkout / script)

    def dev(self, *words: str) -> tuple[int, str]:
        environment = os.environ | {"CARRACK_CACHE": str(self.checkout / "cache")}
        ended = subprocess.run([self.checkout / "dev", *words], env=environment, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
        return ended.returncode, ended.stdout

    def test_unknown_operands_are_refused(self):
        presets = "dev, release, asan, tsan, fuzz, cuda, cuda_dev, gpu or none"
        for words, said in (
            ("images --cudaa", "images: unknown operand '--cudaa'; give --cuda or none"),
            ("images --cuda --cuda", "images: unknown operand '--cuda --cuda'; give --cuda or none"),
            ("build dev release", f"build: unknown operand 'dev release'; give {presets}"),
            ("build debug", f"build: unknown operand 'debug'; give {presets}"),
            ("clean --cach", "clean: unknown operand '--cach'; give --cache or none"),
            ("lint trainer", "lint: unknown operand 'trainer'; give none"),
            ("demo --fast", "demo: unknown operand '--fast'; give none"),
            ("help build", "help: unknown operand 'build'; give none"),
            ("sail", "there is no verb 'sail'; ./dev help lists them"),
        ):
            self.assertEqual(self.dev(*words.split()), (1, f"dev: {said}\n"))
        self.assertEqual(sorted(file.name for file in self.checkout.iterdir()), ["dev", "tests"])

    def test_what_is_refused_waits_for_nobody(self):
        for file, begin in ("bench/wind.py", '"""bench wind: how it blows."""\n'), ("fuzz/flag_fuzz.cc", ""):
            (self.checkout / "tests" / file).parent.mkdir()
            self.addCleanup(shutil.rmtree, (self.checkout / "tests" / file).parent)
            (self.checkout / "tests" / file).write_text(begin)
        (self.checkout / "build").mkdir()
        self.addCleanup(shutil.rmtree, self.checkout / "build")
        with open(self.checkout / "build" / "lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            for words, said in (
                ("bench", "bench: give one of these names: wind "),
                ("bench sails", "bench: give one of these names: wind "),
                ("fuzz", "fuzz: give the name of a parser and a number of seconds; the parsers are: flag"),
                ("fuzz flag soon", "fuzz: 'soon' is not a number of seconds"),
                ("test units", "test: there is no label 'units'; the labels are: "),
                ("build debug", "build: unknown operand 'debug'; "),
            ):
                code, printed = self.dev(*words.split())
                self.assertEqual((code, printed[:len(said) + 5]), (1, f"dev: {said}"))

    def test_it_builds_the_presets_that_there_are(self):
        presets = json.loads((machine.REPOSITORY / "CMakePresets.json").read_text())["buildPresets"]
        line = next(line for line in self.dev("help")[1].splitlines() if line.startswith("./dev build"))
        shown = line.split("]")[1].replace("(default)", "").split(",")
        self.assertEqual([name.strip() for name in shown], [preset["name"] for preset in presets])


if __name__ == "__main__":
    unittest.main()
