"""Each tutorial's commands print what it shows, typed in turn in the folder that `./dev demo` leaves its points in.

The files that a tutorial shows are there too, and in `carrack` the dataloader is installed.
"""

import importlib.util
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from support import machine

TUTORIALS = machine.REPOSITORY / "docs" / "tutorials"
STEP = re.compile(r"^```sh\n(.*?)^```\n\n```\n(.*?)^```\n", re.M | re.S)
FILE = re.compile(r"^`([\w.]+)`:\n\n```\w+\n(.*?)^```\n", re.M | re.S)
HOW_FAST = re.compile(r"in \d+\.\d s, [\d.]+ \w+/s")


def make_points(folder: Path) -> None:
    spec = importlib.util.spec_from_file_location("line", machine.REPOSITORY / "docs" / "demo" / "line.py")
    demo = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(demo)
    demo.write_points(folder)


def install_dataloader(prefix: Path) -> None:
    subprocess.run(["cmake", "--install", os.environ["CARRACK_BUILD"], "--component", "dataloader", "--prefix", prefix], check=True,
                   stdout=subprocess.DEVNULL)


class Tutorials(unittest.TestCase):
    maxDiff = None

    def test_their_commands_print_what_they_show(self):
        tutorials = list(TUTORIALS.glob("*.md"))
        self.assertTrue(tutorials)
        for tutorial in tutorials:
            text = tutorial.read_text()
            steps = STEP.findall(text)
            self.assertEqual(len(steps), text.count("```sh\n"), "a command without its output behind it")
            with tempfile.TemporaryDirectory() as folder:
                make_points(Path(folder))
                install_dataloader(Path(folder) / "carrack")
                for name, content in FILE.findall(text):
                    (Path(folder) / name).write_text(content)
                path = f"{os.environ['CARRACK_BUILD']}/bin:{os.environ['PATH']}"
                for typed, shown in steps:
                    with self.subTest(tutorial=tutorial.name, typed=typed):
                        done = subprocess.run(["bash", "-c", typed], cwd=folder, env=os.environ | {"PATH": path}, timeout=120,
                                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                        self.assertEqual(HOW_FAST.sub("in T", done.stdout), HOW_FAST.sub("in T", shown))


if __name__ == "__main__":
    unittest.main()
