"""Prints how many bytes a second TensorFlow's SGD update moves on one CPU thread; run by TensorFlow's own interpreter."""

import os
import time

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
import tensorflow as tf  # noqa: E402  The environment must be set first.

ELEMENTS = 1 << 25
MEASURED_FOR_S = 0.3

tf.config.threading.set_intra_op_parallelism_threads(1)
tf.config.threading.set_inter_op_parallelism_threads(1)
parameters = tf.Variable(tf.ones([ELEMENTS]))
gradients = tf.fill([ELEMENTS], 0.5)


@tf.function
def once():
    tf.raw_ops.ResourceApplyGradientDescent(var=parameters.handle, alpha=0.1, delta=gradients)


once()
start = time.perf_counter()
times = 0
while time.perf_counter() - start < MEASURED_FOR_S:
    once()
    times += 1
print(3 * 4 * ELEMENTS * times / (time.perf_counter() - start))
