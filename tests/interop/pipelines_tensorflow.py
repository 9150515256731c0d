"""TensorFlow's side of pipelines_test.py; run by its own interpreter. Prints what interop_pipelines does.

    write FOLDER SIZE...    files 0, 1, ... of so many records, each with an id that counts on through all files
    read FOLDER             pipelines on standard input
"""

import json
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
import tensorflow as tf  # noqa: E402  The environment must be set first.


def write(folder, sizes):
    number = 0
    for file, size in enumerate(sizes):
        with tf.io.TFRecordWriter(f"{folder}/{file}") as writer:
            for number in range(number, number + size):
                feature = tf.train.Feature(int64_list=tf.train.Int64List(value=[number]))
                example = tf.train.Example(features=tf.train.Features(feature={"id": feature}))
                writer.write(example.SerializeToString())
        number += 1 if size else 0


def parsed(record):
    return tf.io.parse_single_example(record, {"id": tf.io.FixedLenFeature([], tf.int64)})["id"]


def with_stage(dataset, stage):
    name, *numbers = stage
    if name in ("skip", "take", "repeat", "shard"):
        return getattr(dataset, name)(*numbers)
    if name == "batch":
        return dataset.batch(numbers[0], drop_remainder=numbers[1])
    if name == "padded":
        lists = dataset.map(lambda id: tf.repeat(id, id % 5))
        return lists.padded_batch(numbers[0], padding_values=tf.constant(-1, tf.int64), drop_remainder=numbers[1])
    if name == "filter":
        return dataset.filter(lambda id: id % 3 != 0)
    return dataset.map(lambda id: id + 1)


def with_stages(dataset, stages):
    for stage in stages:
        dataset = with_stage(dataset, stage)
    return dataset


def interleaved(folder, inputs, cycle, block):
    """What is interleaved is made of tensors in TensorFlow: sources of one kind, with the same stages behind them."""
    kind, stages = inputs[0]["from"][0], inputs[0]["stages"]
    if kind == "file":
        sources = tf.data.Dataset.from_tensor_slices([f"{folder}/{one['from'][1]}" for one in inputs])
        return sources.interleave(lambda name: with_stages(tf.data.TFRecordDataset(name).map(parsed), stages),
                                  cycle_length=cycle, block_length=block)
    ends = tf.constant([one["from"][1:] for one in inputs], tf.int64)
    return tf.data.Dataset.from_tensor_slices(ends).interleave(
        lambda of: with_stages(tf.data.Dataset.range(of[0], of[1]), stages), cycle_length=cycle, block_length=block)


def source(folder, kind, first, *more):
    if kind == "file":
        return tf.data.TFRecordDataset(f"{folder}/{first}").map(parsed)
    if kind == "interleave":
        return interleaved(folder, first, *more)
    if kind not in ("concatenate", "zip"):
        return tf.data.Dataset.range(first, *more)
    inputs = [dataset_of(folder, one) for one in first]
    if kind == "zip":
        return tf.data.Dataset.zip(tuple(inputs)).map(lambda left, right: left * 1000 + right)
    joined = inputs[0]
    for one in inputs[1:]:
        joined = joined.concatenate(one)
    return joined


def dataset_of(folder, pipeline):
    return with_stages(source(folder, *pipeline["from"]), pipeline["stages"])


def text_of(element):
    if element.ndim < 2:
        return ",".join(map(str, element.reshape(-1)))
    return ";".join(",".join(map(str, row)) for row in element)


if __name__ == "__main__":
    what, folder, *sizes = sys.argv[1:]
    if what == "write":
        write(folder, map(int, sizes))
    else:
        for line in sys.stdin:
            pipeline = json.loads(line)
            elements = dataset_of(folder, pipeline).as_numpy_iterator()
            print(("|" if pipeline["batches"] else ",").join(map(text_of, elements)))
