"""The side of PyTorch in bench recurrent: recurrent_torch.py lstm|gru ROWS STEPS INPUTS UNITS THREADS.

A step forward and backward in eager mode, for the gradients of all weights. Prints what bench_recurrent prints.
"""

import sys
import time

import torch

TURNS = 30


def floats(*shape: int) -> torch.Tensor:
    """The numbers of bench_recurrent."""
    size = torch.Size(shape).numel()
    return ((torch.arange(size) * 7 % 17) * 0.02 - 0.16).reshape(shape)


def made(kind: str, inputs: int, units: int) -> torch.nn.RNNBase:
    layer = {"lstm": torch.nn.LSTM, "gru": torch.nn.GRU}[kind](inputs, units, batch_first=True)
    gates = 4 if kind == "lstm" else 3

    def weights(columns: torch.Tensor) -> torch.Tensor:
        """Ours are transposed, and our GRU has its first two gates the other way round."""
        parts = list(columns.split(units, dim=-1))
        if kind == "gru":
            parts[:2] = reversed(parts[:2])
        return torch.cat(parts, dim=-1).T

    with torch.no_grad():
        layer.weight_ih_l0.copy_(weights(floats(inputs, gates * units)))
        layer.weight_hh_l0.copy_(weights(floats(units, gates * units) * 8 / units))
        layer.bias_ih_l0.copy_(weights(floats(1, gates * units))[:, 0])
        layer.bias_hh_l0.copy_(layer.bias_ih_l0 if kind == "gru" else torch.zeros_like(layer.bias_ih_l0))
    return layer


def main(kind: str, rows: int, steps: int, inputs: int, units: int, threads: int) -> None:
    torch.set_num_threads(threads)
    layer, x, of_y = made(kind, inputs, units), floats(rows, steps, inputs), floats(rows, steps, units)
    best = (float("inf"), 0.0, 0.0)
    for _ in range(TURNS):
        layer.zero_grad()
        start = time.perf_counter()
        y, _ = layer(x)
        middle = time.perf_counter()
        y.backward(of_y)
        end = time.perf_counter()
        best = min(best, (end - start, middle - start, end - middle))
    of_weights = [layer.weight_ih_l0, layer.weight_hh_l0, layer.bias_ih_l0, *([layer.bias_hh_l0] if kind == "gru" else [])]
    gradients = sum(weights.grad.double().square().sum().item() for weights in of_weights)
    print(f"{rows / best[0]:.1f} forward_ms={1000 * best[1]:.3f} backward_ms={1000 * best[2]:.3f} "
          f"states={y.double().square().sum().item():.9g} gradients={gradients:.9g}")


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
