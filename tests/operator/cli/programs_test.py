"""The three programs as a user starts them: version, help, and a clear word for anything else."""

import os
import re
import signal
import socket
import subprocess
import tempfile
import time
import unittest
import urllib.request
from pathlib import Path

BIN = Path(os.environ["CARRACK_BUILD"]) / "bin"
PROGRAMS = ["carrack", "carrack-operator", "carrack-trainer"]


def run(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([BIN / program, *arguments], capture_output=True, text=True, timeout=10)


def answers(address: str, seconds: float) -> bool:
    """Whether the trainer there answers /healthz in this time."""
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with direct.open(f"http://{address}/healthz", timeout=seconds) as reply:
            return reply.read() == b"ok\n"
    except OSError:
        return False


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

    def test_those_that_people_type_know_the_other_words_for_help(self):
        for program in ["carrack", "carrack-operator"]:
            for word in ["-h", "help"]:
                self.assertEqual(run(program, word).stdout, run(program, "--help").stdout, f"{program} {word}")

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

    def test_the_trainer_says_that_it_lives_from_the_first_moment_and_unless_it_is_stopped(self):
        with socket.create_server(("127.0.0.1", 0)) as free:
            address = f"127.0.0.1:{free.getsockname()[1]}"
        config = Path(self.enterContext(tempfile.TemporaryDirectory()), "config")
        os.mkfifo(config)  # It waits for somebody to write there.
        trainer = subprocess.Popen([BIN / "carrack-trainer"], stderr=subprocess.DEVNULL,
                                   env=os.environ | {"CARRACK_CONFIG": config, "CARRACK_HEALTH": address})
        self.addCleanup(trainer.wait)
        self.addCleanup(trainer.kill)
        deadline = time.monotonic() + 10
        while not answers(address, 5) and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertTrue(answers(address, 5))
        trainer.send_signal(signal.SIGSTOP)
        os.waitpid(trainer.pid, os.WUNTRACED)  # Its threads stop one after the other.
        self.assertFalse(answers(address, 1))
        trainer.send_signal(signal.SIGCONT)
        self.assertTrue(answers(address, 5))
        self.assertIsNone(trainer.poll())

    def test_the_trainer_names_an_address_for_its_health_that_it_cannot_use(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            address = f"127.0.0.1:{taken.getsockname()[1]}"
            done = subprocess.run([BIN / "carrack-trainer"], env=os.environ | {"CARRACK_CONFIG": "/", "CARRACK_HEALTH": address},
                                  capture_output=True, text=True, timeout=10)
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (82, "", f"cannot serve /healthz at {address}: Address already in use\n"))

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
