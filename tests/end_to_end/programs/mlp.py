"""A network with BatchNorm that learns to tell three classes."""

import torch
import torch.nn.functional as F
import training


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = torch.nn.Linear(8, 64)
        self.bn1 = torch.nn.BatchNorm1d(64)
        self.fc2 = torch.nn.Linear(64, 3)

    def forward(self, x):
        return self.fc2(F.relu(self.bn1(self.fc1(x))))


if __name__ == "__main__":
    training.main(Net, "x", "y")
