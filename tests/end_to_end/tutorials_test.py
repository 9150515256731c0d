"""Each tutorial's commands print what it shows. They run in turn, in a folder with the demo's points.

The folder also has the files that the tutorial shows, those of the example whose folder it names, and the installed
dataloader in `carrack`. Python runs with TensorFlow.
The tutorial of PyTorch runs by itself, with the argument `torch`: `./dev test long.torch`. A
command with `# and then Ctrl-C` gets an interrupt once it shows a checkpoint. Output that depends on speed is not compared.
"""

import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

import package
from interop import peers, tensorflow_program
from support import machine

TUTORIALS = machine.REPOSITORY / "docs" / "tutorials"
STEP = re.compile(r"^```(sh|python)\n(.*?)^```\n\n```\n(.*?)^```\n", re.M | re.S)
FILE = re.compile(r"^`([\w.]+)`:\n\n```\w+\n(.*?)^```\n", re.M | re.S)
EXAMPLE = re.compile(r"\]\(\.\./(examples/\w+)\)")
OF_TORCH = TUTORIALS / "pytorch-on-carrack.md"
HOW_FAST = [
    (re.compile(r"in \d+\.\d s, [\d.]+ \w+/s"), "in T"),
    # progress and conditions
    (re.compile(r"^(|step \d+ of .*|(Created|Restarting|Running|Suspended|Succeeded)( \(.*\))?)\n", re.M), ""),
    (re.compile(r"^best checkpoint, of step \d+, loss \S+:", re.M), "best checkpoint:"),  # of those that there was time to evaluate
    (re.compile(r"\bstep \d+"), "step N"),
    (re.compile(r"\bcheckpoint-\d+-\d+-\d+-\d+\b"), "checkpoint-N"),
]


def make_points(folder: Path) -> None:
    spec = importlib.util.spec_from_file_location("line", machine.REPOSITORY / "docs" / "demo" / "line.py")
    demo = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(demo)
    demo.write_points(folder)


def copy_example(tutorial: str, folder: Path) -> dict[str, str]:
    """Puts the files of the tutorial's example into the folder, if it has one, and returns their texts."""
    files = [path for example in EXAMPLE.findall(tutorial) for path in (machine.REPOSITORY / "docs" / example).iterdir()]
    for path in files:
        shutil.copy(path, folder)
    return {path.name: path.read_text() for path in files}


def install_dataloader(prefix: Path) -> None:
    subprocess.run(["cmake", "--install", os.environ["CARRACK_BUILD"], "--component", "dataloader", "--prefix", prefix], check=True,
                   stdout=subprocess.DEVNULL)


def without_times(printed: str, folder: str) -> str:
    printed = re.sub(r"/data/(houses|deliveries|digits|pump|rings)\b", "/data/here", printed.replace(folder, "/data/here"))
    for pattern, instead in HOW_FAST:
        printed = pattern.sub(instead, printed)
    return printed


def tutorials() -> list[Path]:
    """Those of this run: that of PyTorch, or all others."""
    if "torch" not in sys.argv[1:]:
        return [path for path in TUTORIALS.glob("*.md") if path != OF_TORCH]
    sys.argv.remove("torch")
    return [OF_TORCH]


def environment_for(tutorial: Path, folder: Path) -> dict[str, str]:
    """Has our programs, and for PyTorch's tutorial its Python, with our package in `folder`."""
    paths = [f"{os.environ['CARRACK_BUILD']}/bin", os.environ["PATH"]]
    if tutorial != OF_TORCH:
        return os.environ | {"PATH": ":".join(paths)}
    paths.insert(1, str(peers.installed_python("torch").parent))
    return os.environ | package.install(folder) | {"PATH": ":".join(paths)}


def run_in(folder: str, language: str, typed: str, environment: dict[str, str]) -> str:
    """Runs the command and returns its output."""
    if language == "python":
        return tensorflow_program.run(typed, cwd=folder)
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


CHOSEN = tutorials()


class Tutorials(unittest.TestCase):
    maxDiff = None

    def test_their_commands_print_what_they_show(self):
        self.assertTrue(CHOSEN)
        for tutorial in CHOSEN:
            text = tutorial.read_text()
            steps = STEP.findall(text)
            self.assertEqual(len(steps), len(re.findall("```(sh|python)\n", text)), "a command without its output after it")
            with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as installed:
                environment = environment_for(tutorial, Path(installed))
                make_points(Path(folder))
                install_dataloader(Path(folder) / "carrack")
                example = copy_example(text, Path(folder))
                for name, content in FILE.findall(text):
                    self.assertEqual(example.get(name, content), content, f"{name} is not as in the example of {tutorial}")
                    (Path(folder) / name).write_text(content)
                for language, typed, shown in steps:
                    with self.subTest(tutorial=tutorial.name, typed=typed):
                        self.assertEqual(without_times(run_in(folder, language, typed, environment), folder), without_times(shown, folder))


if __name__ == "__main__":
    unittest.main()
