"""The three programs as a user starts them: version, help, and a clear word for anything else."""

import os
import re
import subprocess
import unittest
from pathlib import Path

BIN = Path(os.environ["CARRACK_BUILD"]) / "bin"
PROGRAMS = ["carrack", "carrack-operator", "carrack-trainer"]


def run(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([BIN / program, *arguments], capture_output=True, text=True, timeout=10)


class Programs(unittest.TestCase):
    def test_each_prints_its_name_and_version(self):
        versions = set()
        for program in PROGRAMS:
            done = run(program, "--version")
            self.assertEqual((done.returncode, done.stderr), (0, ""), program)
            match = re.fullmatch(r"([\w-]+) (\d+\.\d+\.\d+)( \((?:without CUDA|CUDA \d+\.\d+)\))?\n", done.stdout)
            self.assertIsNotNone(match, done.stdout)
            self.assertEqual(match[1], program)
            versions.add(match[2])
        self.assertEqual(len(versions), 1, "the programs of one build have one version")

    def test_each_prints_its_help(self):
        for program in PROGRAMS:
            done = run(program, "--help")
            self.assertEqual((done.returncode, done.stderr), (0, ""), program)
            self.assertTrue(done.stdout.startswith(f"usage: {program} "), done.stdout)

    def test_the_help_names_each_way_to_name_a_checkpoint(self):
        for command in "predict", "export":
            done = run("carrack", command, "--help")
            self.assertEqual((done.returncode, done.stderr), (0, ""), command)
            for way in "checkpoint folder of a job", "FOLDER/BEST", ".manifest file":
                self.assertIn(way, done.stdout)

    def test_the_trainer_names_a_configuration_that_it_cannot_read(self):
        for path in ["/etc", "/nowhere"]:
            done = subprocess.run([BIN / "carrack-trainer"], env=os.environ | {"CARRACK_CONFIG": path}, capture_output=True,
                                  text=True, timeout=10)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (82, "", f"CARRACK_CONFIG: cannot read {path}\n"))

    def test_each_refuses_what_it_does_not_know(self):
        for program in PROGRAMS:
            done = run(program, "--colour")
            self.assertEqual((done.returncode, done.stdout), (2, ""), program)
            self.assertTrue(done.stderr.startswith(f"{program}: does not know '--colour'"), done.stderr)

    def test_each_refuses_more_than_one_argument(self):
        for program in PROGRAMS:
            done = run(program, "--version", "--colour")
            self.assertEqual((done.returncode, done.stdout), (2, ""), program)
            self.assertIn("--colour", done.stderr)


if __name__ == "__main__":
    unittest.main()
