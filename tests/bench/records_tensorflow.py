"""tf.data's side of bench records; run by TensorFlow's own interpreter, with the files as arguments.

    read FILE...        prints how many records a second the best of SETTINGS delivers
    checksum FILE...    prints what bench_records checksum does
"""

import os
import sys
import time

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
import numpy as np  # noqa: E402  The environment must be set first.
import tensorflow as tf  # noqa: E402

MEASURED_FOR_S = 1.0
BUFFER = 1 << 20


def sequential(files, batch):
    return tf.data.TFRecordDataset(files, buffer_size=BUFFER).batch(batch).prefetch(2)


def parallel_reads(files, batch):
    """TensorFlow's own parallel reading; a hop between threads for each record."""
    options = tf.data.Options()
    options.deterministic = False
    return tf.data.TFRecordDataset(files, buffer_size=BUFFER, num_parallel_reads=2).batch(batch).with_options(options)


def interleaved(files, batch):
    """Whole batches from several files at once, so that a hop between threads carries a batch."""
    one_file = lambda file: tf.data.TFRecordDataset(file, buffer_size=BUFFER).batch(batch)
    return tf.data.Dataset.from_tensor_slices(files).interleave(
        one_file, cycle_length=2, num_parallel_calls=2, deterministic=False).prefetch(2)


# What came out best among these, buffers of 256 KiB to 16 MiB, batches of 256 to 4096 and 2 to 8 reads at once.
SETTINGS = [(sequential, 256), (interleaved, 4096), (parallel_reads, 256)]


def records_per_second(dataset) -> float:
    records = 0
    start = time.perf_counter()
    while time.perf_counter() - start < MEASURED_FOR_S:
        for batch in dataset:
            records += batch.shape[0]
    return records / (time.perf_counter() - start)


def checksum(files) -> tuple[int, int, int]:
    records = length = first_words = 0
    for batch in sequential(files, 256).as_numpy_iterator():
        records += len(batch)
        length += sum(map(len, batch))
        words = np.frombuffer(b"".join(record[:8] for record in batch), dtype="<u8")
        first_words = (first_words + int(words.sum(dtype=np.uint64))) % 2**64
    return records, length, first_words


if __name__ == "__main__":
    what, *paths = sys.argv[1:]
    if what == "checksum":
        print(*checksum(paths))
    else:
        print(max(records_per_second(make(paths, batch)) for make, batch in SETTINGS))
