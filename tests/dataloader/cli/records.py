"""TFRecords of tf.Examples, written in Python, and tests that run `carrack data` on them.

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

CARRACK = Path(os.environ["CARRACK_BUILD"]) / "bin/carrack"
GIF = b"GIF89a\x0a\x00\x14\x00"  # of 10x20


def _table() -> list[int]:
    table = []
    for byte in range(256):
        crc = byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
        table.append(crc)
    return table


_TABLE = _table()


def _masked_crc32c(data: bytes) -> bytes:
    crc = 0xFFFFFFFF
    for byte in data:
        crc = _TABLE[(crc ^ byte) & 0xFF] ^ crc >> 8
    crc ^= 0xFFFFFFFF
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def file(*records: bytes) -> bytes:
    return b"".join(
        length + _masked_crc32c(length) + data + _masked_crc32c(data)
        for data in records
        for length in [struct.pack("<Q", len(data))]
    )


def _varint(number: int) -> bytes:
    number %= 2**64
    encoded = b""
    while number >= 0x80:
        encoded += bytes([number & 0x7F | 0x80])
        number >>= 7
    return encoded + bytes([number])


def _field(number: int, content: bytes) -> bytes:
    return bytes([number << 3 | 2]) + _varint(len(content)) + content


def example(**features: list) -> bytes:
    """Of lists of bytes, float or int."""
    def feature(values: list) -> bytes:
        if isinstance(values[0], bytes):
            return _field(1, b"".join(_field(1, value) for value in values))
        if isinstance(values[0], float):
            return _field(2, _field(1, struct.pack(f"<{len(values)}f", *values)))
        return _field(3, _field(1, b"".join(map(_varint, values))))

    entries = (_field(1, _field(1, name.encode()) + _field(2, feature(values))) for name, values in features.items())
    return _field(1, b"".join(entries))


def data(*arguments: str, cwd: Path, **more: object) -> subprocess.CompletedProcess:
    return subprocess.run([CARRACK, "data", *arguments], cwd=cwd, capture_output=True, text=True, timeout=60, **more)


class Program:
    """A part of a test case: a folder of its own, and what `carrack data` does there."""

    maxDiff = None

    def setUp(self):
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.folder = Path(kept.name)

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
