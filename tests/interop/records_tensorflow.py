"""TensorFlow's side of records_test.py; run by its own interpreter. Prints what interop_records does.

    write FILE COMPRESSION   records of many lengths
    read FILE COMPRESSION
"""

import os
import random
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
import tensorflow as tf  # noqa: E402  The environment must be set first.

LENGTHS = [0, 1, 7, 8, 11, 95, 96, 1000, 262_128, 262_144, 3_000_000, *range(12, 60)]


if __name__ == "__main__":
    what, path, named = sys.argv[1:]
    compression = named.replace("NONE", "")
    if what == "write":
        draw = random.Random(1)
        with tf.io.TFRecordWriter(path, compression) as writer:
            for length in LENGTHS:
                writer.write(draw.randbytes(length))
    else:
        for record in tf.data.TFRecordDataset(path, compression).as_numpy_iterator():
            print("x" + record.hex())
