"""PyTorch's side of bench train: the same networks from the same arrays, by its own interpreter.

    arrays FOLDER            writes the records of each network as NAME.npz, and some to evaluate it with as NAME-held-out.npz
    steps NAME FOLDER STEPS  finds out whether eager or compiled is faster, and then, for each line of standard input, prints the
                             seconds that so many steps of the faster one took
    memory NAME FOLDER STEPS takes so many steps in eager mode, and prints the most memory that this process had, in bytes
    once NAME FOLDER         takes one step and ends
"""

import resource
import sys
import time

import numpy as np
import torch
from torch import nn

BATCH = 128
STEPS, FEATURES = 64, 8


def write_arrays(folder: str) -> None:
    random = np.random.default_rng(7)
    np.savez(f"{folder}/linear.npz", x=random.normal(size=(6400, 1000)).astype(np.float32),
             y=random.normal(size=(6400, 1)).astype(np.float32))
    for of, share in ("", 1), ("-held-out", 5):
        np.savez(f"{folder}/mlp{of}.npz", pixels=random.uniform(size=(12800 // share, 784)).astype(np.float32),
                 digit=random.integers(10, size=(12800 // share, 1)))
        np.savez(f"{folder}/cnn{of}.npz", pixels=random.uniform(size=(3200 // share, 3072)).astype(np.float32),
                 digit=random.integers(10, size=(3200 // share, 1)))
        np.savez(f"{folder}/lstm{of}.npz", window=random.normal(size=(6400 // share, STEPS * FEATURES)).astype(np.float32))


class Autoencoder(nn.Module):
    def __init__(self, layer: type, units: int):
        super().__init__()
        code = max(units // 4, 16)
        self.encoder, self.code = layer(FEATURES, units, batch_first=True), layer(units, code, batch_first=True)
        self.decoder, self.values = layer(code, units, batch_first=True), nn.Linear(units, FEATURES)

    def forward(self, window):
        code = self.code(self.encoder(window)[0])[0][:, -1:]
        return self.values(self.decoder(code.expand(-1, STEPS, -1))[0])


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        block = lambda: nn.TransformerEncoderLayer(64, 4, 256, dropout=0, activation="gelu", batch_first=True, norm_first=True)
        self.values, self.places = nn.Linear(FEATURES, 64), nn.Parameter(torch.empty(STEPS, 64).uniform_(-0.05, 0.05))
        self.blocks, self.norm, self.restored = nn.Sequential(block(), block()), nn.LayerNorm(64), nn.Linear(64, FEATURES)

    def forward(self, window):
        return self.restored(self.norm(self.blocks(self.values(window) + self.places)))


class Block(nn.Module):
    def __init__(self, inputs: int, filters: int, stride: int):
        super().__init__()
        normal = lambda inputs, size, stride: nn.Sequential(nn.Conv2d(inputs, filters, size, stride, size // 2, bias=False), nn.BatchNorm2d(filters))
        self.a, self.b = normal(inputs, 3, stride), normal(filters, 3, 1)
        self.shortcut = normal(inputs, 1, stride) if stride > 1 else nn.Identity()

    def forward(self, x):
        return torch.relu(self.b(torch.relu(self.a(x))) + self.shortcut(x))


def residual() -> nn.Module:
    first = nn.Sequential(nn.Conv2d(3, 32, 3, padding=1, bias=False), nn.BatchNorm2d(32), nn.ReLU())
    return nn.Sequential(first, Block(32, 32, 1), Block(32, 64, 2), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10))


class Training:
    """A network with its data; step() takes one step of its optimizer."""

    def __init__(self, name: str, folder: str, compiled: bool):
        arrays = np.load(f"{folder}/{name if name in ('linear', 'mlp', 'cnn') else 'lstm'}.npz")
        self.columns = [torch.from_numpy(arrays[key]) for key in arrays]
        self.batch, optimizer = BATCH, torch.optim.Adam
        if name == "linear":
            self.batch, optimizer = 64, torch.optim.SGD
            self.model, self.loss_of = nn.Linear(1000, 1), lambda x, y: nn.functional.mse_loss(self.model(x), y)
        elif name == "mlp":
            self.model = nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10))
            self.loss_of = lambda x, y: nn.functional.cross_entropy(self.model(x), y[:, 0])
        elif name == "cnn":
            self.batch, self.model = 64, residual().to(memory_format=torch.channels_last)
            images = self.columns[0].reshape(-1, 32, 32, 3).permute(0, 3, 1, 2)  # as channels last, its fastest layout
            self.columns = [images, self.columns[1]]
            self.loss_of = lambda x, y: nn.functional.cross_entropy(self.model(x), y[:, 0])
        else:
            self.model = Transformer() if name == "transformer" else \
                Autoencoder(nn.LSTM if name.startswith("lstm") else nn.GRU, int(name.lstrip("lstmgru")))
            self.columns = [self.columns[0].reshape(-1, STEPS, FEATURES)]
            self.loss_of = lambda window: nn.functional.mse_loss(self.model(window), window)
        self.optimizer = optimizer(self.model.parameters(), lr=1e-3)
        if compiled:
            self.loss_of = torch.compile(self.loss_of)

    def seconds(self, steps: int) -> float:
        start = time.perf_counter()
        places = torch.randperm(len(self.columns[0]))
        for number in range(steps):
            rows = places[number * self.batch % len(places):][:self.batch]
            loss = self.loss_of(*(column[rows] for column in self.columns))
            loss.backward()
            self.optimizer.step()
            self.optimizer.zero_grad(set_to_none=True)
        self.last_loss = loss.item()
        return time.perf_counter() - start


if __name__ == "__main__":
    how, arguments = sys.argv[1], sys.argv[2:]
    if how == "arrays":
        write_arrays(*arguments)
        sys.exit()
    torch.set_num_threads(2)
    eager = Training(*arguments[:2], compiled=False)
    if how == "steps":
        ways = [eager, Training(*arguments[:2], compiled=True)]
        steps = int(arguments[2])
        for way in ways:
            way.seconds(10)  # to warm up, and to compile
        faster = min(ways, key=lambda way: way.seconds(steps))
        for _ in sys.stdin:
            print(faster.seconds(steps), flush=True)
    elif how == "memory":
        eager.seconds(int(arguments[2]))
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
    else:
        eager.seconds(1)
