"""tf.data's side of bench pipeline; run by TensorFlow's own interpreter, with the files as arguments, which are GZIP if
they end in .gz.

    buffer FILE...          prints how many records a second come, shuffled through a buffer of 10,000, at the best of SETTINGS
    checksum FILE...        prints what bench_pipeline checksum does
    state FILE...           prints how many bytes its checkpoint is, in the middle of such a shuffle
    accelerators FILE...    prints how many emulated H100s it keeps busy
"""

import os
import sys
import tempfile
import time
from pathlib import Path

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
import numpy as np  # noqa: E402  The environment must be set first.
import tensorflow as tf  # noqa: E402

MEASURED_FOR_S = 1.0
BATCH = 1024


def one_after_the_other(files, buffer=1 << 20, reads=None):
    compression = "GZIP" if files[0].endswith(".gz") else ""
    return tf.data.TFRecordDataset(files, compression, buffer_size=buffer, num_parallel_reads=reads)


def parallel_reads(files, buffer=1 << 20):
    return one_after_the_other(files, buffer, reads=2)


# What came out best among these and buffers of 256 KiB to 16 MiB; reading in batches and shuffling those would not be
# the same shuffle.
SETTINGS = [one_after_the_other, parallel_reads]


def records_per_second(dataset) -> float:
    batches = iter(dataset.repeat().prefetch(2))
    records = len(next(batches))
    start = time.perf_counter()
    records = 0
    while time.perf_counter() - start < MEASURED_FOR_S:
        records += next(batches).shape[0]
    return records / (time.perf_counter() - start)


def checksum(files) -> tuple[int, int, int]:
    records = length = first_words = 0
    for batch in one_after_the_other(files).batch(BATCH).as_numpy_iterator():
        records += len(batch)
        length += sum(map(len, batch))
        words = np.frombuffer(b"".join(record[:8] for record in batch), dtype="<u8")
        first_words = (first_words + int(words.sum(dtype=np.uint64))) % 2**64
    return records, length, first_words


def state(files) -> int:
    batches = iter(one_after_the_other(files).shuffle(10_000, seed=1).batch(16))
    for _ in range(10):
        next(batches)
    with tempfile.TemporaryDirectory() as folder:
        tf.train.Checkpoint(batches=batches).write(folder + "/state")
        return sum(file.stat().st_size for file in Path(folder).iterdir())


def whole_batches(files):
    """What came out best for long records: a file a thread, whole batches handed on."""
    one_file = lambda file: tf.data.TFRecordDataset(file, buffer_size=8 << 20).batch(400, drop_remainder=True)
    return tf.data.Dataset.from_tensor_slices(files).interleave(
        one_file, cycle_length=2, num_parallel_calls=2, deterministic=False).repeat().prefetch(4)


def busy(batches, accelerators: float) -> float:
    step = 0.224 / accelerators
    steps = max(10, int(1 / step))
    next(batches)
    start = time.perf_counter()
    for _ in range(steps):
        time.sleep(step)
        next(batches)
    return steps * step / (time.perf_counter() - start)


def accelerators(files) -> float:
    batches = iter(whole_batches(files))
    low, high = 0.1, 1.0
    while busy(batches, high) >= 0.9:
        low, high = high, high * 2
    for _ in range(5):
        middle = (low + high) / 2
        low, high = (middle, high) if busy(batches, middle) >= 0.9 else (low, middle)
    return low


if __name__ == "__main__":
    what, *paths = sys.argv[1:]
    if what == "checksum":
        print(*checksum(paths))
    elif what == "state":
        print(state(paths))
    elif what == "accelerators":
        print(f"{accelerators(paths):.2f}")
    else:
        print(max(records_per_second(make(paths).shuffle(10_000).batch(BATCH)) for make in SETTINGS))
