"""Fits a line with PyTorch's DistributedDataParallel over gloo, as the rank that RANK names; see README.md."""

import os
import time
from datetime import timedelta
from pathlib import Path

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

STEPS = int(os.environ.get("STEPS", "300"))
STEP_SECONDS = float(os.environ.get("STEP_SECONDS", "0"))
CHECKPOINTS = os.environ.get("CHECKPOINTS", "")
CHECKPOINT_STEPS = int(os.environ.get("CHECKPOINT_STEPS", "20"))
BATCH = 32


def batch_of(step: int, rank: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Points of y = 3 x + 2, others for each rank."""
    x = torch.rand(BATCH, 1, generator=torch.Generator().manual_seed(step * 1000 + rank)) * 2 - 1
    return x, 3 * x + 2


def load() -> dict:
    """The last checkpoint, which only rank 0 needs to reach; empty if there is none."""
    path = Path(CHECKPOINTS, "last.pt")
    found = [torch.load(path) if dist.get_rank() == 0 and CHECKPOINTS and path.exists() else {}]
    dist.broadcast_object_list(found, src=0)
    return found[0]


def save(state: dict) -> None:
    """Replaces the last checkpoint in one step."""
    Path(CHECKPOINTS).mkdir(parents=True, exist_ok=True)
    torch.save(state, Path(CHECKPOINTS, "next.pt"))
    os.replace(Path(CHECKPOINTS, "next.pt"), Path(CHECKPOINTS, "last.pt"))


def main() -> None:
    torch.set_num_threads(1)
    dist.init_process_group(backend="gloo", init_method="env://", timeout=timedelta(minutes=2))
    rank = dist.get_rank()
    model = torch.nn.Linear(1, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.5)
    state = load()
    if state:
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
    first = state.get("step", 0)
    print(f"rank {rank} starts at step {first}", flush=True)
    network = DistributedDataParallel(model)
    for step in range(first + 1, STEPS + 1):
        began = time.monotonic()
        x, y = batch_of(step, rank)
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(network(x), y)
        loss.backward()
        optimizer.step()
        print(f"rank {rank} step {step} loss {loss.item():.6f}", flush=True)
        if CHECKPOINTS and rank == 0 and (step % CHECKPOINT_STEPS == 0 or step == STEPS):
            save({"step": step, "model": model.state_dict(), "optimizer": optimizer.state_dict()})
        time.sleep(max(0.0, STEP_SECONDS - (time.monotonic() - began)))
    print(f"rank {rank} done: slope {model.weight.item():.3f}, intercept {model.bias.item():.3f}", flush=True)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
