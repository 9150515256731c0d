"""Programs of a few lines that the pinned TensorFlow runs for a test."""

import hashlib
import os
import shutil
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path

from interop import peers
from support import machine

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


def write(program: str, path: Path, *arguments: str) -> None:
    """Runs a program that writes the file `path`, or files into the folder `path` if that exists, always with the same
    content. It runs only once for a build, as TensorFlow takes seconds to start; later calls copy what it wrote."""
    key = hashlib.sha256("\0".join([str(PYTHON), program, *arguments]).encode()).hexdigest()
    written = machine.build() / "written_by_tensorflow" / key
    if not written.exists():
        written.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=written.parent) as own:
            result = Path(own, "result")
            if path.is_dir():
                result.mkdir()
            run(program, result, *arguments)
            with suppress(OSError):  # Another test has just done the same.
                result.rename(written)
    if written.is_dir():
        shutil.copytree(written, path, dirs_exist_ok=True)
    else:
        shutil.copyfile(written, path)
