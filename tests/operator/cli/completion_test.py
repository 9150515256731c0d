"""`carrack completion bash` prints a script with which bash completes commands, options and files."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

BIN = Path(os.environ["CARRACK_BUILD"]) / "bin"


class Completion(unittest.TestCase):
    def complete(self, *words: str, folder: str = "/") -> list[str]:
        """What bash offers for the last word."""
        script = ('source <("$0" completion bash); COMP_WORDS=(carrack "$@"); COMP_CWORD=$#; _carrack; '
                  'printf "%s\\n" "${COMPREPLY[@]}"')
        done = subprocess.run(["bash", "-c", script, BIN / "carrack", *words], cwd=folder, capture_output=True, text=True, timeout=60,
                              env=os.environ | {"PATH": f"{BIN}:{os.environ['PATH']}"})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.split()

    def test_completes_commands(self):
        self.assertEqual(self.complete("va"), ["validate"])
        commands = self.complete("")
        self.assertIn("run", commands)
        self.assertIn("data", commands)
        self.assertEqual(self.complete("data", "ins"), ["inspect"])
        self.assertEqual(self.complete("checkpoint", "v"), ["verify"])
        self.assertEqual(self.complete("completion", "z"), ["zsh"])

    def test_completes_options_of_the_command(self):
        self.assertEqual(self.complete("run", "--f"), ["--folder"])
        self.assertEqual(self.complete("run", "job.yaml", "--no"), ["--no-data"])
        self.assertEqual(self.complete("data", "convert", "x.csv", "--jo"), ["--join"])

    def test_completes_files(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "job.yaml").touch()
            self.assertEqual(self.complete("run", "j", folder=folder), ["job.yaml"])

    def test_says_which_shells_it_knows(self):
        done = subprocess.run([BIN / "carrack", "completion", "zzh"], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (2, "carrack completion: does not know 'zzh'; did you mean 'zsh'?\n"))
        done = subprocess.run([BIN / "carrack", "completion", "zsh"], capture_output=True, text=True, timeout=60)
        self.assertIn("bashcompinit", done.stdout)
        self.assertIn("_carrack carrack", done.stdout)


if __name__ == "__main__":
    unittest.main()
