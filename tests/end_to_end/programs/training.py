"""What the networks of this folder have in common: how a worker trains one that tells classes."""

import sys

import carrack
import torch
import torch.nn.functional as F


def main(network: type[torch.nn.Module], features: str, label: str) -> None:
    """With an argument, writes the initial weights there and ends."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = network()
    if sys.argv[1:]:
        return carrack.save_weights(model, sys.argv[1])
    with carrack.join() as job:
        job.bind(model)
        for batch in job:
            loss = F.cross_entropy(model(batch[features]), batch[label].flatten(), reduction="sum")
            loss.backward()
            job.push(loss)
            print(f"step {batch.step} loss {loss.item() / batch.records:.4f}", flush=True)
