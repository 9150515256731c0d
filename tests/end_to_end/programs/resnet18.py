"""ResNet-18 for pictures of 32 x 32 pixels. With an argument, it writes its initial weights there and ends."""

import sys

import carrack
import torch
import torch.nn.functional as F
from torch import nn


class Block(nn.Module):
    def __init__(self, inputs: int, outputs: int, stride: int):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.shortcut = nn.Sequential()
        if stride != 1 or inputs != outputs:
            self.shortcut = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        y = self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x)))))
        return F.relu(y + self.shortcut(x))


class ResNet18(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 64, 3, 1, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        widths = [64, 64, 128, 256, 512]
        stages = [nn.Sequential(Block(before, width, 1 if width == before else 2), Block(width, width, 1))
                  for before, width in zip(widths, widths[1:])]
        self.stages = nn.Sequential(*stages)
        self.fc = nn.Linear(512, 10)

    def forward(self, x):
        x = self.stages(F.relu(self.bn1(self.conv1(x))))
        return self.fc(F.adaptive_avg_pool2d(x, 1).flatten(1))


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = ResNet18()
    if sys.argv[1:]:
        return carrack.save_weights(model, sys.argv[1])
    with carrack.join() as job:
        job.bind(model)
        for batch in job:
            loss = F.cross_entropy(model(batch["image"]), batch["label"].flatten(), reduction="sum")
            loss.backward()
            job.push(loss)
            print(f"step {batch.step} loss {loss.item() / batch.records:.4f}", flush=True)


if __name__ == "__main__":
    main()
