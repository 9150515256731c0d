"""Weights in files: what a job begins with, and what it has trained."""

from __future__ import annotations

import ctypes
import json
import os
import struct

from . import _library, arrays, binding
from ._library import Error


def save_weights(module, path: str | os.PathLike) -> None:
    """Writes the parameters of a torch.nn.Module, and its buffers of floating point, as a .safetensors file in float32: one for
    `spec.training.initialWeights.from`."""
    import torch

    tensors, header, end = [], {}, 0
    for name, own in binding.tensors_of(module).items():
        values = own.detach().to("cpu", torch.float32).contiguous()
        size = 4 * values.numel()
        tensors.append((values, size))
        header[name] = {"dtype": "F32", "shape": list(values.shape), "data_offsets": [end, end + size]}
        end += size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for values, size in tensors:
            # ctypes.string_at() has the size as a C int, so it cannot copy 2 GiB or more.
            file.write(arrays.memory_at(values.data_ptr(), size))


def load_checkpoint(path: str | os.PathLike, optimizer: bool = False, numpy: bool = False) -> dict:
    """The tensors of a checkpoint by name, as tensors of PyTorch, or as arrays of numpy. `path` is the checkpoint folder of a job,
    whose last commit is read, its BEST, or the manifest of a checkpoint; a path or a URL. With `optimizer` it has the state of
    the optimizer, too."""
    library = _library.library()
    handle = ctypes.c_void_p()
    if library.carrack_open_checkpoint(os.fspath(path).encode(), ctypes.byref(handle)) != _library.OK:
        raise Error(_library.last_error())
    try:
        return _tensors_in(handle, optimizer, arrays.array if numpy else arrays.torch_tensor)
    finally:
        library.carrack_close_checkpoint(handle)


def _tensors_in(handle: ctypes.c_void_p, optimizer: bool, make) -> dict:
    library = _library.library()
    count = ctypes.c_size_t()
    stored = library.carrack_checkpoint_tensors(handle, ctypes.byref(count))
    tensors = {}
    for number in range(count.value):
        name, kind = stored[number].name.decode(), stored[number].type.decode()
        if stored[number].is_state and not optimizer:
            continue
        if kind != "float32":
            raise Error(f"the checkpoint has '{name}' as {kind}; this release reads float32")
        memory = (ctypes.c_char * stored[number].bytes)()
        if library.carrack_read_tensor(handle, number, memory) != _library.OK:
            raise Error(_library.last_error())
        tensors[name] = make(memory, arrays.FLOAT32, _library.shape_of(stored[number]))
    return tensors
