"""`carrack validate` says what is wrong with a manifest and with the data for it, all at once, and starts nothing. `carrack run`
does the same look before it starts anything."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from dataloader.cli.records import example, file

BIN = Path(os.environ["CARRACK_BUILD"]) / "bin"

MANIFEST = """apiVersion: carrack.dev/v1alpha1
kind: TrainingJob
metadata: {name: line}
spec:
  strategy: Single
  model: {kind: LinearRegression, input: x, target: price}
  data:
    train: {files: ["line-*.tfrecord"]}
    features:
      x: {type: float32, size: 2}
      price: {type: float32}
  training: {batch: 8, optimizer: {kind: SGD}}
"""


class Command(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        for part in range(3):
            self.write(f"line-{part}.tfrecord", [example(x=[number / 8, 1.0], price=[number / 4]) for number in range(8)])
        self.manifest("job.yaml", MANIFEST)

    def write(self, name: str, records: list[bytes]) -> None:
        (self.folder / name).write_bytes(file(*records))

    def manifest(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text)

    def names(self) -> list[str]:
        return sorted(path.name for path in self.folder.iterdir())

    def carrack(self, *arguments: str, **more: str) -> subprocess.CompletedProcess:
        return subprocess.run([BIN / "carrack", *arguments], cwd=self.folder, capture_output=True, text=True, timeout=60,
                              env=os.environ | more)

    def valid(self, *arguments: str) -> str:
        done = self.carrack("validate", *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def refused(self, *arguments: str, command: str = "validate", **more: str) -> list[str]:
        done = self.carrack(command, *arguments, **more)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        return done.stderr.replace(f"{self.folder}/", "FOLDER/").splitlines()


class Validate(Command):
    def test_says_what_it_has_found_and_leaves_nothing_behind(self):
        before = self.names()
        self.assertEqual(self.valid("job.yaml"), "job.yaml: is valid; 3 files, features price (float32), x (float32, 2)\n")
        self.assertEqual(self.names(), before)

    def test_looks_at_the_data_for_evaluation(self):
        self.manifest("job.yaml", MANIFEST.replace("    features", '    eval: {files: ["line-0.*", "line-1.*"]}\n    features'))
        self.assertIn("3 files, 2 files for evaluation, features", self.valid("job.yaml"))

    def test_names_all_that_is_wrong_with_its_lines_and_the_cure(self):
        (self.folder / "line.csv").write_text("x,price\n1,2\n")
        self.manifest("job.yaml", MANIFEST
                      .replace('["line-*.tfrecord"]', '["line-*.tfrecord", none.tfrecord, line.csv]')
                      .replace("size: 2", "size: 3").replace("price: {type: float32}", "pric: {type: float32}")
                      .replace("target: price", "target: pric") + "  checkpoint: {folder: job.yaml/out, resume: earlier}\n")
        self.assertEqual(self.refused("job.yaml"), [
            "job.yaml: spec.data.train.files[1]: no file matches FOLDER/none.tfrecord (line 8)",
            "job.yaml: spec.data.train.files[2]: FOLDER/line.csv: holds no records: text; `carrack data convert FOLDER/line.csv "
            "--to FOLDER/line.tfrecord` makes records of it (line 8)",
            "job.yaml: spec.data.features.pric: FOLDER/line-0.tfrecord: record 0 has no such feature; it has price, x; did you "
            "mean 'price'? (line 11)",
            "job.yaml: spec.data.features.x.size: is 3, but FOLDER/line-0.tfrecord: record 0 holds 2 values; write size: 2 (line 10)",
            "job.yaml: spec.checkpoint.resume: FOLDER/earlier: does not exist; name the checkpoint folder of a job (line 13)",
            "job.yaml: spec.checkpoint.folder: cannot make FOLDER/job.yaml/out: Not a directory (line 13)"])

    def test_says_where_a_value_of_the_command_line_is_wrong(self):
        self.assertEqual(self.refused("job.yaml", "--set", "spec.data.features.x.size=3"), [
            "job.yaml: spec.data.features.x.size: is 3, but FOLDER/line-0.tfrecord: record 0 holds 2 values; write size: 2 (--set "
            "spec.data.features.x.size)"])
        self.assertIn("1 file,", self.valid("job.yaml", "--set", "spec.data.train.files.0=line-2.tfrecord"))

    def test_leaves_out_features_that_nothing_reads(self):
        self.manifest("job.yaml", MANIFEST.replace("      price:", "      other: {type: int64}\n      price:"))
        self.assertEqual(self.valid("job.yaml"), "job.yaml: is valid; 3 files, features price (float32), x (float32, 2)\n")

    def test_looks_at_the_manifest_alone_if_it_is_asked_to(self):
        for path in self.folder.glob("*.tfrecord"):
            path.unlink()
        self.assertEqual(self.valid("job.yaml", "--no-data"),
                         "job.yaml: is valid; its files were not looked at\n")
        self.assertEqual(self.refused("job.yaml", "--no-data", "--set", "spec.training.batch=0"),
                         ["job.yaml: spec.training.batch: is 0; must be from 1 to 2147483647 (--set spec.training.batch)"])

    def test_takes_several_manifests(self):
        self.manifest("bad.yaml", MANIFEST.replace("batch: 8", "bacth: 8"))
        done = self.carrack("validate", "bad.yaml", "none.yaml", "job.yaml")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stdout, "job.yaml: is valid; 3 files, features price (float32), x (float32, 2)\n")
        self.assertEqual(done.stderr, "bad.yaml: spec.training.batch: is missing (line 12)\n"
                                      "bad.yaml: spec.training.bacth: is unknown; did you mean 'batch'? (line 12)\n"
                                      "carrack validate: none.yaml: cannot be read: No such file or directory\n")

    def test_says_that_a_storage_cannot_be_reached(self):
        self.manifest("job.yaml", MANIFEST.replace("line-*.tfrecord", "gs://bucket/line-*.tfrecord"))
        [said] = self.refused("job.yaml", STORAGE_EMULATOR_HOST="http://127.0.0.1:1")
        self.assertRegex(said, r"^job\.yaml: spec\.data\.train\.files\[0\]: cannot be looked at: .*\(line 8\)$")

    def test_says_that_a_folder_cannot_be_written_to(self):
        if os.geteuid() == 0:
            self.skipTest("root may write to any folder")
        (self.folder / "out").mkdir(mode=0o500)
        self.assertEqual(self.refused("job.yaml", "--set", "spec.checkpoint.folder=out/of"), [
            "job.yaml: spec.checkpoint.folder: FOLDER/out cannot be written to: Permission denied (--set spec.checkpoint.folder)"])

    def test_says_what_is_wrong_with_the_command_line(self):
        self.assertEqual(self.refused("job.yaml", "--no-dat"), [
            "carrack validate: does not know '--no-dat'; did you mean '--no-data'?; `carrack validate --help` lists what it does"])
        self.assertTrue(self.refused()[0].startswith("usage: carrack validate MANIFEST... "))
        self.assertTrue(self.valid("--help").startswith("usage: carrack validate MANIFEST... "))


class Run(Command):
    def test_refuses_what_validate_refuses_before_it_starts_or_writes_anything(self):
        before = self.names()
        self.manifest("job.yaml", MANIFEST.replace("size: 2", "size: 3"))
        self.assertEqual(self.refused("job.yaml", command="run"), self.refused("job.yaml"))
        self.assertEqual(self.refused("job.yaml", "--trainer", "/nowhere", command="run"), self.refused("job.yaml"))
        self.assertEqual(self.names(), before)

    def test_looks_again_when_it_goes_on_and_not_at_a_job_that_has_ended(self):
        self.assertEqual(self.carrack("run", "job.yaml", "--trainer", "/bin/false", "--set", "spec.run.backoffLimit=0").returncode, 1)
        self.write("line-1.tfrecord", [example(y=[1.0])])
        [x, price] = self.refused("job.yaml", command="run")
        self.assertIn("FOLDER/line-1.tfrecord: record 0 has no such feature; it has y", x + price)
        self.write("line-1.tfrecord", [example(x=[1.0, 1.0], price=[1.0])])
        self.assertEqual(self.carrack("run", "job.yaml").returncode, 0)
        for path in self.folder.glob("*.tfrecord"):
            path.unlink()
        done = self.carrack("run", "job.yaml")
        self.assertEqual(done.returncode, 0)
        self.assertIn("this run has ended", done.stdout)

    def test_looks_at_no_data_if_it_is_asked_not_to(self):
        self.manifest("job.yaml", MANIFEST.replace("size: 2", "size: 3"))
        done = self.carrack("run", "job.yaml", "--no-data")
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertIn("Failed (UserError): worker 0: UserError: ", done.stdout)

    def test_leaves_to_the_job_what_a_look_does_not_see(self):
        records = [example(x=[number / 8, 1.0], price=[number / 4]) for number in range(8)]
        self.write("line-1.tfrecord", [*records[:7], example(x=[1.0], price=[1.0])])
        self.valid("job.yaml")
        done = self.carrack("run", "job.yaml")
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertRegex(done.stdout, r"Failed \(UserError\): .*line-1\.tfrecord: record 7 at byte \d+: feature \"x\" has 1 values, "
                                      "and 2 are needed")


if __name__ == "__main__":
    unittest.main()
