"""TensorFlow's side of images_test.py; run by its own interpreter.

    make FOLDER             writes images as TensorFlow's encoders make them, and 600 damaged ones of those in the folder
    compare FOLDER OURS     for each image of the folder and each way in which interop_images has decoded it into OURS prints
                            a line IMAGE WAY OUTCOME: `differs N`, at most so much, `other shape`, or whose fault it is
"""

import os
import random
import sys
from pathlib import Path

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
import numpy as np  # noqa: E402  The environment must be set first.
import tensorflow as tf  # noqa: E402


def decoded(image, **ways):
    if image[:3] == b"\xff\xd8\xff":
        return tf.io.decode_jpeg(image, **{"channels": 3} | ways)
    return tf.io.decode_png(image, channels=ways.get("channels", 3))


def resized(image, height, width, method="bilinear"):
    return tf.cast(tf.image.resize(image, [height, width], method), tf.float32)


def trained_on(image):
    pixels = resized(tf.image.central_crop(decoded(image), 0.875), 24, 24)
    return tf.transpose(pixels / [127.5, 100, 255] + [-1, 0.5, 0], [2, 0, 1])


WAYS = {
    "channels0": lambda image: decoded(image, channels=0),
    "channels1": lambda image: decoded(image, channels=1),
    "channels3": decoded,
    "channels4": lambda image: decoded(image, channels=4),
    "accurate": lambda image: decoded(image, dct_method="INTEGER_ACCURATE"),
    "repeated": lambda image: decoded(image, fancy_upscaling=False),
    "central": lambda image: tf.image.central_crop(decoded(image), 0.37),
    "box": lambda image: tf.image.crop_to_bounding_box(decoded(image), 3, 18, 9, 10),
    "smaller": lambda image: resized(decoded(image), 7, 9),
    "larger": lambda image: resized(decoded(image), 71, 83),
    "of_grey": lambda image: resized(decoded(image, channels=1), 20, 30),
    "nearest": lambda image: resized(decoded(image), 19, 40, "nearest"),
    "area": lambda image: resized(decoded(image), 13, 11, "area"),
    "area_larger": lambda image: resized(decoded(image), 71, 83, "area"),
    "mirrored": lambda image: resized(tf.image.flip_left_right(decoded(image)), 16, 16),
    "trained_on": trained_on,
}


def ours_of(path):
    head, _, values = path.read_bytes().partition(b"\n")
    if head.startswith(b"fault"):
        return head.decode()
    *shape, dtype = head.decode().split()
    return np.frombuffer(values, dtype).reshape([int(size) for size in shape])


def theirs_of(way, image):
    try:
        return WAYS[way](image).numpy()
    except (tf.errors.InvalidArgumentError, ValueError):
        return None


def outcome(ours, theirs, way):
    if isinstance(ours, str):
        return "fault" if theirs is None else f"our {ours}"
    if theirs is None:
        return "their fault"
    if way == "trained_on":
        ours = ours.reshape(np.roll(ours.shape, 1))
    if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
        return "other shape"
    return f"differs {np.abs(ours.astype(np.float64) - theirs).max():.7f}"


def compare(folder, ours):
    for path in sorted(ours.iterdir()):
        name, way = path.name.rsplit(".", 1)
        image = (folder / name).read_bytes()
        print(name, way, outcome(ours_of(path), theirs_of(way, image), way), flush=True)


def pictures(draw):
    for height, width in [(1, 1), (5, 3), (64, 48), (97, 131)]:
        steps = np.cumsum(draw.normal(0, 12, [height, width, 3]), axis=1)
        yield np.clip(steps + np.linspace(20, 220, height)[:, None, None], 0, 255).astype(np.uint8)


def make(folder):
    for number, picture in enumerate(pictures(np.random.default_rng(1))):
        for quality in (40, 95):
            for sampled in (False, True):
                for progressive in (False, True):
                    made = tf.io.encode_jpeg(picture, quality=quality, chroma_downsampling=sampled, progressive=progressive)
                    (folder / f"theirs_{number}_{quality}_{sampled:d}{progressive:d}_jpeg").write_bytes(made.numpy())
        (folder / f"theirs_{number}_png").write_bytes(tf.io.encode_png(picture).numpy())
        deep = tf.cast(picture, tf.uint16) * 257 - 3
        (folder / f"theirs_{number}_deep_png").write_bytes(tf.io.encode_png(deep).numpy())
    draw = random.Random(1)
    whole = sorted(folder.iterdir())
    for number in range(600):
        image = bytearray(draw.choice(whole).read_bytes())
        if number % 3 == 0:
            del image[draw.randrange(len(image)):]
        for _ in range(number % 3):
            image[draw.randrange(len(image))] = draw.randrange(256)
        (folder / f"damaged_{number}").write_bytes(image)


if __name__ == "__main__":
    what, *folders = sys.argv[1:]
    (make if what == "make" else compare)(*map(Path, folders))
