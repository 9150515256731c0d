"""Programs of a few lines that the pinned TensorFlow runs for a test."""

import os
import subprocess
from pathlib import Path

from interop import peers

PYTHON = peers.python("tensorflow")  # Where it is not installed, whoever imports this is skipped.

# For the head of a program that writes records: each a dictionary of lists, of int, float or bytes.
EXAMPLES = """
import sys
import tensorflow as tf

def feature(values):
    if isinstance(values[0], bytes):
        return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))
    if isinstance(values[0], int):
        return tf.train.Feature(int64_list=tf.train.Int64List(value=values))
    return tf.train.Feature(float_list=tf.train.FloatList(value=values))

def write(path, examples):
    with tf.io.TFRecordWriter(path) as writer:
        for example in examples:
            features = tf.train.Features(feature={name: feature(values) for name, values in example.items()})
            writer.write(tf.train.Example(features=features).SerializeToString())
"""

# For the head of a program. The digest is docs/formats/checkpoint.md's; the checksums of tensors come from TensorFlow's own
# code: it writes one after each TFRecord.
DIGEST = """
import os, sys, tempfile
import numpy as np
import tensorflow as tf

def crc32c(data):
    with tempfile.NamedTemporaryFile() as file:
        with tf.io.TFRecordWriter(file.name) as writer:
            writer.write(data)
        masked = int.from_bytes(file.read()[-4:], "little")
    turned = (masked - 0xA282EAD8) % 2**32
    return (turned >> 17 | turned << 15) % 2**32

def digest(prefix):
    reader = tf.train.load_checkpoint(prefix)
    lines = ""
    for name in sorted(reader.get_variable_to_shape_map(), key=str.encode):
        tensor = reader.get_tensor(name)
        if isinstance(tensor, np.ndarray | np.generic):
            shape = ",".join(map(str, tensor.shape))
            lines += f"{name} {tensor.dtype} [{shape}] {crc32c(tensor.tobytes()):08x}\\n"
    return lines + f"digest {crc32c(lines.encode()):08x}\\n"
"""


def run(program: str, *arguments: str | Path, cwd: str | Path | None = None) -> str:
    """What it printed; raises, with what TensorFlow said, if it failed."""
    quiet = os.environ | {"TF_CPP_MIN_LOG_LEVEL": "3"}
    done = subprocess.run([PYTHON, "-c", program, *arguments], capture_output=True, text=True, env=quiet, cwd=cwd)
    if done.returncode != 0:
        raise AssertionError(f"TensorFlow ended with {done.returncode}\n{done.stderr}")
    return done.stdout
