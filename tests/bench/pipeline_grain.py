"""Grain's side of bench pipeline: full shuffles of ArrayRecord files, by its own interpreter.

    make FOLDER FILE...    writes the records of TFRecord files as ArrayRecord, a file each, which can be read in any order
    element FOLDER         prints how many records a second come, as grain's users read them: a record an element
    batch FOLDER           ... read 1024 at once, which is the fastest that the files can be read in a shuffled order
    checksum FOLDER        prints what bench_pipeline checksum does
"""

import struct
import sys
import time
from pathlib import Path

import grain
import numpy as np
from array_record.python import array_record_data_source, array_record_module

MEASURED_FOR_S = 1.0
BATCH = 1024


def records_of(file: str):
    data = Path(file).read_bytes()
    at = 0
    while at < len(data):
        (length,) = struct.unpack_from("<Q", data, at)
        yield data[at + 12:at + 12 + length]
        at += 16 + length


def make(folder: Path, files: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for file in files:
        writer = array_record_module.ArrayRecordWriter(str(folder / Path(file).stem), "group_size:1,uncompressed")
        for record in records_of(file):
            writer.write(record)
        writer.close()


def source(folder: Path):
    return array_record_data_source.ArrayRecordDataSource(sorted(map(str, folder.iterdir())))


def rate_of(batches) -> float:
    next(batches)
    records = 0
    start = time.perf_counter()
    while time.perf_counter() - start < MEASURED_FOR_S:
        records += len(next(batches))
    return records / (time.perf_counter() - start)


def by_element(folder: Path, threads: int) -> float:
    elements = grain.MapDataset.source(source(folder)).shuffle(seed=1).repeat()
    options = grain.ReadOptions(num_threads=threads, prefetch_buffer_size=max(500, threads))
    return rate_of(iter(elements.to_iter_dataset(options).batch(BATCH, batch_fn=list)))


def by_batch(folder: Path) -> float:
    """The file's own way of reading many records at once, which is C++; shuffled indices are made ahead of it."""
    records = source(folder)
    order = np.random.default_rng(1).permutation(len(records)).tolist()

    def batches():
        while True:
            for begin in range(0, len(order) - BATCH, BATCH):
                yield records.__getitems__(order[begin:begin + BATCH])

    return rate_of(batches())


def checksum(folder: Path) -> tuple[int, int, int]:
    all_records = source(folder)
    records = length = first_words = 0
    for begin in range(0, len(all_records), BATCH):
        for record in all_records.__getitems__(range(begin, min(begin + BATCH, len(all_records)))):
            records += 1
            length += len(record)
            first_words = (first_words + int.from_bytes(record[:8], "little")) % 2**64
    return records, length, first_words


if __name__ == "__main__":
    what, into, *paths = sys.argv[1:]
    if what == "make":
        make(Path(into), paths)
    elif what == "checksum":
        print(*checksum(Path(into)))
    elif what == "element":
        print(max(by_element(Path(into), threads) for threads in (2, 16)))
    else:
        print(by_batch(Path(into)))
