"""TensorFlow's side of examples_test.py; run by its own interpreter. Prints what interop_examples does.

    write examples|sequences FILE        10,000 random records, in all the ways in which one can be written
    parse examples|sequences ROWS FILE
"""

import os
import random
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
import numpy as np  # noqa: E402  The environment must be set first.
import tensorflow as tf  # noqa: E402

from support.tfrecord import entry, field, varint  # noqa: E402

RECORDS = 10_000
fixed, several, ragged = tf.io.FixedLenFeature, tf.io.VarLenFeature, tf.io.RaggedFeature


def sequence(shape, dtype, padding=None, allow_missing=True):
    return tf.io.FixedLenSequenceFeature(shape, dtype, allow_missing=allow_missing, default_value=padding)


EXAMPLES = {
    "i": fixed([2], tf.int64, [7, -8]), "f": fixed([3], tf.float32), "s": fixed([1], tf.string, ["none"]),
    "vi": several(tf.int64), "vf": ragged(tf.float32, row_splits_dtype=tf.int64), "vs": several(tf.string),
    "qi": sequence([2], tf.int64, -1), "qf": sequence([2], tf.float32), "qs": sequence([1], tf.string, "-"),
    "li": ragged(tf.int64, "li", [ragged.RowLengths("lengths")], row_splits_dtype=tf.int64),
    "ls": ragged(tf.string, "ls", [ragged.RowSplits("outer"), ragged.RowSplits("inner")], row_splits_dtype=tf.int64),
    "r": fixed([], tf.string),
}
CONTEXT = {"i": fixed([2], tf.int64), "vs": several(tf.string)}
STEPS = {
    "i": sequence([2], tf.int64, allow_missing=False), "f": sequence([1], tf.float32), "s": sequence([2], tf.string),
    "vi": ragged(tf.int64, row_splits_dtype=tf.int64), "vf": ragged(tf.float32, row_splits_dtype=tf.int64),
    "vs": ragged(tf.string, row_splits_dtype=tf.int64),
}


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


def whole(draw, numbers):
    return field(3, in_a_list(draw, [varint(number) for number in numbers], b"\x08"))


MAKERS = {"i": ints, "f": floats, "s": strings}


def oddly(draw, name, make, count):
    """A feature that usually matches the request; sometimes it is absent, unset, of another kind, too long, there twice, or its name
    comes after its value."""
    odd = draw.random()
    if odd < 0.02:
        return b""
    if odd < 0.03:
        return entry(name, b"")
    if odd < 0.035:
        return entry(name, draw.choice([ints, floats, strings])(draw, count))
    if odd < 0.04:
        return entry(name, make(draw, draw.choice([0, 1, 2, 3, 4])))
    if odd < 0.06:
        return entry(name, make(draw, count + 2)) + entry(name, make(draw, count))
    if odd < 0.1:
        return field(1, field(2, make(draw, count)) + field(1, name.encode()))
    return entry(name, make(draw, count))


def partitioned(draw):
    """Lists cut into lists, as a whole or not at all: TensorFlow drops what is not cut."""
    lengths = [draw.choice([0, 1, 2, 20]) for _ in range(draw.choice([0, 1, 5]))]
    inner = [0]
    for _ in range(draw.choice([0, 1, 4])):
        inner.append(inner[-1] + draw.choice([0, 1, 3]))
    outer = sorted({0, len(inner) - 1, draw.randrange(len(inner))})
    by_length = entry("li", ints(draw, sum(lengths))) + entry("lengths", whole(draw, lengths))
    by_splits = entry("ls", strings(draw, inner[-1])) + entry("inner", whole(draw, inner)) + entry("outer", whole(draw, outer))
    return [draw.choice([by_length, by_length, b""]), draw.choice([by_splits, by_splits, b""])]


def raw(draw, _):
    return field(1, field(1, draw.randbytes(8 if draw.random() < 0.98 else draw.choice([0, 7, 6, 10]))))


def shuffled(draw, entries):
    if draw.random() < 0.3:
        draw.shuffle(entries)
    return entries


def in_pieces(draw, number, entries):
    """One message, or two to be merged."""
    cut = draw.choice([0, 0, 0, 1, 2])
    halves = [b"".join(entries[:cut]), b"".join(entries[cut:])]
    return b"".join(field(number, half) for half in halves if half)


