"""The Python package `carrack`, installed from the wheel of this build, and jobs whose workers are programs that use it."""

import os
import subprocess
import tempfile
from pathlib import Path

from checkpoints import InFiles
from interop import peers
from launched import Launched, Spec
from support import machine

PROGRAMS = Path(__file__).resolve().with_name("programs")


def wheel() -> Path:
    [path] = (machine.build() / "python").glob("carrack-*.whl")
    return path


def install(folder: Path) -> dict[str, str]:
    """Installs it into the folder, and returns the variables with which any Python finds it there."""
    subprocess.run([peers.python("tensorflow"), "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--no-compile",
                    "--disable-pip-version-check", "--root-user-action=ignore", "--target", folder, wheel()], check=True)
    return {"PYTHONPATH": str(folder), "PYTHONUNBUFFERED": "1", "OMP_NUM_THREADS": "1", "PATH": os.environ["PATH"]}


class Programs:
    """A part of a test case: the package is installed, and each test has a folder for its job."""

    @classmethod
    def setUpClass(cls):
        cls.home = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.environment = install(cls.home / "package")

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.checkpoints = InFiles(self.folder / "checkpoints")

    def launched(self, spec: Spec, worker: list) -> Launched:
        return self.enterContext(Launched(self.folder, spec, worker, self.environment))
