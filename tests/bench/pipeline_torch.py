"""PyTorch's side of bench pipeline: a DataLoader over the same TFRecord files in a shuffled order, by its own interpreter.

    full FILE...        prints how many records a second come, in batches of 1024, at the best of SETTINGS
    checksum FILE...    prints what bench_pipeline checksum does
"""

import mmap
import struct
import sys
import time

import torch.utils.data

MEASURED_FOR_S = 2.0
BATCH = 1024


class Records(torch.utils.data.Dataset):
    """Each file mapped into memory and indexed once; checksums are not looked at, which Python could not do in time."""

    def __init__(self, files: list[str]):
        self.files = []
        self.places = []
        for file in files:
            with open(file, "rb") as opened:
                data = mmap.mmap(opened.fileno(), 0, prot=mmap.PROT_READ)
            at = 0
            while at < len(data):
                (length,) = struct.unpack_from("<Q", data, at)
                self.places.append((len(self.files), at + 12, at + 12 + length))
                at += 16 + length
            self.files.append(data)

    def __len__(self) -> int:
        return len(self.places)

    def __getitems__(self, numbers: list[int]) -> list[bytes]:
        """A whole batch at once, as DataLoader asks where this is there."""
        return [self.files[file][begin:end] for file, begin, end in map(self.places.__getitem__, numbers)]


def loader(records: Records, workers: int) -> torch.utils.data.DataLoader:
    more = {"prefetch_factor": 4, "persistent_workers": True} if workers else {}
    return torch.utils.data.DataLoader(records, batch_size=BATCH, shuffle=True, num_workers=workers, collate_fn=list, **more)


# What came out best: in this process, or by a process for each core.
SETTINGS = [0, 2]


def records_per_second(batches) -> float:
    records = 0
    first = True
    start = time.perf_counter()
    while time.perf_counter() - start < MEASURED_FOR_S:
        for batch in batches:
            if first:
                start, first = time.perf_counter(), False
                continue
            records += len(batch)
            if time.perf_counter() - start > MEASURED_FOR_S:
                break
    return records / (time.perf_counter() - start)


def checksum(records: Records) -> tuple[int, int, int]:
    count = length = first_words = 0
    for batch in loader(records, 0):
        for record in batch:
            count += 1
            length += len(record)
            first_words = (first_words + int.from_bytes(record[:8], "little")) % 2**64
    return count, length, first_words


if __name__ == "__main__":
    what, *paths = sys.argv[1:]
    if what == "checksum":
        print(*checksum(Records(paths)))
    else:
        indexed = Records(paths)
        print(max(records_per_second(loader(indexed, workers)) for workers in SETTINGS))
