"""`carrack run` refuses a manifest that cannot be run before it starts or writes anything, and says why a job failed in
the words of the process that found out."""

import os
import signal
import socket
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from support.tfrecord import crc32c, frame

BIN = Path(os.environ["CARRACK_BUILD"]) / "bin"

MANIFEST = """
apiVersion: carrack.dev/v1alpha1
kind: TrainingJob
metadata: {name: line}
spec:
  strategy: ParameterServer
  replicas: {ps: {count: 5}}
  model: {kind: LinearRegression, input: x, target: "y"}
  data: {train: {files: [line.tfrecord]}, features: {x: {type: float32, size: 5000}, "y": {type: float32}}}
  training: {batch: 32, optimizer: {kind: SGD}}
"""

SHORT = """
apiVersion: carrack.dev/v1alpha1
kind: TrainingJob
metadata: {{name: line}}
spec:
  strategy: {strategy}
  model: {{kind: LinearRegression, input: x, target: "y"}}
  data: {{train: {{files: [line.tfrecord]}}, features: {{x: {{type: float32}}, "y": {{type: float32}}}}}}
  training: {{batch: 32, optimizer: {{kind: SGD}}}}
"""

# A tf.train.Example of x = 1 and y = 2, as docs/formats/example.md has it.
LINE = b"".join([
    b"\x0a\x1e",
    b"\x0a\x0d\x0a\x01x\x12\x08\x12\x06\x0a\x04\x00\x00\x80\x3f",
    b"\x0a\x0d\x0a\x01y\x12\x08\x12\x06\x0a\x04\x00\x00\x00\x40"])


def write_job(folder: str) -> None:
    """A job that can be run, with its data."""
    Path(folder, "line.tfrecord").write_bytes(frame(LINE) * 64)
    Path(folder, "job.yaml").write_text(SHORT.format(strategy="ParameterServer"))


