"""The loop of a worker: batches come with the newest parameters, and sums of gradients go back."""

from __future__ import annotations

import ctypes
import math
import signal
import sys
import threading
import weakref
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from . import _library, arrays, binding
from ._library import Error, UnknownFeature

# How long a handler of a signal may wait until Python runs it.
WAIT_MS = 100


class Tensor(NamedTuple):
    """A tensor of `spec.model.tensors`, and where it is in the flat buffers."""
    name: str
    shape: list[int]
    offset: int
    elements: int
    trained: bool


class Batch(Mapping):
    """The records of a batch, or this worker's part of it: `batch["x"]` has the feature x of all of them, the records first. The
    arrays are views of the library's memory, which stays as long as any of them."""

    def __init__(self, step: int, records: int, columns: dict):
        self.step = step
        self.records = records
        self._columns = columns

    def __getitem__(self, feature: str):
        if feature not in self._columns:
            raise UnknownFeature(f"spec.data.features has no '{feature}'; it has {', '.join(self._columns)}")
        return self._columns[feature]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)


class Job:
    """What join() returns. For one thread at a time."""

    def __init__(self, step_seconds: int):
        self._library = _library.library()
        self._handle = ctypes.c_void_p()
        options = _library.Options(step_seconds)
        if self._library.carrack_join(ctypes.byref(options), ctypes.byref(self._handle)) != _library.OK:
            raise Error(_library.last_error(), self._library.carrack_exit_code(None))
        count = ctypes.c_size_t()
        tensors = self._library.carrack_tensors(self._handle, ctypes.byref(count))
        self.tensors = [Tensor(one.name.decode(), _library.shape_of(one), one.offset, one.elements, bool(one.trained))
                        for one in tensors[:count.value]]
        self._flat = (ctypes.c_char * (4 * sum(tensor.elements for tensor in self.tensors)))()
        self.parameters = {tensor.name: arrays.array(self._flat, arrays.FLOAT32, tensor.shape, tensor.offset)
                           for tensor in self.tensors}
        self._binding: binding.Binding | None = None
        self._batch: _library.BatchStruct | None = None
        self._is_left = False
        self._before = None
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGTERM, self._terminate)

    def _terminate(self, *_) -> None:
        self.request_leave()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)

    def request_leave(self) -> None:
        """Ends the loop after the present batch: another worker takes the next ones. SIGTERM does the same. Without effect once
        the job is left."""
        self._library.carrack_request_leave(self._handle)

    def bind(self, module) -> None:
        """Puts the parameters of each batch into this torch.nn.Module, and lets push() take the gradients from there. Its
        parameters and its buffers of floating point must be the tensors of spec.model.tensors."""
        self._binding = binding.Binding(module, self.tensors, self._flat)

    def __iter__(self) -> Iterator[Batch]:
        if self._is_left:
            raise Error("the job is left: batches come only within `with carrack.join() as job`")
        while True:
            found = _library.BatchStruct()
            status = self._library.carrack_next(self._handle, WAIT_MS, ctypes.byref(found))
            if status == _library.TIMEOUT:
                continue
            if status in (_library.DONE, _library.LEAVE):
                return
            if status != _library.OK:
                raise self._failure(status)
            self._batch = found
            ctypes.memmove(self._flat, found.parameters, len(self._flat))
            if self._binding is not None:
                self._binding.load()
            yield Batch(found.step, found.records, {column.name.decode(): self._column(column)
                                                    for column in found.columns[:found.column_count]})

    def _column(self, column: _library.ColumnStruct):
        shape = _library.shape_of(column)
        size = arrays.BYTES[column.type]
        for dimension in shape:
            size *= dimension
        memory = arrays.memory_at(column.values, size)
        held = self._library.carrack_hold_columns(self._handle)
        weakref.finalize(memory, self._library.carrack_release_columns, held).atexit = False
        make = arrays.array if self._binding is None else arrays.torch_tensor
        return make(memory, column.type, shape)

    def push(self, loss, gradients: Mapping | None = None) -> None:
        """Sends the sum of the gradients over all records of the batch, and the sum of their losses. The gradients are those of
        the module that was bound; else `gradients` has them by the tensors' names, as float32 of their shapes. A tensor with
        `trained: false` has its value times the records in their place."""
        if self._batch is None:
            raise Error("push: there is no batch to push gradients of; push once for each batch of the loop")
        if (gradients is None) == (self._binding is None):
            raise Error("push: takes the gradients of the module that was bound, or `gradients`, and needs one of them")
        records = self._batch.records
        into = arrays.memory_at(self._batch.gradients, len(self._flat))
        if self._binding is not None:
            self._binding.write_gradients(into, records)
        else:
            write_gradients(gradients, self.tensors, into)
        status = self._library.carrack_push(self._handle, records, number_of(loss))
        if status != _library.OK:
            raise self._failure(status)
        self._batch = None

    def _failure(self, status: int) -> Error:
        exit_code = self._library.carrack_exit_code(self._handle) if status == _library.FAILED else _library.USER_ERROR
        return Error(_library.last_error(), exit_code)

    def __enter__(self) -> Job:
        return self

    def __exit__(self, kind, error, trace) -> None:
        """Leaves the job. Ends the process with the exit code that says how the job went, unless the job is done, or an exception
        of the program's own does so."""
        if self._before is not None:
            signal.signal(signal.SIGTERM, self._before)
        self._batch, self._is_left = None, True
        exit_code = self._library.carrack_leave(self._handle)
        if isinstance(error, Error):
            print(error, file=sys.stderr, flush=True)
            sys.exit(error.exit_code)
        if error is None and exit_code != 0:
            sys.exit(exit_code)


def join(step_seconds: int = 1800) -> Job:
    """Joins the job as the worker that the environment of this process names. A program that has not pushed the gradients of a
    batch within `step_seconds` is taken to hang, and ends."""
    try:
        return Job(step_seconds)
    except Error as error:
        print(error, file=sys.stderr, flush=True)
        sys.exit(error.exit_code)


def number_of(loss) -> float:
    shape = list(getattr(loss, "shape", ()))
    if math.prod(shape) != 1:
        raise Error(f"push: the loss is of shape {shape}; push one number, the sum over the records of the batch")
    try:
        return float(loss.item() if hasattr(loss, "item") else loss)
    except (TypeError, ValueError):
        raise Error(f"push: the loss is of type {type(loss).__name__}; push one number, the sum over the records of the batch") from None


def view_of(gradient, tensor: Tensor) -> memoryview:
    try:
        return memoryview(gradient)
    except TypeError:
        raise Error(f"push: '{tensor.name}' is of type {type(gradient).__name__}, and must be an array of float32 {tensor.shape}, "
                    "such as numpy's") from None


def write_gradients(gradients: Mapping, tensors: list[Tensor], into: ctypes.Array) -> None:
    unknown = gradients.keys() - {tensor.name for tensor in tensors}
    if unknown:
        raise Error(f"push: spec.model.tensors has no '{min(unknown)}'")
    for tensor in tensors:
        if tensor.name not in gradients:
            if tensor.trained:
                continue  # It has no part in these records' losses.
            raise Error(f"push: '{tensor.name}' is not trained, so its value times the records of the batch is needed")
        values = view_of(gradients[tensor.name], tensor)
        if values.format != "f" or list(values.shape) != tensor.shape:
            raise Error(f"push: '{tensor.name}' is {values.format} {list(values.shape)}, and must be float32 {tensor.shape}")
        memory = memoryview(into).cast("B")[4 * tensor.offset:4 * (tensor.offset + tensor.elements)]
        memory[:] = values.tobytes()
