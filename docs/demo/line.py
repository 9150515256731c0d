"""The first part of the demo, `./dev demo`: makes points near a line, lets Carrack find the line, and prints the result beside the true one.

    line.py CARRACK FOLDER      the program, and the folder for data, logs and checkpoints

It needs nothing but Python: it writes TFRecords (docs/formats/tfrecord.md, docs/formats/example.md) and reads the last
checkpoint (docs/formats/checkpoint.md) itself.
"""

import random
import shutil
import struct
import subprocess
import sys
from pathlib import Path

M, B = 3.0, -2.0
POINTS = 20_000
HERE = Path(__file__).resolve().parent


def crc32c_table() -> list[int]:
    table = []
    for byte in range(256):
        crc = byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
        table.append(crc)
    return table


TABLE = crc32c_table()


def masked_crc32c(data: bytes) -> bytes:
    crc = 0xFFFFFFFF
    for byte in data:
        crc = TABLE[(crc ^ byte) & 0xFF] ^ crc >> 8
    crc ^= 0xFFFFFFFF
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def field(number: int, content: bytes) -> bytes:
    """A length-delimited protobuf field of at most 127 bytes."""
    return bytes([number << 3 | 2, len(content)]) + content


def example(values: dict[str, float]) -> bytes:
    entries = (field(1, field(1, name.encode()) + field(2, field(2, field(1, struct.pack("<f", value)))))
               for name, value in values.items())
    return field(1, b"".join(entries))


def record(data: bytes) -> bytes:
    length = struct.pack("<Q", len(data))
    return length + masked_crc32c(length) + data + masked_crc32c(data)


def write_points(folder: Path) -> None:
    generator = random.Random(1)
    for file in range(2):
        with open(folder / f"line-{file}.tfrecord", "wb") as out:
            for _ in range(POINTS // 2):
                x = generator.uniform(-1, 1)
                out.write(record(example({"x": x, "y": M * x + B + generator.gauss(0, 0.1)})))


def last_checkpoint(folder: Path) -> Path:
    """The prefix of the checkpoint that HEAD names. HEAD is the file HEAD.<n> with the highest n."""
    head = max(folder.glob("HEAD.*"), key=lambda path: int(path.suffix[1:]))
    manifest = next(line.split()[1] for line in head.read_text().splitlines() if line.startswith("manifest "))
    return folder / manifest.removesuffix(".manifest")


def main(carrack: str, folder: Path) -> int:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    print(f"writing {POINTS:,} points near y = {M} x + {B} to {folder}", flush=True)
    write_points(folder)
    shutil.copy(HERE / "line.yaml", folder)
    arguments = ["run", "line.yaml", "--folder", "run"]
    print(f"in {folder}: carrack {' '.join(arguments)}", flush=True)
    done = subprocess.run([carrack, *arguments], cwd=folder)
    if done.returncode != 0:
        return done.returncode
    prefix = last_checkpoint(folder / "checkpoints")
    # There is one parameter server, so one file has all parameters: w, then b.
    m, b = struct.unpack("<2f", Path(f"{prefix}.data-00000-of-00001").read_bytes())
    print(f"found y = {m:.3f} x + {b:.3f}; true y = {M:.3f} x + {B:.3f}")
    print(f"checkpoints, which tf.train.load_checkpoint reads: {prefix.parent}")
    return 0 if abs(m - M) < 0.05 and abs(b - B) < 0.05 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
