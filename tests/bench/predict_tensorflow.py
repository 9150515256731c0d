"""TensorFlow's side of bench predict: for each line of standard input, how many records a second the exported model computes.

    run MODEL RECORDS      by its signature for serialized examples, in the faster of some sizes of a batch
    take FROM TO COUNT     copies the first records of a file
"""

import sys
import time

import tensorflow as tf

BATCHES = [128, 512, 2048]


def seconds(signature, path: str, batch: int) -> tuple[float, int]:
    start, records = time.perf_counter(), 0
    for examples in tf.data.TFRecordDataset(path).batch(batch).prefetch(tf.data.AUTOTUNE):
        outputs = signature(examples=examples)
        records += len(outputs["output"].numpy())
    return time.perf_counter() - start, records


def run(model: str, path: str) -> None:
    loaded = tf.saved_model.load(model)
    signature = loaded.signatures["examples"]
    for batch in BATCHES:
        seconds(signature, path, batch)  # traces and warms up
    best = min(BATCHES, key=lambda batch: seconds(signature, path, batch)[0])
    for _ in sys.stdin:
        took, records = seconds(signature, path, best)
        print(records / took, flush=True)


def take(source: str, to: str, count: str) -> None:
    with tf.io.TFRecordWriter(to) as writer:
        for record in tf.data.TFRecordDataset(source).take(int(count)).as_numpy_iterator():
            writer.write(record)


if __name__ == "__main__":
    {"run": run, "take": take}[sys.argv[1]](*sys.argv[2:])
