"""PyTorch's side of bench train: the same networks from the same arrays, by its own interpreter.

    arrays FOLDER               writes the records of each network as NAME.npz
    eager|compile NAME FOLDER STEPS...   for each number of steps prints the seconds that they took and the peak of memory in MB
    once NAME FOLDER            takes one step and ends
"""

import resource
import sys
import time

import numpy as np

BATCH = 128
STEPS, FEATURES = 64, 8


def arrays(folder: str) -> None:
    random = np.random.default_rng(7)
    np.savez(f"{folder}/linear.npz", x=random.normal(size=(6400, 1000)).astype(np.float32),
             y=random.normal(size=(6400, 1)).astype(np.float32))
    np.savez(f"{folder}/mlp.npz", pixels=random.uniform(size=(12800, 784)).astype(np.float32),
             digit=random.integers(10, size=(12800, 1)))
    np.savez(f"{folder}/lstm.npz", window=random.normal(size=(6400, STEPS * FEATURES)).astype(np.float32))


def main(how: str, name: str, folder: str, numbers: list[str]) -> None:
    import torch
    from torch import nn
    torch.set_num_threads(2)
    torch.manual_seed(1)

    class Autoencoder(nn.Module):
        def __init__(self, layer, units: int, code: int):
            super().__init__()
            self.encoder, self.code = layer(FEATURES, units, batch_first=True), layer(units, code, batch_first=True)
            self.decoder, self.values = layer(code, units, batch_first=True), nn.Linear(units, FEATURES)

        def forward(self, window):
            code = self.code(self.encoder(window)[0])[0][:, -1:]
            return self.values(self.decoder(code.expand(-1, STEPS, -1))[0])

    loaded = np.load(f"{folder}/{'lstm' if name[:4] in ('lstm', 'gru6') else name}.npz")
    data = [torch.from_numpy(loaded[key]) for key in loaded]
    if name == "linear":
        model, optimizer, batch = nn.Linear(1000, 1), torch.optim.SGD, 64
        loss_of = lambda model, x, y: nn.functional.mse_loss(model(x), y)
    elif name == "mlp":
        model = nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10))
        optimizer, batch = torch.optim.Adam, BATCH
        loss_of = lambda model, x, y: nn.functional.cross_entropy(model(x), y[:, 0])
    else:
        units = int(name[-3:]) if name[-3:].isdigit() else int(name[-2:])
        model = Autoencoder(nn.LSTM if name.startswith("lstm") else nn.GRU, units, max(units // 4, 16))
        optimizer, batch = torch.optim.Adam, BATCH
        data = [data[0].reshape(-1, STEPS, FEATURES)]
        loss_of = lambda model, window: nn.functional.mse_loss(model(window), window)
    optimizer = optimizer(model.parameters(), lr=1e-3)

    def step(*columns):
        loss = loss_of(model, *columns)
        loss.backward()
        return loss

    if how == "compile":
        loss_of = torch.compile(loss_of)

    def steps(count: int) -> float:
        start = time.perf_counter()
        places = torch.randperm(len(data[0]))
        for number in range(count):
            rows = places[number * batch % len(places):][:batch]
            step(*(column[rows] for column in data))
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        return time.perf_counter() - start

    if how == "once":
        steps(1)
        return
    steps(10)  # to warm up, and to compile
    print(*(f"{steps(int(number))}" for number in numbers), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


if __name__ == "__main__":
    if sys.argv[1] == "arrays":
        arrays(sys.argv[2])
    else:
        main(*sys.argv[1:4], sys.argv[4:])
