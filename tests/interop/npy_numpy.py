"""numpy's side of npy_test.py; run by its own interpreter.

    write FOLDER    writes arrays of every type, in both orders of bytes, as npy and npz
    read FILE...    prints what interop_sources does
"""

import itertools
import sys

import numpy as np

TYPES = ["?", "u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f2", "f4", "f8"]
SHAPES = [(0,), (1,), (13,), (5, 1), (40, 3), (7, 2, 3), (3, 0)]


def drawn(draw, dtype, shape):
    kind = np.dtype(dtype).kind
    if kind == "b":
        return draw.integers(0, 2, shape).astype(dtype)
    if kind == "f":
        values = draw.standard_normal(shape) * 10.0 ** draw.integers(-5, 5, shape)
        special = draw.choice([np.nan, np.inf, -np.inf, -0.0, 1e-7], shape)
        return np.where(draw.random(shape) < 0.1, special, values).astype(dtype)
    limits = np.iinfo(dtype)
    return draw.integers(limits.min, min(limits.max, 2**63 - 1), shape, dtype=np.dtype(dtype).newbyteorder("="),
                         endpoint=True).astype(dtype)


def write(folder):
    draw = np.random.default_rng(1)
    arrays = {}
    for order, dtype, shape in itertools.product("<>", TYPES, SHAPES):
        name = f"{'big' if order == '>' else 'little'}_{dtype.replace('?', 'b')}_{'x'.join(map(str, shape))}"
        arrays[name] = drawn(draw, order + dtype, shape)
    for number, (name, array) in enumerate(arrays.items()):
        with open(f"{folder}/{name}.npy", "wb") as file:
            np.lib.format.write_array(file, array, version=[(1, 0), (2, 0), (3, 0)][number % 3])
    np.savez(f"{folder}/stored.npz", **arrays)
    np.savez_compressed(f"{folder}/deflated.npz", **arrays)


def lines_of(array):
    """As float32, and as int64 where the numbers are whole."""
    print(array.dtype.newbyteorder("=").name, *array.shape)
    with np.errstate(over="ignore"):
        for kind, bits in [("f4", "u4")] + ([("i8", "i8")] if array.dtype.kind != "f" else []):
            values = np.ascontiguousarray(array.astype(kind)).reshape(-1)
            print(*("nan" if kind == "f4" and np.isnan(value) else value.view(bits) for value in values))


def read(files):
    for name in files:
        loaded = np.load(name)
        if isinstance(loaded, np.ndarray):
            lines_of(loaded)
            continue
        for array in sorted(loaded.files):
            lines_of(loaded[array])


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write(sys.argv[2])
    else:
        read(sys.argv[2:])
