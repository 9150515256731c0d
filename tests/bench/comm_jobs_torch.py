"""PyTorch's side of bench comm's jobs: DistributedDataParallel on gloo, two processes with a thread each, eager.

    NETWORK FOLDER STEPS         for each line of standard input prints how many steps there are a second, over so many, the CPU time of
                                 both processes for each, and the last loss; a step takes the batch of bench train, half of it a process
    NETWORK FOLDER STEPS STORE   is the second process; the first one starts it
"""

import subprocess
import sys
import tempfile
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from bench.train_torch import BATCH, Training

PROCESSES = 2


def prepared(network: str, folder: str, rank: int, store: str) -> Training:
    torch.set_num_threads(1)
    torch.manual_seed(rank)  # of the order of the records
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=PROCESSES)
    training = Training(network, folder, compiled=False)
    training.batch = BATCH // PROCESSES
    training.model = DistributedDataParallel(training.model, gradient_as_bucket_view=True, static_graph=True)
    return training


def measure(network: str, folder: str, steps: int, store: str) -> None:
    second = subprocess.Popen([sys.executable, __file__, network, folder, str(steps), store])
    training = prepared(network, folder, 0, store)
    for number, _ in enumerate(sys.stdin):
        dist.broadcast(torch.ones(1), 0)
        if number == 0:
            training.seconds(10)  # to warm up
        before = time.process_time()
        seconds = training.seconds(steps)
        used = torch.tensor([time.process_time() - before])
        dist.all_reduce(used)
        print(steps / seconds, f"cpu_ms={used.item() / steps * 1e3:.4g}", f"loss={training.last_loss:.4g}", flush=True)
    dist.broadcast(torch.zeros(1), 0)
    second.wait()


def follow(network: str, folder: str, steps: int, store: str) -> None:
    training, go_on, number = prepared(network, folder, 1, store), torch.ones(1), 0
    while True:
        dist.broadcast(go_on, 0)
        if not go_on.item():
            return
        if number == 0:
            training.seconds(10)
        before = time.process_time()
        training.seconds(steps)
        dist.all_reduce(torch.tensor([time.process_time() - before]))
        number += 1


if __name__ == "__main__":
    network, folder, steps, *store = sys.argv[1:]
    if store:
        follow(network, folder, int(steps), store[0])
    else:
        with tempfile.TemporaryDirectory() as place:
            measure(network, folder, int(steps), f"{place}/store")
