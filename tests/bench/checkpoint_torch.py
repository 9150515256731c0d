"""PyTorch's side of bench checkpoint: the same network, by its own interpreter.

    save|synced|async DATA FOLDER FEATURES UNITS BATCH STEPS

Takes STEPS steps, saves model and optimizer into FOLDER, and takes as many steps again. Prints when each step ended, as `times`, and
how long saving took, as `saving`. `save` is torch.save(), `synced` also waits until the file is on the disk, and `async` is
torch.distributed.checkpoint.async_save(), which copies all, and writes and syncs while training goes on.
"""

import json
import os
import sys
import threading
import time
import warnings

import numpy as np
import torch
import torch.distributed.checkpoint as dcp
from torch import nn


class Saving:
    """Has begun when it is constructed; `seconds()` waits for its end."""

    def __init__(self, how: str, state: dict, folder: str):
        self.begin, self.ended = time.perf_counter(), threading.Event()
        if how == "async":
            self.future = dcp.async_save(state, checkpoint_id=folder)
            self.future.add_done_callback(lambda _: self.end())
            return
        with open(f"{folder}/state.pt", "wb") as file:
            torch.save(state, file)
            file.flush()
            if how == "synced":
                os.fsync(file.fileno())
        self.end()

    def end(self) -> None:
        self.passed = time.perf_counter() - self.begin
        self.ended.set()

    def seconds(self) -> float:
        self.ended.wait()
        return self.passed


if __name__ == "__main__":
    how, data, folder = sys.argv[1:4]
    features, units, batch, steps = map(int, sys.argv[4:])
    warnings.simplefilter("ignore")
    torch.set_num_threads(2)
    arrays = np.load(f"{data}/linear.npz")
    x, y = torch.from_numpy(arrays["x"]), torch.from_numpy(arrays["y"])
    model = nn.Sequential(nn.Linear(features, units), nn.ReLU(), nn.Linear(units, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, fused=True)
    times = []

    def step() -> None:
        rows = slice(len(times) * batch, (len(times) + 1) * batch)
        nn.functional.mse_loss(model(x[rows]), y[rows]).backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        times.append(time.perf_counter())

    for _ in range(steps):
        step()
    saving = Saving(how, {"model": model.state_dict(), "optimizer": optimizer.state_dict()}, folder)
    for _ in range(steps):
        step()
    print(json.dumps({"times": times, "saving": saving.seconds()}))
