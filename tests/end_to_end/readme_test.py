"""What the README tells a newcomer to type works, typed in a fresh clone of what is committed here."""

import re
import subprocess
import tempfile
import unittest
from pathlib import Path

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
                self.assertRegex(done.stdout, r"(?m)^found y = (2\.9|3\.0)\d+ x \+ -(1\.9|2\.0)\d+; true y = 3\.000 x \+ -2\.000$")

            self.ends_as_it_says(Path(clone))

    def ends_as_it_says(self, clone: Path) -> None:
        """The command that the README gives for the demo's manifest finds the demo's job."""
        command = "carrack run line.yaml --folder run"
        self.assertIn(f"`{command}`", (machine.REPOSITORY / "README.md").read_text())
        done = subprocess.run(["bash", "-c", f"{clone}/build/release/bin/{command}"], cwd=clone / "build" / "demo",
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("/build/demo/run: this run has ended: Succeeded", done.stdout)

    def test_its_manifest_is_the_demo_s(self):
        (shown,) = re.findall(r"^```yaml\n(.*?)^```", (machine.REPOSITORY / "README.md").read_text(), re.M | re.S)
        run = (machine.REPOSITORY / "docs" / "demo" / "line.yaml").read_text()
        self.assertEqual(shown, run.split("\n", 1)[1])


if __name__ == "__main__":
    unittest.main()
