"""tf.data's side of bench records; run by TensorFlow's own interpreter, with the length of the records and the files, which
are GZIP if they end in .gz.

    best LENGTH FILE...        prints which of SHAPES, batches and buffers is the fastest
    read LENGTH BEST FILE...   prints how many records a second that delivers, and behind it what it took
    checksum LENGTH FILE...    prints what bench_records checksum does
"""

import os
import statistics
import sys
import time
from pathlib import Path

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
import numpy as np  # noqa: E402  The environment must be set first.
import tensorflow as tf  # noqa: E402

MEASURED_FOR_S = 1.0
SETTLES_FOR_S = 1.0  # AUTOTUNE tries what is best.
TRIED_FOR_S = 0.5
TRIED = 3
BUFFERS_KB = (256, 1024, 8192)


def records_of(files, buffer, reads=None):
    """tf.data is told of compression, which it does not detect."""
    compression = "GZIP" if files[0].endswith(".gz") else ""
    return tf.data.TFRecordDataset(files, compression, buffer_size=buffer, num_parallel_reads=reads)


def sequential(files, batch, buffer):
    return records_of(files, buffer).batch(batch)


def parallel_reads(files, batch, buffer):
    """TensorFlow's own parallel reading; a hop between threads for each record."""
    return records_of(files, buffer, tf.data.AUTOTUNE).batch(batch)


def interleaved(files, batch, buffer):
    """Whole batches from several files at once, so that a hop between threads carries a batch."""
    compression = "GZIP" if files[0].endswith(".gz") else ""
    one_file = lambda file: tf.data.TFRecordDataset(file, compression, buffer_size=buffer).batch(batch)
    return tf.data.Dataset.from_tensor_slices(files).interleave(one_file, cycle_length=2, num_parallel_calls=tf.data.AUTOTUNE)


# Two to eight reads at once in place of AUTOTUNE came out no better.
SHAPES = {shape.__name__: shape for shape in (sequential, parallel_reads, interleaved)}


def batches_for(length: int) -> list[int]:
    """Batches of 64 KiB, 512 KiB and 4 MiB."""
    return sorted({min(max((64 << 10 << 3 * n) // length, 1), 4096) for n in range(3)})


def dataset(name: str, files):
    """`name` is SHAPE.BATCH.BUFFER_KB. In any order, as ours."""
    shape, batch, buffer = name.split(".")
    options = tf.data.Options()
    options.deterministic = False
    return SHAPES[shape](files, int(batch), int(buffer) << 10).repeat().prefetch(2).with_options(options)


def records_in(batches, seconds: float) -> tuple[int, float]:
    """How many come in that time, or in how much more the last batch took."""
    records = 0
    start = time.perf_counter()
    while (passed := time.perf_counter() - start) < seconds:
        records += next(batches).shape[0]
    return records, passed


def best(length: int, files) -> str:
    names = [f"{shape}.{batch}.{buffer}" for shape in SHAPES for batch in batches_for(length) for buffer in BUFFERS_KB]
    rates = {name: [] for name in names}
    for _ in range(TRIED):
        for name in names:
            records, passed = records_in(iter(dataset(name, files)), TRIED_FOR_S)
            rates[name].append(records / passed)
    return max(names, key=lambda name: statistics.median(rates[name]))


def peak_memory_mb() -> float:
    (line,) = (line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) / 1000


def read(length: int, name: str, files) -> str:
    batches = iter(dataset(name, files))
    records_in(batches, SETTLES_FOR_S)
    cpu_before = time.process_time()
    records, passed = records_in(batches, MEASURED_FOR_S)
    cpu_s = time.process_time() - cpu_before
    return f"{records / passed:.0f} cpu_s_a_gb={cpu_s / (records * length) * 1e9:.4g} peak_mb={peak_memory_mb():.4g}"


def checksum(length: int, files) -> str:
    records = total = first_words = 0
    for batch in sequential(files, batches_for(length)[-1], 1 << 20).as_numpy_iterator():
        records += len(batch)
        total += sum(map(len, batch))
        words = np.frombuffer(b"".join(record[:8] for record in batch), dtype="<u8")
        first_words = (first_words + int(words.sum(dtype=np.uint64))) % 2**64
    return f"{records} {total} {first_words}"


if __name__ == "__main__":
    what, length, *given = sys.argv[1:]
    if what == "read":
        print(read(int(length), given[0], given[1:]))
    else:
        print({"best": best, "checksum": checksum}[what](int(length), given))
