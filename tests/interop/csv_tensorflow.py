"""TensorFlow's side of csv_test.py; run by its own interpreter. Prints what interop_sources does.

    FILE DELIMITER
"""

import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
import numpy as np  # noqa: E402  The environment must be set first.
import tensorflow as tf  # noqa: E402


def printed(value):
    if isinstance(value, bytes):
        return "x" + value.hex()
    if isinstance(value, np.float32):
        return "nan" if np.isnan(value) else str(value.view(np.uint32))
    return str(value)


def rows(path, delimiter):
    dataset = iter(tf.data.experimental.CsvDataset(path, [tf.string, tf.float32, tf.int64], field_delim=delimiter))
    while True:
        try:
            yield " ".join(printed(value.numpy()) for value in next(dataset))
        except StopIteration:
            return
        except tf.errors.InvalidArgumentError:
            yield "fault"


if __name__ == "__main__":
    for row in rows(*sys.argv[1:]):
        print(row)