class Run(unittest.TestCase):
    def refused(self, text: str, problems: list[str]) -> None:
        with tempfile.TemporaryDirectory() as folder:
            manifest = Path(folder, "job.yaml")
            manifest.write_text(text)
            done = subprocess.run([BIN / "carrack", "run", "job.yaml"], cwd=folder, capture_output=True, text=True, timeout=10)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertEqual(done.stderr.replace(folder, "FOLDER"), "".join(f"job.yaml: {problem}\n" for problem in problems))
            self.assertEqual(list(Path(folder).iterdir()), [manifest], "something was written")

    def test_more_parameter_servers_than_the_model_has_blocks(self):
        self.refused(MANIFEST, ["spec.replicas.ps: is 5; the model has 3 blocks of parameters, so at most 3 (line 7)"])

    def test_a_model_of_features_that_are_not_there_beside_what_else_is_wrong(self):
        self.refused(MANIFEST.replace("input: x", "input: z").replace("batch: 32", "batch: 0"),
                     ["spec.model.input: 'z' is not a feature; spec.data.features has x, y (line 8)",
                      "spec.training.batch: is 0; must be from 1 to 2147483647 (line 10)"])

    def test_a_pod_template_that_changes_what_the_operator_needs(self):
        worker = """{resources: {requests: {cpu: 2}, limits: {cpu: 1}}, template: {spec: {hostNetwork: true,
    containers: [{name: trainer,
      env: [{name: CARRACK_ROLE, value: ps}]}]}}}"""
        self.refused(MANIFEST.replace("{ps: {count: 5}}", "{worker: " + worker + "}"),
                     ["spec.replicas.worker.resources.requests.cpu: is 2, above its limit, 1 (line 7)",
                      "spec.replicas.worker.template.spec.containers[0].env[0].name: belongs to the operator; it sets "
                      "CARRACK_ROLE itself; leave it out (line 9)"])

    def test_a_pod_template_is_ignored_in_words(self):
        with tempfile.TemporaryDirectory() as folder:
            text = MANIFEST.replace("{ps: {count: 5}}", "{ps: {template: {}}, worker: {template: {spec: {priorityClassName: a}}}}")
            Path(folder, "job.yaml").write_text(text)
            done = subprocess.run([BIN / "carrack", "run", "job.yaml", "--folder", "run", "--no-data"], cwd=folder,
                                  capture_output=True, text=True, timeout=60)
        self.assertTrue(done.stdout.startswith("spec.replicas.ps.template, spec.replicas.worker.template: ignored, as this run "
                                               "starts processes and no pods\n"), done.stdout)

    def failed(self, folder: str, run: str, text: str, *options: str) -> str:
        """The line that says how the job ended."""
        Path(folder, "job.yaml").write_text(text)
        done = subprocess.run([BIN / "carrack", "run", "job.yaml", "--folder", run, *options], cwd=folder, capture_output=True,
                              text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (1, ""), done.stdout)
        [said] = [line for line in done.stdout.splitlines() if "Error" in line or "Taken" in line]
        return said

    def test_a_trainer_that_is_not_there(self):
        with tempfile.TemporaryDirectory() as folder:
            write_job(folder)
            done = subprocess.run([BIN / "carrack", "run", "job.yaml", "--trainer", "/nowhere"], cwd=folder,
                                  capture_output=True, text=True, timeout=60)
            self.assertEqual((done.returncode, done.stderr), (2, "carrack run: /nowhere: cannot be started (No such file or "
                                                                 "directory); --trainer names the program\n"))

    def test_a_folder_as_trainer(self):
        with tempfile.TemporaryDirectory() as folder:
            write_job(folder)
            done = subprocess.run([BIN / "carrack", "run", "job.yaml", "--trainer", "/tmp"], cwd=folder,
                                  capture_output=True, text=True, timeout=60)
            self.assertEqual((done.returncode, done.stdout, done.stderr),
                             (2, "", "carrack run: /tmp: cannot be started (Is a directory); --trainer names the program\n"))

    def test_what_is_no_manifest_that_can_be_read(self):
        with tempfile.TemporaryDirectory() as folder:
            for manifest, why in [(folder, "Is a directory"), ("none.yaml", "No such file or directory")]:
                done = subprocess.run([BIN / "carrack", "run", manifest], cwd=folder, capture_output=True, text=True, timeout=10)
                self.assertEqual((done.returncode, done.stdout, done.stderr),
                                 (2, "", f"carrack run: {manifest}: cannot be read: {why}\n"))

    def test_a_folder_that_is_gone(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "job.yaml").write_text(MANIFEST.replace("count: 5", "count: 1"))
            gone = Path(folder, "gone")
            gone.mkdir()
            done = subprocess.run(["bash", "-c", f"rmdir {gone}; exec {BIN}/carrack run {folder}/job.yaml"], cwd=gone,
                                  capture_output=True, text=True, timeout=10)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertRegex(done.stderr, r"^carrack run: .*No such file or directory.*\n$")

    def test_a_folder_that_cannot_be_made(self):
        with tempfile.TemporaryDirectory() as folder:
            write_job(folder)
            for place in ["job.yaml", "job.yaml/run"]:
                done = subprocess.run([BIN / "carrack", "run", "job.yaml", "--folder", place], cwd=folder,
                                      capture_output=True, text=True, timeout=60)
                self.assertEqual((done.returncode, done.stdout, done.stderr),
                                 (2, "", f"carrack run: {folder}/{place}: cannot be made a folder: Not a directory; "
                                         "give another --folder\n"))

    def test_no_file_where_the_manifest_names_some(self):
        with tempfile.TemporaryDirectory() as folder:
            self.refused(SHORT.format(strategy="Single"), ["spec.data.train.files[0]: no file matches FOLDER/line.tfrecord (line 8)"])
            said = self.failed(folder, "run", SHORT.format(strategy="Single"), "--no-data")
            self.assertRegex(said, r"^Failed \(UserError\): \w+ 0: UserError: spec\.data\.train\.files: no file matches "
                                   rf"{folder}/line\.tfrecord$")

    def test_a_job_shorter_than_a_look_tells_how_far_it_came_and_its_end_once(self):
        for strategy in ["Single", "ParameterServer"]:
            with self.subTest(strategy), tempfile.TemporaryDirectory() as folder:
                Path(folder, "line.tfrecord").write_bytes(frame(LINE) * 64)
                Path(folder, "job.yaml").write_text(SHORT.format(strategy=strategy))
                done = subprocess.run([BIN / "carrack", "run", "job.yaml", "--folder", "run"], cwd=folder, capture_output=True,
                                      text=True, timeout=60)
                self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
                self.assertRegex(done.stdout, r"(^|\n)step 2 of 2, loss \S+, checkpoint 2\nSucceeded \(TrainingSucceeded\)\n"
                                              r"checkpoint of step 2: .*\nlogs: .*\n$")

    def test_files_without_a_record(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "line.tfrecord").write_bytes(b"")
            said = self.failed(folder, "run", SHORT.format(strategy="Single"), "--no-data")
            self.assertRegex(said, r"^Failed \(UserError\): \w+ 0: UserError: spec\.data\.train\.files: the files hold no record$")

    def test_a_checkpoint_folder_of_another_job(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "out").mkdir()
            body = "carrack head 1\njob other\nattempt 0\nincarnation 1\nnonce n\n"
            Path(folder, "out", "HEAD.1").write_text(f"{body}crc32c {crc32c(body.encode()):08x}\n")
            Path(folder, "line.tfrecord").write_bytes(frame(LINE))
            said = self.failed(folder, "run", SHORT.format(strategy="ParameterServer") + "  checkpoint: {folder: out}\n")
            self.assertEqual(said, f"Failed (CheckpointTaken): coordinator 0: CheckpointTaken: spec.checkpoint.folder: {folder}/out "
                                   "belongs to another job, with UID other, which trains there or has ended; set "
                                   "spec.checkpoint.onTaken: GoOn to go on from what it has trained, or Replace to begin again in "
                                   "its place, or give this job a folder of its own, for example with $(UID) in its name")

    def test_a_checkpoint_folder_that_is_new_for_each_run(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "line.tfrecord").write_bytes(frame(LINE) * 64)
            # As `kubectl get -o yaml` prints it, with the UID that it has on a cluster.
            manifest = SHORT.format(strategy="Single").replace("{name: line}", "{name: line, uid: on-a-cluster}")
            Path(folder, "job.yaml").write_text(manifest + "  checkpoint: {folder: out/$(NAME)-$(UID)}\n")
            for run, code in ("a", 0), ("b", 0), ("b", 0):
                done = subprocess.run([BIN / "carrack", "run", "job.yaml", "--folder", run], cwd=folder, capture_output=True, text=True,
                                      timeout=60)
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertRegex(done.stdout, rf"checkpoint of step 2: {folder}/out/line-[0-9a-f]{{32}}/checkpoint-2-")
            self.assertIn("this run has ended", done.stdout + done.stderr)
            names = sorted(path.name for path in Path(folder, "out").iterdir())
            self.assertEqual(len(names), 2)
            for name in names:
                self.assertRegex(name, r"^line-[0-9a-f]{32}$")
                self.assertTrue(list(Path(folder, "out", name).glob("HEAD.*")))

    def run_with_storage(self, folder: str, server: socket.socket) -> subprocess.Popen:
        environment = os.environ | {"STORAGE_EMULATOR_HOST": f"http://127.0.0.1:{server.getsockname()[1]}"}
        run = subprocess.Popen([BIN / "carrack", "run", "job.yaml", "--folder", "run", "--no-data"], cwd=folder,
                               env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.addCleanup(run.communicate)
        self.addCleanup(run.kill)
        return run

    def interrupt_until_it_ends(self, run: subprocess.Popen) -> None:
        deadline = time.monotonic() + 40
        while run.poll() is None:
            self.assertLess(time.monotonic(), deadline, "it does not end")
            run.send_signal(signal.SIGINT)
            time.sleep(0.3)
        self.assertEqual(run.returncode, 130)

    def test_interrupts_end_it_though_its_storage_is_silent(self):
        with tempfile.TemporaryDirectory() as folder:
            write_job(folder)
            with open(Path(folder, "job.yaml"), "a") as manifest:
                manifest.write("  checkpoint: {folder: gs://bucket/out}\n")
            with socket.create_server(("127.0.0.1", 0)) as silent:
                run = self.run_with_storage(folder, silent)
                deadline = time.monotonic() + 30
                while not Path(folder, "run/job.json").exists():
                    self.assertLess(time.monotonic(), deadline, "it does not start")
                    time.sleep(0.01)
                self.interrupt_until_it_ends(run)
            with socket.create_server(("127.0.0.1", 0)) as silent:
                silent.settimeout(30)
                run = self.run_with_storage(folder, silent)
                silent.accept()[0].close()  # It reads the last commit before it starts anything, and tries again.
                self.interrupt_until_it_ends(run)
                self.assertEqual(run.stdout.read(), "")


if __name__ == "__main__":
    unittest.main()
