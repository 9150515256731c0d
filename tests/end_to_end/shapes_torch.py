"""PyTorch's side of torch_test.py for residual networks of images, by its own interpreter.

    steps RECORDS BATCH STEPS LANES KINKS BEFORE AFTER  takes steps from BEFORE on, in double precision, and prints for each tensor
                                                        how far its change in AFTER is from that, and how far PyTorch's is in
                                                        single precision; without KINKS (0) by SiLU, and means of windows
    accuracies TRAIN TEST BATCH EPOCHS RUNS TRAINED...  prints the accuracies on TEST of the networks TRAINED, and of as many RUNS
                                                        of PyTorch

Files are numpy's archives. Weights are named and laid out as Carrack's.
"""

import json
import math
import sys
from pathlib import Path

import torch
from networks_torch import Tensors, load, resume, weights_of
from torch import nn
from torch.nn import functional

RATE, EPSILON = 0.02, 1e-3


def padded(x: torch.Tensor, size: int, stride: int, value: float = 0.0) -> torch.Tensor:
    """As TensorFlow pads by "SAME": an odd pixel is behind the image."""
    pads = []
    for pixels in (x.shape[3], x.shape[2]):
        pad = max(0, (-(-pixels // stride) - 1) * stride + size - pixels)
        pads += [pad // 2, pad - pad // 2]
    return functional.pad(x, pads, value=value)


def convolved(w: Tensors, x: torch.Tensor, name: str, stride: int = 1) -> torch.Tensor:
    kernel = w[f"{name}/kernel"].permute(3, 2, 0, 1)
    return functional.conv2d(padded(x, kernel.shape[2], stride), kernel, stride=stride)


def maxima(x: torch.Tensor) -> torch.Tensor:
    return functional.max_pool2d(padded(x, 3, 2, -torch.inf), 3, 2)


def means(x: torch.Tensor) -> torch.Tensor:
    """Without the padding."""
    return functional.avg_pool2d(padded(x, 3, 2), 3, 2) / functional.avg_pool2d(padded(torch.ones_like(x), 3, 2), 3, 2)


class Network:
    """The stem, blocks and classes of a network, by the names of its weights, with BatchNorm over lanes of a batch or, without
    lanes, by its moving averages."""

    def __init__(self, weights: Tensors, moving: Tensors, lanes: int, kinks: bool = True):
        self.w, self.moving, self.lanes = weights, moving, lanes
        self.activate, self.pool = (torch.relu, maxima) if kinks else (functional.silu, means)

    def normal(self, x: torch.Tensor, name: str, stride: int = 1) -> torch.Tensor:
        x, norm = convolved(self.w, x, name, stride), f"{name}_norm"
        moments = self.moving[f"{norm}/moving_mean"], self.moving[f"{norm}/moving_variance"]
        trained = self.w[f"{norm}/gamma"], self.w[f"{norm}/beta"]
        if self.lanes == 0:
            return functional.batch_norm(x, *moments, *trained, False, 0.1, EPSILON)
        return torch.cat([functional.batch_norm(lane, *moments, *trained, True, 0.1, EPSILON) for lane in x.tensor_split(self.lanes)])

    def scores(self, pixels: torch.Tensor) -> torch.Tensor:
        x = pixels.permute(0, 3, 1, 2)
        if self.w["stem/kernel"].shape[0] == 7:  # ResNet-18
            x = self.pool(self.activate(self.normal(x, "stem", 2)))
        else:
            x = self.activate(self.normal(x, "stem"))
        number = 1
        while f"block{number}_a/kernel" in self.w:
            halves = f"block{number}_short/kernel" in self.w
            shortcut = self.normal(x, f"block{number}_short", 2) if halves else x
            inner = self.activate(self.normal(x, f"block{number}_a", 2 if halves else 1))
            x, number = self.activate(self.normal(inner, f"block{number}_b") + shortcut), number + 1
        return x.mean((2, 3)) @ self.w["classes/kernel"] + self.w["classes/bias"]


def records_of(path: Path, dtype: torch.dtype) -> tuple[torch.Tensor, torch.Tensor]:
    records = load(path)
    return records["pixels"].to(dtype) / 255, records["classes"]


def moving_of(tensors: Tensors) -> Tensors:
    return {name: tensor.clone() for name, tensor in tensors.items() if name.endswith(("/moving_mean", "/moving_variance"))}


def trained(dtype: torch.dtype, records: str, batch: int, steps: int, lanes: int, kinks: int, before: str) -> Tensors:
    """The weights after the steps; as many steps were taken before."""
    pixels, classes = records_of(Path(records), dtype)
    saved = {name: tensor.to(dtype) if tensor.is_floating_point() else tensor for name, tensor in load(Path(before)).items()}
    weights = weights_of(saved)
    network = Network(weights, moving_of(saved), lanes, kinks == 1)
    optimizer = torch.optim.SGD(weights.values(), RATE, momentum=0.9)
    resume(optimizer, RATE, weights, saved)
    for number in range(steps, 2 * steps):
        rows = slice(number * batch, (number + 1) * batch)
        optimizer.zero_grad()
        functional.cross_entropy(network.scores(pixels[rows]), classes[rows]).backward()
        optimizer.step()
    return weights


def differences(records: str, batch: int, steps: int, lanes: int, kinks: int, before: str, after: str) -> dict[str, dict[str, float]]:
    exact, single = (trained(dtype, records, batch, steps, lanes, kinks, before) for dtype in (torch.float64, torch.float32))
    saved, ours = load(Path(before)), load(Path(after))

    def apart(found: Tensors) -> dict[str, float]:
        return {name: ((found[name] - weight).norm() / (weight - saved[name]).norm()).item() for name, weight in exact.items()}

    return {"ours": apart(ours), "single": apart(single)}


def drawn(name: str, like: torch.Tensor) -> torch.Tensor:
    """As the manifest has it: HeNormal of convolutions, GlorotUniform of the last layer."""
    weight = torch.zeros_like(like)
    inputs = weight.numel() // weight.shape[-1]
    if name == "classes/kernel":
        nn.init.xavier_uniform_(weight)
    elif name.endswith("/kernel"):
        deviation = (2 / inputs) ** 0.5 / 0.87962566  # of the normal distribution, before it is cut at two deviations
        nn.init.trunc_normal_(weight, 0, deviation, -2 * deviation, 2 * deviation)
    elif name.endswith(("/gamma", "/moving_variance")):
        weight[:] = 1
    return weight


def accuracy(network: Network, pixels: torch.Tensor, classes: torch.Tensor) -> float:
    with torch.no_grad():
        return (network.scores(pixels).argmax(1) == classes).double().mean().item()


def accuracies(train: str, test: str, batch: int, epochs: int, runs: int, *trained: str) -> dict[str, list[float]]:
    pixels, classes = records_of(Path(train), torch.float32)
    held_out = records_of(Path(test), torch.float32)
    ours = [{name: tensor.float() for name, tensor in load(Path(one)).items() if tensor.is_floating_point()} for one in trained]
    found = {"ours": [accuracy(Network(one, one, 0), *held_out) for one in ours], "theirs": []}
    for seed in range(runs):
        torch.manual_seed(seed)
        weights = {name: drawn(name, like).requires_grad_() for name, like in weights_of(ours[0]).items()}
        moving = {name: drawn(name, like) for name, like in moving_of(ours[0]).items()}
        optimizer = torch.optim.Adam(weights.values(), 0.003, eps=1e-7)
        steps = epochs * -(-len(pixels) // batch)
        schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: (1 + math.cos(math.pi * step / steps)) / 2)
        for _ in range(epochs):
            for rows in torch.randperm(len(pixels)).split(batch):
                optimizer.zero_grad()
                functional.cross_entropy(Network(weights, moving, 1).scores(pixels[rows]), classes[rows]).backward()
                optimizer.step()
                schedule.step()
        found["theirs"].append(accuracy(Network(weights, moving, 0), *held_out))
    return found


if __name__ == "__main__":
    how, *arguments = sys.argv[1:]
    torch.set_num_threads(2 if how == "steps" else 1)  # the images of accuracies are too small to divide
    if how == "steps":
        print(json.dumps(differences(arguments[0], *map(int, arguments[1:5]), *arguments[5:])))
    else:
        print(json.dumps(accuracies(*arguments[:2], *map(int, arguments[2:5]), *arguments[5:])))
