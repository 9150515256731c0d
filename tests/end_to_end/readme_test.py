"""What the README tells a newcomer to type works, typed in a fresh clone of what is committed here."""

import re
import subprocess
import tempfile
import unittest

from support import machine

# Running the tests from a test would not end.
NOT_HERE = {"./dev test"}


def commands(markdown: str) -> list[str]:
    blocks = re.findall(r"^```sh\n(.*?)^```", markdown, re.M | re.S)
    return [line for block in blocks for line in block.splitlines() if line.strip()]


class Readme(unittest.TestCase):
    def test_its_commands_succeed_in_a_fresh_clone(self):
        typed = [line for line in commands((machine.REPOSITORY / "README.md").read_text()) if line not in NOT_HERE]
        self.assertIn("./dev demo", typed)
        with tempfile.TemporaryDirectory() as clone:
            subprocess.run(["git", "clone", "--quiet", machine.REPOSITORY, clone], check=True)
            for line in typed:
                done = subprocess.run(["bash", "-c", line], cwd=clone, capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, f"{line}\n{done.stdout}{done.stderr}")
                for program in ("carrack", "carrack-operator", "carrack-trainer"):
                    self.assertRegex(done.stdout, rf"(?m)^{program} \d+\.\d+\.\d+")


if __name__ == "__main__":
    unittest.main()
