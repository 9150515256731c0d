"""tf.io.parse_example's side of bench records; run by TensorFlow's own interpreter.

    parse KIND FILE...            prints how many records the best of SETTINGS delivers in a second of CPU time
    checksum KIND ROWS FILE...    prints what bench_examples checksum does
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
AUTOTUNE = tf.data.AUTOTUNE

CRITEO = ({"label": tf.io.FixedLenFeature([1], tf.int64)}
          | {f"I{number}": tf.io.FixedLenFeature([1], tf.float32) for number in range(1, 14)}
          | {f"C{number}": tf.io.FixedLenFeature([1], tf.int64) for number in range(1, 27)})
SENSOR = {f"sensor{number}": tf.io.FixedLenFeature([8], tf.float32) for number in range(64)}
ASKED = {"criteo40": CRITEO, "sensor64x8": SENSOR}


def parsed(kind, files, rows, calls):
    parse = lambda records: tf.io.parse_example(records, ASKED[kind])
    dataset = tf.data.TFRecordDataset(files, buffer_size=BUFFER).batch(rows, drop_remainder=True)
    return dataset.map(parse, num_parallel_calls=calls).prefetch(AUTOTUNE)


# What came out best of batches of 128 to 4096, with and without parallel calls.
SETTINGS = [(256, AUTOTUNE), (1024, AUTOTUNE), (1024, None), (4096, AUTOTUNE)]


def records_per_second(dataset, rows) -> float:
    batches = iter(dataset.repeat())
    for _ in range(10):  # Until all is traced, and the pipeline runs.
        next(batches)
    delivered = 0
    start = time.process_time()
    while time.process_time() - start < MEASURED_FOR_S:
        next(batches)
        delivered += rows
    return delivered / (time.process_time() - start)


def checksum(kind, rows, files) -> tuple[int, int]:
    records = total = 0
    for batch in parsed(kind, files, rows, AUTOTUNE):
        records += rows
        for number, name in enumerate(ASKED[kind], 1):
            values = batch[name].numpy()
            bits = values.view(np.uint32 if values.dtype == np.float32 else np.uint64)
            total += number * int(bits.sum(dtype=np.uint64))
    return records, total % 2**64


if __name__ == "__main__":
    what, kind, *rest = sys.argv[1:]
    if what == "checksum":
        print(*checksum(kind, int(rest[0]), rest[1:]))
    else:
        print(max(records_per_second(parsed(kind, rest, rows, calls), rows) for rows, calls in SETTINGS))