def random_example(draw):
    entries = [oddly(draw, "i", ints, 2), oddly(draw, "f", floats, 3), oddly(draw, "s", strings, 1), oddly(draw, "r", raw, 0)]
    entries += [oddly(draw, "v" + kind, make, draw.choice([0, 1, 3, 50])) for kind, make in MAKERS.items()]
    entries += [oddly(draw, "q" + kind, make, 2 * draw.choice([0, 1, 3])) for kind, make in MAKERS.items()]
    entries += [entry(f"other{n}", draw.choice([ints, floats, strings])(draw, 2)) for n in range(draw.choice([0, 0, 3]))]
    return in_pieces(draw, 1, shuffled(draw, entries + partitioned(draw)))


def steps_of(draw, name, make, counts):
    """A feature list; it may be absent, or one of its steps may be odd."""
    steps = [make(draw, count) for count in counts]
    odd = draw.random()
    if odd < 0.04:
        return b""
    if odd < 0.08 and steps:
        other = [b"", ints(draw, 1), floats(draw, 2), strings(draw, 2), make(draw, 0)]
        steps[draw.randrange(len(steps))] = draw.choice(other)
    return entry(name, b"".join(field(1, step) for step in steps))


def random_sequence(draw):
    # In a context TensorFlow takes an unset feature for an error.
    context = [entry("i", ints(draw, 2 if draw.random() < 0.98 else 3)), entry("vs", strings(draw, draw.choice([0, 1, 3])))]
    steps = draw.choice([0, 1, 2, 7])
    lists = [steps_of(draw, kind, make, [dict(i=2, f=1, s=2)[kind]] * steps) for kind, make in MAKERS.items()]
    lists += [steps_of(draw, "v" + kind, make, draw.choices([0, 1, 3, 20], k=steps)) for kind, make in MAKERS.items()]
    return in_pieces(draw, 1, shuffled(draw, context)) + in_pieces(draw, 2, shuffled(draw, lists))


def write(path, make, message):
    """A third of the records are as TensorFlow writes what it has read."""
    draw = random.Random(1)
    with tf.io.TFRecordWriter(path) as writer:
        for _ in range(RECORDS):
            record = make(draw)
            writer.write(message.FromString(record).SerializeToString() if draw.random() < 0.3 else record)


def printed(value):
    if isinstance(value, bytes):
        return "x" + value.hex()
    return str(value.view(np.uint32) if isinstance(value, np.float32) else value)


def splits_of(tensor):
    """Where the rows of a sparse tensor begin and the last one ends."""
    in_rows = np.bincount(tensor.indices.numpy()[:, 0], minlength=int(tensor.dense_shape[0]))
    return np.concatenate([[0], np.cumsum(in_rows)])


def line_of(name, asked, tensor):
    if isinstance(tensor, tf.RaggedTensor):
        values, splits = tensor.flat_values, [split.numpy() for split in tensor.nested_row_splits]
    elif isinstance(tensor, tf.SparseTensor):
        values, splits = tensor.values, [splits_of(tensor)]
    else:
        values, splits = tensor, []
    line = "".join(f" {printed(value)}" for value in values.numpy().reshape(-1))
    if isinstance(asked, tf.io.FixedLenSequenceFeature):
        return f"{name}:{line} / longest {tensor.shape[1]}"
    return f"{name}:{line}" + "".join(" /" + "".join(f" {split}" for split in level) for level in splits)


@tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
def examples(records):
    tensors = tf.io.parse_example(records, EXAMPLES)
    numbers = tf.io.decode_raw(tensors["r"], tf.int16)
    tf.debugging.assert_equal(tf.shape(numbers)[1], 4)
    return [(tensors | {"r": numbers})[name] for name in EXAMPLES]


@tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
def sequences(records):
    context, steps, _ = tf.io.parse_sequence_example(records, CONTEXT, STEPS)
    if tf.shape(records)[0] == 1:
        tf.io.parse_single_sequence_example(records[0], CONTEXT, STEPS)  # Agrees that there are values.
    return [context[name] for name in CONTEXT] + [steps[name] for name in STEPS]


ASKED = {"examples": (random_example, tf.train.Example, examples, [*EXAMPLES.items()]),
         "sequences": (random_sequence, tf.train.SequenceExample, sequences, [*CONTEXT.items(), *STEPS.items()])}


def parse(path, parsed, asked, rows):
    good = []
    for record in tf.data.TFRecordDataset(path).as_numpy_iterator():
        try:
            parsed([record])
        except tf.errors.InvalidArgumentError:
            print("mismatch")
            continue
        good.append(record)
        if len(good) == rows:
            for (name, feature), tensor in zip(asked, parsed(good)):
                print(line_of(name, feature, tensor))
            good = []


if __name__ == "__main__":
    what, which, *rest = sys.argv[1:]
    make, message, parsed, asked = ASKED[which]
    if what == "write":
        write(rest[0], make, message)
    else:
        parse(rest[1], parsed, asked, int(rest[0]))
