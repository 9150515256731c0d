"""`./dev cluster` uses that name in its messages, names wrong operands, and has no kubeconfig if its cluster is down."""

import subprocess
import sys
import unittest
from pathlib import Path

from cluster.instance import COUNT_MAX

NEVER_STARTED = f"--instance={COUNT_MAX - 1}"


def cluster(*words: str) -> tuple[int, str, str]:
    command = [sys.executable, str(Path(__file__).resolve().parent), *words]
    ended = subprocess.run(command, text=True, capture_output=True)
    return ended.returncode, ended.stdout, ended.stderr


class Verbs(unittest.TestCase):
    def test_help_names_them_as_they_are_called(self):
        code, out, _ = cluster("help")
        self.assertEqual(code, 0)
        for verb in ("up", "down", "status", "kubeconfig", "load", "fake-nodes"):
            self.assertIn(f"    ./dev cluster {verb} ", out)
        self.assertNotIn("python3", out)

    def test_wrong_operands_are_named(self):
        for words, said in (
            ("up now", "up: unknown operand 'now'"),
            ("load", "load: give the image archives to load"),
            ("fake-nodes", "fake-nodes: give the number of fake nodes"),
            ("fake-nodes many", "fake-nodes: 'many' is not a number; give 0 or more"),
        ):
            code, _, problem = cluster(*words.split())
            self.assertEqual((code, problem.splitlines()[-1]), (2, f"./dev cluster: error: {said}"))

    def test_a_cluster_that_is_down_has_no_kubeconfig(self):
        self.assertEqual(
            cluster("kubeconfig", NEVER_STARTED),
            (1, "", f"the cluster is down; `./dev cluster up --instance {COUNT_MAX - 1}` starts it\n"),
        )


if __name__ == "__main__":
    unittest.main()
