"""tf.data's side of bench shuffle_quality; run by TensorFlow's own interpreter.

    ROWS BUFFER FILE    writes in which order so many rows come through a buffer, as 64-bit numbers
"""

import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
import numpy as np  # noqa: E402  The environment must be set first.
import tensorflow as tf  # noqa: E402

if __name__ == "__main__":
    rows, buffer, file = sys.argv[1:]
    batches = tf.data.Dataset.range(int(rows)).shuffle(int(buffer), seed=7).batch(4096)
    np.concatenate(list(batches.as_numpy_iterator())).astype("<u8").tofile(file)
