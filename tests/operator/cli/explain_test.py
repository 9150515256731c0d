"""`carrack explain` says of a run on this machine why it has failed, or how far it is, from its folder alone."""

import os
import signal
import subprocess
import tempfile
import time
import unittest
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


class Explain(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.folder / "line.tfrecord").write_bytes(frame(LINE) * 640)

    def run_job(self, files: str = "line.tfrecord", epochs: int = 1) -> subprocess.Popen:
        (self.folder / "job.yaml").write_text(MANIFEST.format(files=files, epochs=epochs))
        process = subprocess.Popen([BIN / "carrack", "run", "job.yaml", "--folder", "run"], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def carrack(self, *arguments: str, exit_code: int = 0) -> subprocess.CompletedProcess:
        done = subprocess.run([BIN / "carrack", "explain", *arguments], cwd=self.folder, env=os.environ | NO_CLUSTER,
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, exit_code, done.stdout + done.stderr)
        return done

    def explained(self, folder: str = "run") -> dict[str, str]:
        """The text behind each label; of the first line, behind none."""
        verdict, *lines = self.carrack(folder).stdout.splitlines()
        return {"": verdict} | {line[:14].strip(): line[14:] for line in lines}

    def eventually(self, verdict: str) -> dict[str, str]:
        deadline = time.monotonic() + 60
        while verdict not in (said := self.explained() if (self.folder / "run/job.json").exists() else {"": ""})[""]:
            self.assertLess(time.monotonic(), deadline, said)
            time.sleep(0.05)
        return said

    def test_a_run_that_failed(self):
        self.run_job(files="none.tfrecord").wait(60)
        said = self.explained()
        self.assertEqual(said[""], "line has failed: a member found a mistake that a retry would find again")
        self.assertRegex(said["cause"], rf"^UserError, for \d+ s: \w+ \d: UserError: spec\.data\.train\.files: no file matches "
                                        rf"{self.folder}/none\.tfrecord$")
        self.assertEqual(said["what to do"],
                         "Correct what the cause says. The same `carrack run` then tries again from the last commit.")
        self.assertEqual(said["last commit"], f"none yet in {self.folder}/run/checkpoints")

    def test_a_run_that_succeeded(self):
        self.assertEqual(self.run_job().wait(60), 0)
        said = self.explained("run/")
        self.assertRegex(said[""], r"^line has succeeded: step 20 of 20 \(100%\), in \d+ s$")
        self.assertTrue(said["what to do"].startswith(f"`carrack plot {self.folder}/run/checkpoints` draws its losses"))

    def test_a_run_that_trains_is_killed_and_is_suspended(self):
        process = self.run_job(epochs=1_000_000)
        said = self.eventually("line trains: step ")
        self.assertRegex(said[""], r"^line trains: step [\d,]+ of 20,000,000 \(0%\)")
        self.assertEqual(said["what to do"], "Nothing; `carrack top run` follows it.")
        self.assertEqual(said["running"], "1 of 1 coordinator, 1 of 1 ps and 2 of 2 workers")
        process.kill()
        process.wait(60)
        said = self.explained()
        self.assertEqual(said[""], "line stands still: no `carrack run` is at work in its folder")
        self.assertEqual((said["worker-0"], said["worker-1"]), ("stopped", "stopped"))
        self.assertEqual(said["what to do"], "The same `carrack run` continues it from the last commit.")
        process = self.run_job(epochs=1_000_000)
        self.eventually("line trains: step ")
        process.send_signal(signal.SIGINT)
        process.wait(60)
        self.assertEqual(self.explained()[""], "line is suspended")

    def test_says_what_it_needs(self):
        (self.folder / "data").mkdir()
        cases = [
            (["none/"], "none: is no folder; name that of a `carrack run`, or a job without any '/'"),
            (["./data"], "./data: holds no run; name the --folder of a `carrack run`, by default carrack-runs/NAME"),
            (["data"], "/nowhere/.kube/config: no such file; set KUBECONFIG to the file that you use"),
            (["line", "--kubeconfig", "none"], "none: no such file; --kubeconfig names it"),
            (["a/b", "-n", "team"], "-n: is for a job of a cluster, and 'a/b' is a folder"),
            (["a", "b"], "takes one job; 'b' is one too many"),
            (["a", "--contexd", "b"], "does not know '--contexd'; did you mean '--context'?; `carrack explain --help` lists what it does"),
        ]
        for arguments, message in cases:
            with self.subTest(message):
                done = self.carrack(*arguments, exit_code=2)
                self.assertEqual((done.stdout, done.stderr), ("", f"carrack explain: {message}\n"))
        self.assertTrue(self.carrack("--help").stdout.startswith("usage: carrack explain JOB|FOLDER [options]\n"))
        self.assertTrue(self.carrack(exit_code=2).stderr.startswith("usage: carrack explain JOB|FOLDER [options]\n"))


if __name__ == "__main__":
    unittest.main()
