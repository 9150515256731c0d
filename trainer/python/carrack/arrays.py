"""Memory of the library as arrays of whatever the program uses: PyTorch, numpy, or plain memoryviews."""

from __future__ import annotations

import ctypes
import math

FLOAT32, INT64 = 1, 2  # as in carrack.h
FORMATS = {FLOAT32: "f", INT64: "q"}
BYTES = {FLOAT32: 4, INT64: 8}


def numpy_or_none():
    try:
        import numpy
    except ImportError:
        return None
    return numpy


def memory_at(address: int, size: int) -> ctypes.Array:
    """A view of `size` bytes. Whoever makes it sees to it that they stay there."""
    return (ctypes.c_char * size).from_address(address)


def torch_tensor(memory: ctypes.Array, kind: int, shape: list[int], offset: int = 0):
    """A view of the memory from element `offset` on."""
    import torch

    dtype = {FLOAT32: torch.float32, INT64: torch.int64}[kind]
    return torch.frombuffer(memory, dtype=dtype, count=math.prod(shape), offset=offset * BYTES[kind]).view(shape)


def array(memory: ctypes.Array, kind: int, shape: list[int], offset: int = 0):
    """A view of the memory from element `offset` on: an array of numpy, or a memoryview where numpy is not installed."""
    count, size = math.prod(shape), BYTES[kind]
    numpy = numpy_or_none()
    if numpy is not None:
        return numpy.frombuffer(memory, {FLOAT32: "float32", INT64: "int64"}[kind], count, offset * size).reshape(shape)
    return memoryview(memory).cast("B")[offset * size:(offset + count) * size].cast(FORMATS[kind], shape)
