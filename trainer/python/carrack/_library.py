"""libcarrack.so, by ctypes: its functions and structs are those of carrack.h."""

from __future__ import annotations

import ctypes
import functools
from pathlib import Path

OK, TIMEOUT, DONE, LEAVE, FAILED, MISUSE = range(6)
USER_ERROR = 81


class Error(Exception):
    """The job has failed, or the program has used this package as it must not. `exit_code` is how the process should end."""

    def __init__(self, text: str, exit_code: int = USER_ERROR):
        super().__init__(text)
        self.exit_code = exit_code


class UnknownFeature(Error, KeyError):
    """As a KeyError it lets `in` and get() of a batch work."""

    __str__ = Exception.__str__  # KeyError's is the text in quotes.


class Options(ctypes.Structure):
    _fields_ = [("step_seconds", ctypes.c_int64)]


class TensorStruct(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("rank", ctypes.c_size_t), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("offset", ctypes.c_int64), ("elements", ctypes.c_int64), ("trained", ctypes.c_int)]


class ColumnStruct(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("type", ctypes.c_int), ("rank", ctypes.c_size_t),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("values", ctypes.c_void_p)]


class BatchStruct(ctypes.Structure):
    _fields_ = [("step", ctypes.c_uint64), ("records", ctypes.c_int64), ("column_count", ctypes.c_size_t),
                ("columns", ctypes.POINTER(ColumnStruct)), ("parameters", ctypes.c_void_p), ("gradients", ctypes.c_void_p)]


class StoredTensorStruct(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("type", ctypes.c_char_p), ("rank", ctypes.c_size_t),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("bytes", ctypes.c_uint64), ("is_state", ctypes.c_int)]


def shape_of(struct) -> list[int]:
    return [struct.shape[i] for i in range(struct.rank)]


HANDLE, COUNT = ctypes.c_void_p, ctypes.POINTER(ctypes.c_size_t)
FUNCTIONS = {  # the result, and the arguments
    "carrack_last_error": (ctypes.c_char_p, []),
    "carrack_join": (ctypes.c_int, [ctypes.POINTER(Options), ctypes.POINTER(HANDLE)]),
    "carrack_tensors": (ctypes.POINTER(TensorStruct), [HANDLE, COUNT]),
    "carrack_next": (ctypes.c_int, [HANDLE, ctypes.c_int64, ctypes.POINTER(BatchStruct)]),
    "carrack_push": (ctypes.c_int, [HANDLE, ctypes.c_int64, ctypes.c_double]),
    "carrack_hold_columns": (ctypes.c_void_p, [HANDLE]),
    "carrack_release_columns": (None, [ctypes.c_void_p]),
    "carrack_request_leave": (None, [HANDLE]),
    "carrack_exit_code": (ctypes.c_int, [HANDLE]),
    "carrack_leave": (ctypes.c_int, [HANDLE]),
    "carrack_open_checkpoint": (ctypes.c_int, [ctypes.c_char_p, ctypes.POINTER(HANDLE)]),
    "carrack_checkpoint_tensors": (ctypes.POINTER(StoredTensorStruct), [HANDLE, COUNT]),
    "carrack_read_tensor": (ctypes.c_int, [HANDLE, ctypes.c_size_t, ctypes.c_void_p]),
    "carrack_close_checkpoint": (None, [HANDLE]),
}


@functools.cache
def library() -> ctypes.CDLL:
    # Those of this Python are loaded first: the ones beside libcarrack.so may be older than the Python of the image needs.
    for module in ("ssl", "zlib"):
        try:
            __import__(module)
        except ImportError:
            pass  # A Python without it needs no library for it.
    loaded = ctypes.CDLL(str(Path(__file__).with_name("libcarrack.so")))
    for name, (result, arguments) in FUNCTIONS.items():
        getattr(loaded, name).restype = result
        getattr(loaded, name).argtypes = arguments
    return loaded


def last_error() -> str:
    return library().carrack_last_error().decode(errors="replace")
