"""DALI's side of bench images, on the CPU; run by DALI's own interpreter.

    wall|cpu THREADS FILE...  prints how many images the better of DECODERS delivers in a second, or in one of CPU time
    mean THREADS FILE...      prints what bench_images mean does
"""

import sys
import time
from pathlib import Path

import numpy as np
from examples_dali import indexes
from nvidia.dali import fn, pipeline_def, tfrecord, types

MEASURED_FOR_S = 3.0
ROWS = 64
# The faster of libjpeg-turbo's two transforms, as ours.
DECODED = {"output_type": types.RGB, "use_fast_idct": True}
RESIZED = {"resize_x": 224, "resize_y": 224, "interp_type": types.INTERP_LINEAR, "antialias": False, "dtype": types.FLOAT}


@pipeline_def(device_id=None, batch_size=ROWS)
def images_in(files, decode):
    encoded = fn.readers.tfrecord(path=files, index_path=indexes(files),
                                  features={"image": tfrecord.FixedLenFeature([], tfrecord.string, "")})["image"]
    return fn.resize(decode(encoded, device="cpu", **DECODED), **RESIZED)


# One to four batches ahead, more threads, and files that are not mapped into memory came out even.
DECODERS = [fn.decoders.image, fn.experimental.decoders.image]


def images_per_second(files, threads, decode, clock) -> float:
    pipeline = images_in(files, decode, num_threads=threads)
    pipeline.build()
    for _ in range(4):
        pipeline.run()
    delivered = 0
    start = clock()
    while clock() - start < MEASURED_FOR_S:
        pipeline.run()
        delivered += ROWS
    return delivered / (clock() - start)


def mean(files, threads) -> tuple[int, float]:
    images = sum(len(Path(index).read_text().splitlines()) for index in indexes(files))
    pipeline = images_in(files, DECODERS[0], num_threads=threads)
    pipeline.build()
    batches = [pipeline.run()[0].as_array() for _ in range(images // ROWS)]
    return images, float(np.mean(batches, dtype=np.float64))


if __name__ == "__main__":
    what, threads, *paths = sys.argv[1:]
    if what == "mean":
        print("%d %.3f" % mean(paths, int(threads)))
    else:
        clock = {"wall": time.monotonic, "cpu": time.process_time}[what]
        print(max(images_per_second(paths, int(threads), decode, clock) for decode in DECODERS))
