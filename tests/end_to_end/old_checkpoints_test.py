"""A job continues from checkpoints that an older version wrote in the middle of an epoch, and uses each record as often as
that version would have. vectors/README.md says how they were made."""

import json
import os
import shutil
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

CARRACK = Path(os.environ["CARRACK_BUILD"]) / "bin" / "carrack"
VECTORS = Path(__file__).with_name("vectors")
WRITTEN_AT_S = 1_700_000_000  # data without an index is identified by the times and sizes of its files
EXPECTED = json.loads((VECTORS / "expected.json").read_text())


def last_commit(checkpoints: Path) -> Path:
    """The prefix of the files of the last commit, as HEAD names it."""
    head = max(checkpoints.glob("HEAD.*"), key=lambda path: int(path.suffix[1:]))
    (manifest,) = [line.split()[1] for line in head.read_text().splitlines() if line.startswith("manifest ")]
    return checkpoints / manifest.removesuffix(".manifest")


def counts_in(commit: Path) -> list[int]:
    (shard,) = commit.parent.glob(f"{commit.name}.data-*")
    content = shard.read_bytes()
    return [int(count) for count in struct.unpack(f"<{len(content) // 4}f", content)]


class OldCheckpoints(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory())) / "vectors"
        shutil.copytree(VECTORS, self.folder)
        for file in self.folder.glob("*/*.tfrecord"):
            os.utime(file, (WRITTEN_AT_S, WRITTEN_AT_S))

    def resume(self, job: str) -> subprocess.CompletedProcess:
        manifest = self.folder / f"{job}.yaml"
        manifest.write_text(manifest.read_text().replace("CHECKPOINTS", f"new-{job}"))
        return subprocess.run([CARRACK, "run", manifest, "--folder", f"run-{job}"], cwd=self.folder, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=100)

    def test_every_job_goes_on_and_counts_as_the_old_one_did(self):
        for job, expected in EXPECTED.items():
            with self.subTest(job):
                ended = self.resume(job)
                self.assertEqual(ended.returncode, 0, ended.stdout)
                self.assertEqual(counts_in(last_commit(self.folder / f"new-{job}")), expected)

    def test_other_stages_are_refused_by_name(self):
        manifest = self.folder / "blocks.yaml"
        manifest.write_text(manifest.read_text().replace("block: 8", "block: 4"))
        ended = self.resume("blocks")
        self.assertEqual(ended.returncode, 1, ended.stdout)
        self.assertIn("spec.checkpoint.resume", ended.stdout)


if __name__ == "__main__":
    unittest.main()
