"""A small job under `carrack run`, for the tests of commands that look at one."""

import os
import subprocess
import tempfile
import time
from pathlib import Path

from support.tfrecord import frame

BIN = Path(os.environ["CARRACK_BUILD"]) / "bin"
MANIFEST = """
apiVersion: carrack.dev/v1alpha1
kind: TrainingJob
metadata: {{name: line}}
spec:
  strategy: ParameterServer
  replicas: {{worker: {{count: 2}}}}
  model: {{kind: LinearRegression, input: x, target: "y"}}
  data: {{train: {{files: [{files}]}}, features: {{x: {{type: float32}}, "y": {{type: float32}}}}}}
  training: {{batch: 32, epochs: {epochs}, optimizer: {{kind: SGD}}}}
"""
# A tf.train.Example of x = 1 and y = 2, as docs/formats/example.md has it.
LINE = b"".join([
    b"\x0a\x1e",
    b"\x0a\x0d\x0a\x01x\x12\x08\x12\x06\x0a\x04\x00\x00\x80\x3f",
    b"\x0a\x0d\x0a\x01y\x12\x08\x12\x06\x0a\x04\x00\x00\x00\x40"])
NO_CLUSTER = {"HOME": "/nowhere", "KUBECONFIG": ""}
ENDLESS = 1_000_000  # epochs


class LineRun:
    """For test cases of one command, `command`."""

    command = ""

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.folder / "line.tfrecord").write_bytes(frame(LINE) * 640)

    def run_job(self, files: str = "line.tfrecord", epochs: int = 1) -> subprocess.Popen:
        """Starts it in the folder `run`."""
        (self.folder / "job.yaml").write_text(MANIFEST.format(files=files, epochs=epochs))
        process = subprocess.Popen([BIN / "carrack", "run", "job.yaml", "--folder", "run", "--no-data"], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def carrack(self, *arguments: str, exit_code: int = 0, command: str = "") -> subprocess.CompletedProcess:
        done = subprocess.run([BIN / "carrack", command or self.command, *arguments], cwd=self.folder,
                              env=os.environ | NO_CLUSTER, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, exit_code, done.stdout + done.stderr)
        return done

    def explained(self, folder: str = "run") -> dict[str, str]:
        """The text behind each label of `carrack explain`; the first line has none."""
        verdict, *lines = self.carrack(folder, command="explain").stdout.splitlines()
        return {"": verdict} | {line[:14].strip(): line[14:] for line in lines}

    def wait_until_it(self, verdict: str) -> dict[str, str]:
        """Waits until `carrack explain` says this of the run; returns all that it says then."""
        deadline = time.monotonic() + 60
        while verdict not in (said := self.explained() if (self.folder / "run/job.json").exists() else {"": ""})[""]:
            self.assertLess(time.monotonic(), deadline, said)
            time.sleep(0.05)
        return said

    def refused(self, cases: list[tuple[list[str], str]]) -> None:
        for arguments, message in cases:
            with self.subTest(message):
                done = self.carrack(*arguments, exit_code=2)
                self.assertEqual((done.stdout, done.stderr), ("", f"carrack {self.command}: {message}\n"))
        usage = f"usage: carrack {self.command} JOB|FOLDER [options]\n"
        self.assertTrue(self.carrack("--help").stdout.startswith(usage))
        self.assertTrue(self.carrack(exit_code=2).stderr.startswith(usage))
