"""A network with BatchNorm that learns to tell three classes. With an argument, it writes its initial weights there and ends."""

import sys

import carrack
import torch
import torch.nn.functional as F


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = torch.nn.Linear(8, 64)
        self.bn1 = torch.nn.BatchNorm1d(64)
        self.fc2 = torch.nn.Linear(64, 3)

    def forward(self, x):
        return self.fc2(F.relu(self.bn1(self.fc1(x))))


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = Net()
    if sys.argv[1:]:
        return carrack.save_weights(model, sys.argv[1])
    with carrack.join() as job:
        job.bind(model)
        for batch in job:
            loss = F.cross_entropy(model(batch["x"]), batch["y"].flatten(), reduction="sum")
            loss.backward()
            job.push(loss)
            print(f"step {batch.step} loss {loss.item() / batch.records:.4f}", flush=True)


if __name__ == "__main__":
    main()
