"""A torch.nn.Module whose parameters are those of the job."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import arrays
from ._library import Error

if TYPE_CHECKING:
    from .job import Tensor


def tensors_of(module) -> dict:
    """What a job holds of a module, by name: its parameters, and the buffers of floating point that its state_dict() has."""
    import torch

    stored = module.state_dict().keys()
    buffers = {name: buffer for name, buffer in module.named_buffers() if name in stored and torch.is_floating_point(buffer)}
    return dict(module.named_parameters()) | buffers


def first_difference(found: dict, tensors: list[Tensor]) -> str | None:
    """Where the module is not as spec.model.tensors says; None if it is."""
    import torch

    for tensor in tensors:
        if tensor.name not in found:
            return f"spec.model.tensors has '{tensor.name}', which is no parameter of the module, and no buffer of its state"
        own = found[tensor.name]
        if list(own.shape) != tensor.shape:
            return f"'{tensor.name}' has the shape {list(own.shape)} in the module, and {tensor.shape} in spec.model.tensors"
        if tensor.trained and not isinstance(own, torch.nn.Parameter):
            return f"'{tensor.name}' is a buffer of the module, so it needs `trained: false` in spec.model.tensors"
        if not torch.is_floating_point(own):
            return f"'{tensor.name}' is {own.dtype} in the module; only numbers of floating point can be trained"
    for name in found:
        if name not in {tensor.name for tensor in tensors}:
            return f"spec.model.tensors lacks '{name}' of the module; `python -m carrack tensors` prints all of them"
    return None


class Binding:
    """Tensors of the module in float32 on the CPU become views of `flat`; others get copies of what is there."""

    def __init__(self, module, tensors: list[Tensor], flat):
        difference = first_difference(tensors_of(module), tensors)
        if difference is not None:
            raise Error(f"bind: {difference}")
        self._module = module
        self._tensors = tensors
        self._views = {tensor.name: arrays.torch_tensor(flat, arrays.FLOAT32, tensor.shape, tensor.offset) for tensor in tensors}
        for name, own in tensors_of(module).items():
            view = self._views[name]
            if own.device == view.device and own.dtype == view.dtype:
                own.data = view

    def load(self) -> None:
        """Sets the parameters to what is in `flat`, and forgets the gradients of the batch before."""
        import torch

        with torch.no_grad():
            for name, own in tensors_of(self._module).items():
                own.grad = None
                if own.data_ptr() != self._views[name].data_ptr():
                    own.copy_(self._views[name])

    def write_gradients(self, into, records: int) -> None:
        import torch

        found = tensors_of(self._module)
        with torch.no_grad():
            for tensor in self._tensors:
                own = found[tensor.name]
                place = arrays.torch_tensor(into, arrays.FLOAT32, tensor.shape, tensor.offset)
                if not tensor.trained:
                    place.copy_(own).mul_(records)
                elif own.grad is not None:  # Else it has no part in these records' losses.
                    place.copy_(own.grad.to_dense() if own.grad.is_sparse else own.grad)
