"""Messages of `carrack data` for names and places that cannot be read or written."""

import os
import resource
import shutil
import subprocess
import unittest
from pathlib import Path

import records


class Refused(records.Program, unittest.TestCase):
    def test_names_that_match_no_file(self):
        (self.folder / "folder").mkdir()
        for name, why in {"none.tfrecord": "there is no such file", "no*": "no file matches", "none/*": "no file matches",
                          "folder": "is a folder; name its files, as in 'folder/*'",
                          "folder/": "is a folder; name its files, as in 'folder/*'",
                          "s3://b/x": "there is no storage for s3://; write a path, file:// or gs://",
                          "file://x": "a file URL has three slashes and no host; write file:///ABSOLUTE/PATH or a bare path",
                          "gs://b": "names no object; write gs://BUCKET/NAME",
                          "a\x1b[2J": "there is no such file"}.items():
            for command in (["inspect"], ["head"], ["verify"], ["stats"], ["index"], ["convert", "--to", "y"]):
                shown = name.replace("\x1b", "\\x1b")
                self.assertEqual(self.data(*command, name), (2, "", f"carrack data {command[0]}: {shown}: {why}\n"))

    def test_files_that_may_not_be_read(self):
        program = records.CARRACK
        more: dict = {}
        if os.geteuid() == 0:  # Who may read everything.
            nobody = 65534
            self.folder.chmod(0o755)
            program = Path(shutil.copy(program, self.folder))
            more = {"user": nobody, "group": nobody, "extra_groups": []}
        self.write("open.tfrecord", records.file(b"one"))
        self.write("shut.tfrecord", records.file(b"one"))
        (self.folder / "shut.tfrecord").chmod(0)
        done = subprocess.run([program, "data", "verify", "shut.tfrecord", "open.tfrecord"], cwd=self.folder,
                              capture_output=True, text=True, timeout=60, **more)
        self.assertEqual((done.returncode, done.stderr),
                         (1, "carrack data verify: shut.tfrecord: cannot open it: Permission denied\n"))
        self.assertEqual(done.stdout.splitlines()[0], "1 file, 1 record, 19 bytes: nothing is damaged")

    def test_a_place_that_cannot_be_written(self):
        self.write("x.tfrecord", records.file(b"one"))
        self.assertEqual(self.data("convert", "x.tfrecord", "--to", "x.tfrecord/y"),
                         (2, "", "carrack data convert: x.tfrecord/y: cannot create it: Not a directory\n"))
        (self.folder / "made").mkdir()
        self.assertEqual(self.data("convert", "x.tfrecord", "--to", "made", "--force"),
                         (2, "", "carrack data convert: made: is a folder; write the name of a file\n"))

    def test_a_file_beyond_the_limit_of_its_size(self):
        self.write("x.tfrecord", records.file(*[b"one"] * 100))
        self.assertEqual(
            self.data("convert", "x.tfrecord", "--to", "y", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (99, 99))),
            (1, "", "carrack data convert: y: cannot write it: File too large\n"))
        self.assertEqual([file.name for file in self.folder.iterdir()], ["x.tfrecord"])

    def test_an_address_to_which_no_token_may_be_sent(self):
        settings = os.environ | {"CLOUDSDK_API_ENDPOINT_OVERRIDES_STORAGE": "http://example.com"}
        settings.pop("STORAGE_EMULATOR_HOST", None)
        self.assertEqual(self.data("inspect", "gs://b/x", env=settings), (2, "", (
            "carrack data inspect: CLOUDSDK_API_ENDPOINT_OVERRIDES_STORAGE: is http://example.com; tokens are sent to "
            "https://HOST alone, or to this machine\n")))


if __name__ == "__main__":
    unittest.main()
