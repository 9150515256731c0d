"""`carrack checkpoint` lists, shows and verifies what a job has saved."""

import contextlib
import os
import subprocess
import tempfile
import time
import unittest
from pathlib import Path
from typing import TextIO

import job
import networks
from interop import tensorflow_program

DIGEST = tensorflow_program.DIGEST + "print(digest(sys.argv[1]), end='')"


def carrack(*arguments: object, exit_code: int = 0) -> subprocess.CompletedProcess:
    done = subprocess.run([job.BIN / "carrack", "checkpoint", *map(str, arguments)], capture_output=True, text=True, timeout=60)
    if done.returncode != exit_code:
        raise AssertionError(f"carrack checkpoint ended with {done.returncode}\n{done.stderr}")
    return done


def is_asleep(pid: int) -> bool:
    """Whether the process sleeps for half a second."""
    for _ in range(10):
        if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "S":
            return False
        time.sleep(0.05)
    return True


class Checkpoint(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        data = self.folder / "spiral.tfrecord"
        tensorflow_program.write(networks.WRITE, data)
        layers, loss = networks.NETWORKS["classes"]
        fields = {"strategy": job.parameter_server(2, 2), "every_steps": 10}
        self.checkpoints = networks.train(self.folder, data, layers, loss, **fields).folder

    def test_lists_and_shows_what_is_there(self):
        lines = carrack("list", self.checkpoints).stdout.splitlines()
        self.assertEqual(lines[0].split(), ["step", "epoch", "record", "size", "digest", "file"])
        rows = [line.split() for line in lines[1:]]
        self.assertEqual([row[:3] for row in rows], [["10", "0", "500"], ["20", "0", "1,000"], ["30", "1", "0"]])
        self.assertEqual([len(row) - 7 for row in rows], [0, 0, 1])
        self.assertTrue(lines[3].endswith("  (last)"))
        shown = carrack("inspect", self.checkpoints).stdout
        self.assertEqual(shown, carrack("inspect", self.checkpoints / rows[2][6]).stdout)
        digest = tensorflow_program.run(DIGEST, str(self.checkpoints / rows[2][6]).removesuffix(".manifest")).split()[-1]
        self.assertEqual(rows[2][5], digest)
        self.assertRegex(shown, rf"\n3 files, [0-9.]+ kB, digest {digest}\n")
        self.assertIn("\nstep 30, after 0 records of epoch 1, of seed 0\ndata carrack-order v2 files=1 records=1500 ", shown)
        self.assertRegex(shown, r"\ndense_1/kernel +float32  \[16,8\]\n")
        self.assertIn("\nmodel:\n  kind: Layers\n  layers:\n    - kind: Dense\n      inputs:\n        - point\n      units: 16\n", shown)
        self.assertIn("\n    point:\n      type: float32\n      size: 2\n", shown)
        self.assertNotIn(str(self.folder), shown, "paths are not part of a checkpoint")
        self.assertIn("step 10, after 500 records of epoch 0", carrack("inspect", self.checkpoints / rows[0][6]).stdout)

    def test_finds_what_is_damaged(self):
        whole = carrack("verify", self.checkpoints).stdout.splitlines()
        self.assertEqual(len(whole), 3)
        for line in whole:
            self.assertRegex(line, r"^checkpoint-\d+-0-1-\d\.manifest: 3 files, [0-9.]+ kB, all as written$")
        first, second, third = (line.partition(":")[0].removesuffix(".manifest") for line in whole)
        self.flip(f"{first}.data-00001-of-00002")
        (self.checkpoints / f"{second}.index").unlink()
        with open(self.checkpoints / f"{second}.data-00000-of-00002", "ab") as longer:
            longer.write(b"x")
        self.flip(f"{third}.manifest")
        found = carrack("verify", self.checkpoints, exit_code=1)
        self.assertEqual(found.stdout, "")
        damage = [line.removeprefix(f"carrack checkpoint: {self.checkpoints}/") for line in found.stderr.splitlines()]
        self.assertEqual(damage[0], f"{first}.data-00001-of-00002: does not match its checksum")
        self.assertEqual(damage[1], f"{second}.index: is missing")
        self.assertRegex(damage[2], rf"^{second}\.data-00000-of-00002: has \d+ bytes, and its manifest says \d+$")
        self.assertIn(f"{third}.manifest: carrack checkpoint: ", damage[3])
        self.assertEqual(len(damage), 4)
        self.assertEqual(carrack("verify", self.checkpoints / f"{first}.manifest", exit_code=1).stderr.count("\n"), 1)

    def test_does_not_take_a_checkpoint_for_damaged_that_its_job_removes_meanwhile(self):
        second = sorted(self.checkpoints.glob("*.manifest"))[1]
        verify, output = self.blocked("verify", self.checkpoints)
        for file in [second, *self.checkpoints.glob(f"{second.stem}.*")]:  # in the order in which a job removes them
            file.unlink(missing_ok=True)
        printed = output.read().strip()
        self.assertEqual((verify.wait(60), verify.stderr.read()), (0, ""))
        self.assertEqual(printed.count(": 3 files, "), 2, printed)

    def blocked(self, *arguments: object) -> tuple[subprocess.Popen, TextIO]:
        """Starts `carrack checkpoint` with a full pipe as its output, and waits until it cannot go on. Returns the
        process and the other end of the pipe."""
        reading, writing = os.pipe()
        os.set_blocking(writing, False)
        with contextlib.suppress(BlockingIOError):
            while True:
                os.write(writing, b" " * 65536)
        os.set_blocking(writing, True)
        process = subprocess.Popen([job.BIN / "carrack", "checkpoint", *map(str, arguments)], stdout=writing,
                                   stderr=subprocess.PIPE, text=True)
        os.close(writing)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        output = self.enterContext(open(reading))
        deadline = time.monotonic() + 60
        while not is_asleep(process.pid):
            self.assertLess(time.monotonic(), deadline, "it does not print")
        return process, output

    def flip(self, name: str) -> None:
        file = self.checkpoints / name
        content = bytearray(file.read_bytes())
        content[len(content) // 2] ^= 1
        file.write_bytes(content)

    def test_says_what_it_needs(self):
        run, empty = self.checkpoints.parent, self.folder / "empty"
        empty.mkdir()
        cases = [
            (["lst", "x"], 2, "does not know 'lst'; did you mean 'list'?"),
            (["list"], 2, "list takes one folder or checkpoint"),
            (["verify", "a", "b"], 2, "verify takes one folder or checkpoint"),
            (["list", "a/checkpoint-1-0-1-1.manifest"], 2, "list takes a folder; inspect takes one checkpoint"),
            (["list", self.folder / "x"], 1, f"{self.folder}/x: does not exist; name the checkpoint folder of a job"),
            (["list", self.folder / "spiral.tfrecord"], 1,
             f"{self.folder}/spiral.tfrecord: is a file; name the checkpoint folder of a job"),
            (["list", self.folder / "x.manifest"], 1, f"{self.folder}/x.manifest: does not exist; name the checkpoint folder of a job"),
            (["list", empty], 1, f"{empty}: holds no HEAD; name the checkpoint folder of a job"),
            (["list", run], 1, f"{run}: holds no HEAD; did you mean {self.checkpoints}?"),
            (["verify", run], 1, f"{run}: holds no HEAD; did you mean {self.checkpoints}?"),
            (["inspect", f"{run}/"], 1, f"{run}/: holds no HEAD; did you mean {self.checkpoints}?"),
            (["inspect", self.folder / "checkpoint-1-0-1-1.manifest"], 1,
             f"{self.folder}/checkpoint-1-0-1-1.manifest: there is no such checkpoint"),
        ]
        for arguments, exit_code, message in cases:
            with self.subTest(message):
                self.assertEqual(carrack(*arguments, exit_code=exit_code).stderr, f"carrack checkpoint: {message}\n")


if __name__ == "__main__":
    unittest.main()
