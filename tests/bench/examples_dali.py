"""DALI's side of bench records: its reader of TFRecords on the CPU; run by DALI's own interpreter. It verifies no checksums.

    parse KIND FILE...            prints how many records the best of SETTINGS delivers in a second of CPU time
    checksum KIND ROWS FILE...    prints what bench_examples checksum does
"""

import mmap
import struct
import sys
import time
from pathlib import Path

import numpy as np
from nvidia.dali import fn, pipeline_def, tfrecord

MEASURED_FOR_S = 1.0

CRITEO = ({"label": tfrecord.FixedLenFeature([1], tfrecord.int64, 0)}
          | {f"I{number}": tfrecord.FixedLenFeature([1], tfrecord.float32, 0.0) for number in range(1, 14)}
          | {f"C{number}": tfrecord.FixedLenFeature([1], tfrecord.int64, 0) for number in range(1, 27)})
SENSOR = {f"sensor{number}": tfrecord.FixedLenFeature([8], tfrecord.float32, 0.0) for number in range(64)}
ASKED = {"criteo40": CRITEO, "sensor64x8": SENSOR}


def places_in(file: str):
    """The offset and the size of each record, both with its frame."""
    with open(file, "rb") as opened, mmap.mmap(opened.fileno(), 0, prot=mmap.PROT_READ) as data:
        at = 0
        while at < len(data):
            size = struct.unpack_from("<Q", data, at)[0] + 16
            yield at, size
            at += size


def indexes(files: list[str]) -> list[str]:
    """A file of text beside each, as DALI's tfrecord2idx writes it."""
    for file in files:
        index = Path(f"{file}.idx")
        if not index.exists():
            index.write_text("".join(f"{offset} {size}\n" for offset, size in places_in(file)))
    return [f"{file}.idx" for file in files]


@pipeline_def(num_threads=1, device_id=None)
def parsed(kind, files, reader):
    found = fn.readers.tfrecord(path=files, index_path=indexes(files), features=ASKED[kind], **reader)
    return tuple(found[name] for name in ASKED[kind])


# What came out best of batches of 128 to 4096, one to three of them ahead, and files that are not mapped into memory.
SETTINGS = [(128, {}), (256, {}), (128, {"read_ahead": True})]


def records_per_second(kind, files, rows, reader) -> float:
    pipeline = parsed(kind, files, reader, batch_size=rows)
    pipeline.build()
    for _ in range(4):
        pipeline.run()
    delivered = 0
    start = time.process_time()
    while time.process_time() - start < MEASURED_FOR_S:
        pipeline.run()
        delivered += rows
    return delivered / (time.process_time() - start)


def checksum(kind, rows, files) -> tuple[int, int]:
    batches = sum(len(Path(index).read_text().splitlines()) for index in indexes(files)) // rows
    pipeline = parsed(kind, files, {}, batch_size=rows)
    pipeline.build()
    total = 0
    for _ in range(batches):
        for number, column in enumerate(pipeline.run(), 1):
            values = column.as_array()
            bits = values.view(np.uint32 if values.dtype == np.float32 else np.uint64)
            total += number * int(bits.sum(dtype=np.uint64))
    return batches * rows, total % 2**64


if __name__ == "__main__":
    what, kind, *rest = sys.argv[1:]
    if what == "checksum":
        print(*checksum(kind, int(rest[0]), rest[1:]))
    else:
        print(max(records_per_second(kind, rest, rows, reader) for rows, reader in SETTINGS))
