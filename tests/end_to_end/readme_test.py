"""The README's commands work in a fresh clone of the committed state."""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from support import machine

# What the dev build has compiled is not compiled again; long.bare runs the demo as a user does, in release.
ENVIRONMENT = os.environ | {"CARRACK_DEMO_PRESET": "dev"}
# A test that ran the tests would never end.
NOT_RUN = {"./dev test"}


def commands(markdown: str) -> list[str]:
    blocks = re.findall(r"^```sh\n(.*?)^```", markdown, re.M | re.S)
    return [line for block in blocks for line in block.splitlines() if line.strip()]


class Readme(unittest.TestCase):
    def test_its_commands_succeed_in_a_fresh_clone(self):
        readme = (machine.REPOSITORY / "README.md").read_text()
        typed = [line for line in commands(readme) if line not in NOT_RUN]
        self.assertIn("./dev demo", typed)
        picture = re.search(r"^window \d+, temperature in .*?found 12 of 12 broken windows, and 0 healthy ones;", readme, re.M | re.S)[0]
        with tempfile.TemporaryDirectory() as clone:
            subprocess.run(["git", "clone", "--quiet", machine.REPOSITORY, clone], check=True)
            for line in typed:
                done = subprocess.run(["bash", "-c", line], cwd=clone, env=ENVIRONMENT, capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, f"{line}\n{done.stdout}{done.stderr}")
                self.assertIn(picture, done.stdout)
                self.assertRegex(done.stdout, r"(?m)^found y = (2\.9|3\.0)\d+ x \+ -(1\.9|2\.0)\d+; true y = 3\.000 x \+ -2\.000$")

            self.ends_as_it_says(Path(clone))

    def ends_as_it_says(self, clone: Path) -> None:
        """The README's command for the demo's manifest finds the job that the demo has run."""
        command = "carrack run line.yaml --folder run"
        self.assertIn(f"`{command}`", (machine.REPOSITORY / "README.md").read_text())
        done = subprocess.run(["bash", "-c", f"{clone}/build/dev/bin/{command}"], cwd=clone / "build" / "demo",
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("/build/demo/run: this run has ended: Succeeded", done.stdout)

    def test_its_manifest_is_the_demo_s(self):
        (shown,) = re.findall(r"^```yaml\n(.*?)^```", (machine.REPOSITORY / "README.md").read_text(), re.M | re.S)
        run = (machine.REPOSITORY / "docs" / "demo" / "line.yaml").read_text()
        self.assertEqual(shown, run.split("\n", 1)[1])


if __name__ == "__main__":
    unittest.main()
