"""`carrack convert` writes the TrainingJob that a job of Kubeflow becomes, and says what changes."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

BIN = Path(os.environ["CARRACK_BUILD"]) / "bin"

PYTORCH = """\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata:
  name: digits  # and a comment
spec:
  runPolicy:
    schedulingPolicy:
      minAvailable: 3
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      restartPolicy: OnFailure
      template:
        spec:
          containers:
          - name: pytorch
            image: registry/digits
            command: [sh, -c]
            args:
            - |
              ls
              exec python train.py
"""

TRAINING_JOB = """\
apiVersion: carrack.dev/v1alpha1
kind: TrainingJob
metadata:
  name: digits
spec:
  strategy: Own
  framework: PyTorch
  replicas:
    coordinator:
      count: 1
      template:
        spec:
          containers:
            - name: trainer
              image: registry/digits
              command:
                - sh
                - -c
              args:
                - |
                  ls
                  exec python train.py
              env:
                - name: PET_NPROC_PER_NODE
                  value: auto
"""

CHANGES = """\
renamed      apiVersion: is now carrack.dev/v1alpha1 (line 1)
renamed      kind: is now TrainingJob (line 2)
kept         metadata.name (line 4)
added        spec.nprocPerNode: env PET_NPROC_PER_NODE with auto, as Kubeflow's operator sets it (line 6)
unsupported  spec.runPolicy.schedulingPolicy.minAvailable: there is no gang scheduling; pods are scheduled one by one (line 8)
renamed      spec.pytorchReplicaSpecs.Master.replicas: is now spec.replicas.coordinator.count (line 11)
renamed      spec.pytorchReplicaSpecs.Master.template: is now spec.replicas.coordinator.template (line 14)
renamed      spec.pytorchReplicaSpecs.Master.template.spec.containers[0].name: is now trainer (line 16)
changed      spec.pytorchReplicaSpecs.Master.restartPolicy: if a process fails, all start again, which spec.run.backoffLimit counts \
(line 12)
changed      spec.runPolicy.backoffLimit: is not given: Kubeflow's operator then restarts without end, Carrack's fails the job \
after 6 restarts of all its processes; set spec.run.backoffLimit (line 7)
1 unsupported; comments are not in the new manifest
"""


class Convert(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def convert(self, *arguments: str, manifest: str | None = None) -> tuple[int, str, str]:
        """Exit code, output and errors; of `job.yaml` if there is a manifest."""
        if manifest is not None:
            (self.folder / "job.yaml").write_text(manifest)
        done = subprocess.run([BIN / "carrack", "convert", *arguments], cwd=self.folder, capture_output=True, text=True, timeout=60)
        return done.returncode, done.stdout, done.stderr

    def refused(self, manifest: str) -> str:
        code, output, errors = self.convert("job.yaml", manifest=manifest)
        self.assertEqual((code, output), (2, ""), errors)
        return errors

    def test_prints_the_job_and_what_changes(self):
        self.assertEqual(self.convert("job.yaml", manifest=PYTORCH), (0, TRAINING_JOB, CHANGES))

    def test_writes_a_new_file(self):
        self.assertEqual(self.convert("job.yaml", "--to", "new.yaml", manifest=PYTORCH), (0, "new.yaml is written\n", CHANGES))
        self.assertEqual((self.folder / "new.yaml").read_text(), TRAINING_JOB)
        self.assertEqual(self.convert("job.yaml", "--to", "new.yaml"),
                         (2, "", "carrack convert: --to: new.yaml exists; remove it, or name another file\n"))

    def test_replaces_no_file_that_appears_while_it_reads(self):
        os.mkfifo(self.folder / "job.yaml")
        with subprocess.Popen([BIN / "carrack", "convert", "job.yaml", "--to", "new.yaml"], cwd=self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as command:
            with open(self.folder / "job.yaml", "w") as manifest:  # Returns once the command has opened the other end.
                (self.folder / "new.yaml").write_text("another")
                manifest.write(PYTORCH)
            output, errors = command.communicate(timeout=60)
        self.assertEqual((command.returncode, output, errors),
                         (2, "", "carrack convert: --to: new.yaml exists; remove it, or name another file\n"))
        self.assertEqual((self.folder / "new.yaml").read_text(), "another")

    def test_reads_json(self):
        code, output, errors = self.convert("job.yaml", manifest='{"apiVersion": "kubeflow.org/v1", "kind": "TFJob", "metadata": '
                                            '{"name": "a"}, "spec": {"tfReplicaSpecs": {"Worker": {"restartPolicy": "Always", '
                                            '"template": {"spec": {"containers": [{"name": "tensorflow", "image": "i"}]}}}}}}')
        self.assertEqual(code, 0, errors)
        self.assertIn("framework: TensorFlow\n", output)
        self.assertIn("\nkept         metadata.name\n", errors)

    def test_reads_the_standard_input(self):
        done = subprocess.run([BIN / "carrack", "convert", "-"], input=PYTORCH, capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, TRAINING_JOB, CHANGES))
        valid = subprocess.run([BIN / "carrack", "validate", "-"], input=done.stdout, capture_output=True, text=True, timeout=60)
        self.assertEqual((valid.returncode, valid.stderr), (0, ""))
        self.assertTrue(valid.stdout.startswith("-: is valid; "), valid.stdout)
        empty = subprocess.run([BIN / "carrack", "convert", "-"], input="", capture_output=True, text=True, timeout=60)
        self.assertEqual((empty.returncode, empty.stderr), (2, "-: manifest: is empty; give one object\n"))

    def test_says_what_is_wrong_and_where(self):
        self.assertEqual(self.refused(PYTORCH.replace("name: pytorch", "name: main")),
                         "job.yaml: spec.pytorchReplicaSpecs.Master.template.spec.containers: has no container named pytorch, in which a "
                         "PyTorchJob trains; there are: main; name it so (line 16)\n")
        self.assertEqual(self.refused(PYTORCH.replace("PyTorchJob", "MPIJob")),
                         "job.yaml: kind: is MPIJob; only TFJob and PyTorchJob can be converted (line 2)\n")
        self.assertEqual(self.refused(PYTORCH + "---\n" + PYTORCH),
                         "job.yaml: manifest: holds more than one document, or a stray character; give one object\n")
        self.assertEqual(self.refused(""), "job.yaml: manifest: is empty; give one object\n")

    def test_says_how_it_is_called(self):
        code, output, _ = self.convert("--help")
        self.assertEqual(code, 0)
        self.assertTrue(output.startswith("usage: carrack convert MANIFEST [--to FILE]\n"), output)
        self.assertEqual(self.convert()[0], 2)
        self.assertEqual(self.convert("a", "b"), (2, "", "carrack convert: takes one manifest; 'b' is one too many\n"))
        self.assertEqual(self.convert("none.yaml")[0], 2)

    def test_text_of_the_manifest_does_not_move_the_cursor(self):
        errors = self.refused(PYTORCH.replace("kind: PyTorchJob", 'kind: "\\e[2J"'))
        self.assertIn("\\x1b[2J", errors)
        code, _, errors = self.convert("job.yaml", manifest=PYTORCH + '"\\e[2J": 1\n')
        self.assertEqual(code, 0)
        self.assertIn("dropped      \\x1b[2J: is not a field", errors)


if __name__ == "__main__":
    unittest.main()
