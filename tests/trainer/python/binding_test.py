"""A module of PyTorch whose parameters are those of a job, without a job; runs with PyTorch's Python."""

import ctypes
import os
import sys
import unittest
from pathlib import Path
from typing import NamedTuple
from unittest import mock

from interop import peers
from support import machine

TORCH = peers.installed_python("torch")
if Path(sys.executable) != TORCH:
    os.execv(TORCH, [TORCH, *sys.argv])

import torch  # noqa: E402

sys.path.insert(0, str(machine.REPOSITORY / "trainer" / "python"))
from carrack import arrays, binding, weights  # noqa: E402
from carrack.__main__ import manifest_lines  # noqa: E402


class Tensor(NamedTuple):
    name: str
    shape: list[int]
    offset: int
    elements: int
    trained: bool


class Norm(torch.nn.Module):
    """With a buffer that it replaces in each pass, and one that no checkpoint has."""

    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.ones(2))
        self.unused = torch.nn.Parameter(torch.ones(3))
        self.register_buffer("mean", torch.zeros(2))
        self.register_buffer("table", torch.zeros(7), persistent=False)

    def forward(self, x):
        self.mean = self.mean * 0.5 + x.detach().mean(dim=0) * 0.5
        return (x - self.mean) * self.scale


class Bound:
    """A module, and the flat buffers of its parameters and gradients."""

    def __init__(self, module):
        self.module, self.tensors, end = module, [], 0
        for name, own in binding.tensors_of(module).items():
            self.tensors.append(Tensor(name, list(own.shape), end, own.numel(), isinstance(own, torch.nn.Parameter)))
            end += own.numel()
        self.flat = (ctypes.c_char * (4 * end))()
        self.values = torch.frombuffer(self.flat, dtype=torch.float32)
        self.binding = binding.Binding(module, self.tensors, self.flat)

    def set(self, values: list[float]) -> None:
        """What comes with a batch."""
        self.values.copy_(torch.tensor(values))
        self.binding.load()

    def gradients(self, records: int) -> list[float]:
        into = (ctypes.c_char * len(self.flat))()
        self.binding.write_gradients(into, records)
        return arrays.torch_tensor(into, arrays.FLOAT32, [len(self.flat) // 4]).tolist()


class Binding(unittest.TestCase):
    def test_holds_parameters_and_the_buffers_of_the_state(self):
        self.assertEqual([(one.name, one.trained) for one in Bound(Norm()).tensors], [("scale", True), ("unused", True), ("mean", False)])

    def test_computes_with_what_comes_and_gives_sums_and_values_back(self):
        for dtype in [torch.float32, torch.float64]:  # As views, and as copies.
            with self.subTest(dtype):
                bound = Bound(Norm().to(dtype))
                for _ in range(2):  # The gradients of the batch before are forgotten.
                    bound.set([2, 3, 0, 0, 0, 4, 8])
                    x = torch.tensor([[1.0, 2.0], [3.0, 6.0]], dtype=dtype)
                    bound.module(x).sum().backward()
                    # The mean is [3, 6]: halfway between [4, 8] and [2, 4].
                    self.assertEqual(bound.gradients(2), [1 + 3 - 2 * 3, 2 + 6 - 2 * 6, 0, 0, 0, 2 * 3, 2 * 6])

    def test_a_module_that_moves_behind_the_back_gets_copies(self):
        bound = Bound(torch.nn.Linear(1, 1))
        bound.set([5, 7])
        self.assertEqual(bound.module.weight.data_ptr(), bound.values.data_ptr())
        bound.module.to(torch.float64)
        bound.set([6, 8])
        self.assertEqual([bound.module.weight.item(), bound.module.bias.item()], [6, 8])

    def test_values_in_the_buffer_are_the_modules(self):
        bound = Bound(torch.nn.Linear(1, 1))
        bound.set([5, 7])
        bound.values[0] = 9
        self.assertEqual(bound.module.weight.item(), 9)

    def test_frozen_parameters_have_no_gradient(self):
        bound = Bound(torch.nn.Linear(1, 1))
        bound.module.weight.requires_grad_(False)
        bound.set([5, 7])
        bound.module(torch.ones(4, 1)).sum().backward()
        self.assertEqual(bound.gradients(4), [0, 4])

    def test_sparse_gradients_are_added_up(self):
        bound = Bound(torch.nn.Embedding(4, 1, sparse=True))
        bound.set([0, 0, 0, 0])
        bound.module(torch.tensor([1, 3, 1])).sum().backward()
        self.assertEqual(bound.gradients(3), [0, 2, 0, 1])

    def test_the_manifest_has_them_with_names_that_yaml_reads_as_text(self):
        module = torch.nn.Module()
        module.register_parameter("w", torch.nn.Parameter(torch.ones(2, 3)))
        module.register_parameter("y", torch.nn.Parameter(torch.ones(2), requires_grad=False))
        module.register_buffer("null", torch.tensor(0.0))
        self.assertEqual(manifest_lines(module), ["tensors:", "- {name: w, shape: [2, 3]}", '- {name: "y", shape: [2], trained: false}',
                                                  '- {name: "null", shape: [], trained: false}'])

    def test_a_parameter_with_two_names_is_one_tensor(self):
        module = torch.nn.Sequential(torch.nn.Linear(2, 2, bias=False), torch.nn.Linear(2, 2, bias=False))
        module[1].weight = module[0].weight
        bound = Bound(module)
        self.assertEqual([one.name for one in bound.tensors], ["0.weight"])
        bound.set([1, 0, 0, 1])
        module(torch.ones(1, 2)).sum().backward()
        self.assertEqual(bound.gradients(1), [2, 2, 2, 2])

    def test_all_bytes_of_a_tensor_of_2_gib_are_saved(self):
        """Nothing reads them here, so the tensor takes no memory."""
        module = torch.nn.Module()
        module.register_buffer("table", torch.empty(2**29))
        with mock.patch.object(weights, "open", mock.mock_open(), create=True) as opened:
            weights.save_weights(module, "table.safetensors")
        _, values = [call.args[0] for call in opened.return_value.write.call_args_list]
        self.assertEqual(len(values), 2**31)


if __name__ == "__main__":
    unittest.main()
