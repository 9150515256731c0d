"""Images of circles, squares and triangles in TFRecords as those of ImageNet, and residual networks that tell them apart."""

import json
from pathlib import Path

import yaml
from interop.tensorflow_program import EXAMPLES

EXAMPLE = Path(__file__).resolve().parents[2] / "crds/examples/resnet18.yaml"
CLASSES = ["circle", "square", "triangle"]

# Writes records, and the same as arrays: levels from 0 to 255, and numbers of classes. A shape is brighter than what is
# behind it, both have any colors, and all pixels are noisy.
WRITE = EXAMPLES + """
import numpy as np

path, seed, count, size, noise = sys.argv[1], *map(int, sys.argv[2:])
random = np.random.default_rng(seed)
lines, columns = np.mgrid[:size, :size]

def mask(kind):
    radius = random.uniform(size / 8, size / 4)
    y, x = random.uniform(radius, size - radius, 2)
    down, right = (lines - y) / radius, (columns - x) / radius
    if kind == 0:
        return down ** 2 + right ** 2 < 0.8
    if kind == 1:
        return np.maximum(abs(down), abs(right)) < 0.8
    return (down < 0.7) & (2 * abs(right) < down + 1.3)

def picture(kind):
    inside, outside = random.uniform(127, 255, 3), random.uniform(0, 127, 3)
    pixels = np.where(mask(kind)[..., None], inside, outside) + random.normal(0, noise, (size, size, 3))
    return tf.io.encode_jpeg(pixels.clip(0, 255).astype(np.uint8), quality=95).numpy()

classes = random.integers(3, size=count)
encoded = [picture(kind) for kind in classes]
write(path, ({"image/encoded": [image], "image/class/label": [int(kind)]} for image, kind in zip(encoded, classes)))
np.savez(path + ".npz", pixels=np.stack([tf.io.decode_image(image).numpy() for image in encoded]), classes=classes)
"""

# Writes checkpoints as numpy's archives: NUMBER.npz for the NUMBERth prefix.
DUMP = """
import sys
import numpy as np
import tensorflow as tf
folder, *prefixes = sys.argv[1:]
for number, prefix in enumerate(prefixes):
    reader = tf.train.load_checkpoint(prefix)
    arrays = {name: reader.get_tensor(name) for name in reader.get_variable_to_shape_map()}
    np.savez(f"{folder}/{number}.npz", **{name: array for name, array in arrays.items() if isinstance(array, np.ndarray)})
"""


def convolution(name: str, reads: str, filters: int, strides: int = 1, size: int = 3) -> list[dict]:
    """With its BatchNorm, which is NAME_norm."""
    of_convolution = {"kind": "Conv2D", "name": name, "inputs": [reads], "filters": filters, "kernelSize": [size], "strides": [strides],
                      "padding": "Same", "bias": False, "kernelInitializer": "HeNormal"}
    return [of_convolution, {"kind": "BatchNorm", "name": f"{name}_norm", "momentum": 0.9}]


def relu(name: str, reads: str) -> dict:
    return {"kind": "Activation", "name": name, "inputs": [reads], "activation": "ReLU"}


def small_layers(size: int) -> list[dict]:
    """Three blocks, of 8, 16 and 32 filters; the second and the third one halve the image."""
    layers = [{"kind": "Reshape", "name": "pixels", "inputs": ["image/encoded"], "shape": [size, size, 3]},
              *convolution("stem", "pixels", 8), relu("block0", "stem_norm")]
    for number, filters in enumerate((8, 16, 32), 1):
        before, block = f"block{number - 1}", f"block{number}"
        layers += convolution(f"{block}_a", before, filters, 1 if number == 1 else 2) + [relu(f"{block}_between", f"{block}_a_norm")]
        layers += convolution(f"{block}_b", f"{block}_between", filters)
        shortcut = before if number == 1 else f"{block}_short_norm"
        layers += [] if number == 1 else convolution(f"{block}_short", before, filters, 2, 1)
        layers += [{"kind": "Add", "name": f"{block}_sum", "inputs": [f"{block}_b_norm", shortcut]}, relu(block, f"{block}_sum")]
    return layers + [{"kind": "GlobalAveragePool2D"}, {"kind": "Dense", "name": "classes", "units": len(CLASSES)}]


def resnet18_layers(size: int) -> list[dict]:
    """Those of the example, for images of this size."""
    layers = yaml.safe_load(EXAMPLE.read_text())["spec"]["model"]["layers"]
    layers[0]["shape"] = [size, size, 3]
    return layers


def without_kinks(layers: list[dict]) -> list[dict]:
    """The same network with SiLU instead of ReLU, and means instead of maxima."""
    smooth = {"ReLU": {"activation": "SiLU"}, "MaxPool2D": {"kind": "AveragePool2D"}}
    return [layer | smooth.get(layer.get("activation", layer["kind"]), {}) for layer in layers]


def manifest(layers: list[dict], data: Path, size: int, checkpoints: str, training: dict, stages: list, every_steps: int) -> str:
    """Of a job of one process, as JSON, which is YAML, too."""
    example = yaml.safe_load(EXAMPLE.read_text())
    features = example["spec"]["data"]["features"]
    features["image/encoded"]["image"] = {"height": size, "width": size, "white": 1}
    model = example["spec"]["model"] | {"layers": layers}
    spec = {"strategy": "Single", "model": model, "data": {"train": {"files": [str(data)], "stages": stages}, "features": features},
            "training": training, "checkpoint": {"folder": checkpoints, "everySteps": every_steps}}
    return json.dumps(example | {"spec": spec})
