"""TensorFlow's side of records_test.py; run by its own interpreter. Prints what interop_records does.

    write_records FILE COMPRESSION   records of many lengths
    write_examples FILE              2,000 random tf.Examples, in all the ways in which one can be written
    read FILE COMPRESSION
    parse FILE
"""

import os
import random
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
import numpy as np  # noqa: E402  The environment must be set first.
import tensorflow as tf  # noqa: E402

from fuzz.seeds import entry, field, varint  # noqa: E402

FEATURES = {"i": tf.io.FixedLenFeature([2], tf.int64), "f": tf.io.FixedLenFeature([3], tf.float32),
            "s": tf.io.FixedLenFeature([1], tf.string)}
LENGTHS = [0, 1, 7, 8, 11, 95, 96, 1000, 262_128, 262_144, 3_000_000, *range(12, 60)]


def write(path, records, compression=""):
    with tf.io.TFRecordWriter(path, compression) as writer:
        for record in records:
            writer.write(record)


def ints(draw, count):
    values = [varint(draw.choice([0, 1, -1, 127, 128, 2**63 - 1, -(2**63), draw.getrandbits(40)])) for _ in range(count)]
    return field(3, in_a_list(draw, values, b"\x08"))


def floats(draw, count):
    values = [np.float32(draw.choice([0, -0.0, 1e-40, draw.gauss(0, 1e6), float("inf")])).tobytes() for _ in range(count)]
    return field(2, in_a_list(draw, values, b"\x0d"))


def strings(draw, count):
    return field(1, b"".join(field(1, draw.randbytes(draw.choice([0, 1, 30, 300]))) for _ in range(count)))


def in_a_list(draw, values, tag):
    """Packed, as everyone writes numbers, or with a tag before each."""
    if draw.random() < 0.3:
        return b"".join(tag + value for value in values)
    return field(1, b"".join(values)) if values else b""


def random_example(draw):
    """Mostly a good one; else features lack, are unset, of another kind, too many, or stand twice."""
    def feature(name, make, count):
        odd = draw.random()
        if odd < 0.03:
            return b""
        if odd < 0.06:
            return entry(name, b"")
        if odd < 0.09:
            return entry(name, draw.choice([ints, floats, strings])(draw, count))
        if odd < 0.12:
            return entry(name, make(draw, draw.choice([0, 1, 2, 3, 4])))
        if odd < 0.15:
            return feature(name, make, count) + entry(name, make(draw, count))
        if odd < 0.18:
            return field(1, field(2, make(draw, count)) + field(1, name.encode()))
        return entry(name, make(draw, count))

    entries = [feature("i", ints, 2), feature("f", floats, 3), feature("s", strings, 1)]
    entries += [entry(f"other{number}", draw.choice([ints, floats, strings])(draw, 2)) for number in range(draw.choice([0, 0, 3]))]
    if draw.random() < 0.3:
        draw.shuffle(entries)
    cut = draw.choice([0, 0, 0, 1, 2])
    halves = [b"".join(entries[:cut]), b"".join(entries[cut:])]
    return b"".join(field(1, half) for half in halves if half)


def printed(value):
    if isinstance(value, bytes):
        return "x" + value.hex()
    return str(value.view(np.uint32) if isinstance(value, np.float32) else value)


def parsed(record):
    try:
        values = tf.io.parse_single_example(record, FEATURES)
    except tf.errors.InvalidArgumentError:
        return "mismatch"
    return " |".join("".join(f" {printed(value)}" for value in values[name].numpy()) for name in FEATURES)


if __name__ == "__main__":
    what, path, *named = sys.argv[1:]
    compression = "".join(named).replace("NONE", "")
    draw = random.Random(1)
    if what == "write_records":
        write(path, [draw.randbytes(length) for length in LENGTHS], compression)
    elif what == "write_examples":
        write(path, [random_example(draw) for _ in range(2000)])
    else:
        for record in tf.data.TFRecordDataset(path, compression).as_numpy_iterator():
            print(parsed(record) if what == "parse" else printed(record))
