"""tf.data's side of bench images; run by TensorFlow's own interpreter.

    make COUNT FILE...    writes the files of tf.Examples, COUNT photograph-like JPEGs of 500x375 each, drawn from a fixed seed
    wall|cpu FILE...      prints how many images the best of SETTINGS delivers in a second, or in one of CPU time
    checksum FILE...      prints what bench_images checksum does
"""

import os
import sys
import time

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
import numpy as np  # noqa: E402  The environment must be set first.
import tensorflow as tf  # noqa: E402

MEASURED_FOR_S = 3.0
ROWS = 64
HEIGHT, WIDTH, QUALITY = 375, 500, 93  # 96 KiB
AUTOTUNE = tf.data.AUTOTUNE


def photograph(draw):
    """Noise that is the weaker the finer, as in pictures of the world; its colours are alike."""
    frequency = np.hypot(np.fft.fftfreq(HEIGHT)[:, None], np.fft.fftfreq(WIDTH))
    frequency[0, 0] = 1
    planes = np.fft.ifft2(np.fft.fft2(draw.standard_normal([4, HEIGHT, WIDTH])) / frequency**1.2).real
    planes /= planes.std(axis=(1, 2), keepdims=True)
    return np.clip(128 + 36 * planes[0] + 14 * planes[1:], 0, 255).astype(np.uint8).transpose(1, 2, 0)


def make(count, files):
    draw = np.random.default_rng(1)
    for path in files:
        with tf.io.TFRecordWriter(path) as writer:
            for _ in range(count):
                image = tf.io.encode_jpeg(photograph(draw), quality=QUALITY).numpy()
                feature = tf.train.Feature(bytes_list=tf.train.BytesList(value=[image]))
                writer.write(tf.train.Example(features=tf.train.Features(feature={"image": feature})).SerializeToString())


def image_of(record):
    image = tf.io.parse_single_example(record, {"image": tf.io.FixedLenFeature([], tf.string)})["image"]
    return tf.image.resize(tf.io.decode_jpeg(image, channels=3), [224, 224])


def batches(files, calls, deterministic):
    records = tf.data.TFRecordDataset(files, buffer_size=1 << 20)
    images = records.repeat().map(image_of, num_parallel_calls=calls, deterministic=deterministic)
    return images.batch(ROWS, drop_remainder=True).prefetch(AUTOTUNE)


# 1 to 8 calls came out even, and so did reads and batches in parallel and pools of threads of other sizes; to parse whole
# batches was slower.
SETTINGS = [(AUTOTUNE, True), (4, False)]


def images_per_second(dataset, clock) -> float:
    found = iter(dataset)
    for _ in range(4):  # Until all is traced, and the pipeline runs.
        next(found)
    delivered = 0
    start = clock()
    while clock() - start < MEASURED_FOR_S:
        next(found)
        delivered += ROWS
    return delivered / (clock() - start)


def checksum(files) -> tuple[int, int]:
    images = total = 0
    for image in tf.data.TFRecordDataset(files).map(image_of, num_parallel_calls=AUTOTUNE).as_numpy_iterator():
        images += 1
        total += int(image.view(np.uint32).sum(dtype=np.uint64))
    return images, total % 2**64


if __name__ == "__main__":
    what, *rest = sys.argv[1:]
    if what == "make":
        make(int(rest[0]), rest[1:])
    elif what == "checksum":
        print(*checksum(rest))
    else:
        clock = {"wall": time.monotonic, "cpu": time.process_time}[what]
        print(max(images_per_second(batches(rest, *settings), clock) for settings in SETTINGS))
