"""Each tutorial's commands print what it shows, typed in turn in the folder that `./dev demo` leaves its points in.

The files that a tutorial shows are there too, and in `carrack` the dataloader is installed. Python is run where TensorFlow is. A
command that says `# and then Ctrl-C` gets one once a checkpoint is shown. What depends on how fast a machine is counts for nothing.
"""

import importlib.util
import os
import re
import signal
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

from interop import tensorflow_program
from support import machine

TUTORIALS = machine.REPOSITORY / "docs" / "tutorials"
STEP = re.compile(r"^```(sh|python)\n(.*?)^```\n\n```\n(.*?)^```\n", re.M | re.S)
FILE = re.compile(r"^`([\w.]+)`:\n\n```\w+\n(.*?)^```\n", re.M | re.S)
HOW_FAST = [
    (re.compile(r"in \d+\.\d s, [\d.]+ \w+/s"), "in T"),
    # How a job goes, as far as its looks go.
    (re.compile(r"^(|step \d+ of .*|(Created|Restarting|Running|Suspended|Succeeded)( \(.*\))?)\n", re.M), ""),
    (re.compile(r"\bstep \d+"), "step N"),
    (re.compile(r"\bcheckpoint-\d+-\d+-\d+-\d+\b"), "checkpoint-N"),
]


def make_points(folder: Path) -> None:
    spec = importlib.util.spec_from_file_location("line", machine.REPOSITORY / "docs" / "demo" / "line.py")
    demo = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(demo)
    demo.write_points(folder)


def install_dataloader(prefix: Path) -> None:
    subprocess.run(["cmake", "--install", os.environ["CARRACK_BUILD"], "--component", "dataloader", "--prefix", prefix], check=True,
                   stdout=subprocess.DEVNULL)


def timeless(printed: str, folder: str) -> str:
    printed = printed.replace(folder, "/data/houses")
    for pattern, instead in HOW_FAST:
        printed = pattern.sub(instead, printed)
    return printed


def typed_in(folder: str, language: str, typed: str) -> str:
    """What it prints."""
    if language == "python":
        return tensorflow_program.run(typed, cwd=folder)
    environment = os.environ | {"PATH": f"{os.environ['CARRACK_BUILD']}/bin:{os.environ['PATH']}"}
    with subprocess.Popen(["bash", "-c", typed], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, start_new_session=True) as running:
        end = threading.Timer(120, lambda: os.killpg(running.pid, signal.SIGKILL))
        end.start()
        printed, is_interrupted = "", "# and then Ctrl-C" not in typed
        for line in running.stdout:
            printed += line
            if not is_interrupted and re.search(r", checkpoint [1-9]", line):
                os.killpg(running.pid, signal.SIGINT)
                is_interrupted = True
        end.cancel()
    return printed


class Tutorials(unittest.TestCase):
    maxDiff = None

    def test_their_commands_print_what_they_show(self):
        tutorials = list(TUTORIALS.glob("*.md"))
        self.assertTrue(tutorials)
        for tutorial in tutorials:
            text = tutorial.read_text()
            steps = STEP.findall(text)
            self.assertEqual(len(steps), len(re.findall("```(sh|python)\n", text)), "a command without its output behind it")
            with tempfile.TemporaryDirectory() as folder:
                make_points(Path(folder))
                install_dataloader(Path(folder) / "carrack")
                for name, content in FILE.findall(text):
                    (Path(folder) / name).write_text(content)
                for language, typed, shown in steps:
                    with self.subTest(tutorial=tutorial.name, typed=typed):
                        self.assertEqual(timeless(typed_in(folder, language, typed), folder), timeless(shown, folder))


if __name__ == "__main__":
    unittest.main()
