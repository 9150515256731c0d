"""Files of TFRecords and tf.Examples, and tests that run `carrack data` on them.

    class Verify(records.Program, unittest.TestCase):
        def test_finds_nothing_damaged(self):
            self.write("x.tfrecord", records.file(records.example(x=[1.5], label=[3]), b"any bytes"))
            code, out, err = self.data("verify", "x.tfrecord")
"""

import os
import re
import struct
import subprocess
import tempfile
from pathlib import Path

from support import tfrecord
from support.tfrecord import field

CARRACK = Path(os.environ["CARRACK_BUILD"]) / "bin/carrack"
GIF = b"GIF89a\x0a\x00\x14\x00"  # of 10x20


def file(*records: bytes) -> bytes:
    return b"".join(map(tfrecord.frame, records))


def example(**features: list) -> bytes:
    """Of lists of bytes, float or int."""
    def feature(values: list) -> bytes:
        if isinstance(values[0], bytes):
            return field(1, b"".join(field(1, value) for value in values))
        if isinstance(values[0], float):
            return field(2, field(1, struct.pack(f"<{len(values)}f", *values)))
        return field(3, field(1, b"".join(map(tfrecord.varint, values))))

    return field(1, b"".join(tfrecord.entry(name, feature(values)) for name, values in features.items()))


def data(*arguments: str, cwd: Path, **more: object) -> subprocess.CompletedProcess:
    return subprocess.run([CARRACK, "data", *arguments], cwd=cwd, capture_output=True, text=True, timeout=60, **more)


class Program:
    """A part of a test case: a folder of its own, and what `carrack data` does there."""

    maxDiff = None

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def write(self, name: str, content: bytes) -> None:
        (self.folder / name).write_bytes(content)

    def write_points(self) -> None:
        """Two files of two records each."""
        points = [example(x=[record + 0.5, -1.0], label=[record], image=[GIF]) for record in range(4)]
        self.write("p-0.tfrecord", file(*points[:2]))
        self.write("p-1.tfrecord", file(*points[2:]))

    def data(self, *arguments: str, **more: object) -> tuple[int, str, str]:
        done = data(*arguments, cwd=self.folder, **more)
        timeless = re.sub(r"in \d+\.\d s, [\d.]+ \w+/s", "in T", done.stdout)
        return done.returncode, timeless, done.stderr

    def names(self) -> list[str]:
        return sorted(path.name for path in self.folder.iterdir())
