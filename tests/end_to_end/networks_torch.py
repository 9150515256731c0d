"""PyTorch's side of torch_test.py, by its own interpreter, in double precision.

    steps FOLDER [NETWORK OPTIMIZER BEFORE AFTER]...   takes the steps from BEFORE.npz on, and prints for each tensor how far
                                                       its change is from that in AFTER.npz
    losses FOLDER NETWORK RUNS EPOCHS TRAINED...       prints the losses of the TRAINED.npz, and those that as many RUNS of
                                                       PyTorch end with

Weights are named and laid out as Carrack's, also while PyTorch trains them. FOLDER has them and the records.
"""

import json
import sys
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional

BATCH, STEPS = 50, 10
Tensors = dict[str, torch.Tensor]

# The rate, and the optimizer.
OPTIMIZERS = {
    "SGD": (0.1, lambda of: torch.optim.SGD(of, 0.1)),
    "momentum": (0.02, lambda of: torch.optim.SGD(of, 0.02, momentum=0.9)),
    "nesterov": (0.02, lambda of: torch.optim.SGD(of, 0.02, momentum=0.9, nesterov=True)),
    "RMSProp": (0.005, lambda of: torch.optim.RMSprop(of, 0.005, alpha=0.9, eps=1e-15)),
    "Adam": (0.01, lambda of: torch.optim.Adam(of, 0.01)),
    "AdamW": (0.01, lambda of: torch.optim.AdamW(of, 0.01, weight_decay=0.1)),
    "Adagrad": (0.05, lambda of: torch.optim.Adagrad(of, 0.05, initial_accumulator_value=0.1, eps=1e-7)),
}


def dense(w: Tensors, x: torch.Tensor, name: str) -> torch.Tensor:
    return functional.linear(x, w[f"{name}/kernel"].T, w[f"{name}/bias"])


def recurrent(w: Tensors, x: torch.Tensor, name: str) -> torch.Tensor:
    """By torch.nn's LSTM or GRU. Its weights are transposed, and its GRU has the first two gates the other way round."""
    units, columns = w[f"{name}/recurrent_kernel"].shape
    is_gru, both_ways = columns == 3 * units, f"{name}/reverse_kernel" in w

    def gates(tensor: torch.Tensor) -> torch.Tensor:
        first, second, *others = tensor.split(units, dim=-1)
        return torch.cat([second, first, *others] if is_gru else [first, second, *others], dim=-1)

    layer = (nn.GRU if is_gru else nn.LSTM)(x.shape[-1], units, batch_first=True, bidirectional=both_ways, dtype=torch.float64)
    weights = {}
    for ours, theirs in {"": "l0", "reverse_": "l0_reverse"}.items() if both_ways else [("", "l0")]:
        bias = gates(w[f"{name}/{ours}bias"])
        other = gates(w[f"{name}/{ours}recurrent_bias"]) if is_gru else torch.zeros_like(bias)
        weights |= {f"weight_ih_{theirs}": gates(w[f"{name}/{ours}kernel"]).T, f"bias_ih_{theirs}": bias,
                    f"weight_hh_{theirs}": gates(w[f"{name}/{ours}recurrent_kernel"]).T, f"bias_hh_{theirs}": other}
    return torch.func.functional_call(layer, weights, x)[0]


def back(w: Tensors, x: torch.Tensor, name: str) -> torch.Tensor:
    return recurrent(w, x.flip(1), name).flip(1)


def last_of_both(steps: torch.Tensor) -> torch.Tensor:
    """The last values of each way."""
    units = steps.shape[-1] // 2
    return torch.cat([steps[:, -1, :units], steps[:, 0, units:]], dim=-1)


def norm(w: Tensors, x: torch.Tensor, name: str, epsilon: float) -> torch.Tensor:
    return functional.layer_norm(x, x.shape[-1:], w[f"{name}/gamma"], w.get(f"{name}/beta"), epsilon)


def attended(w: Tensors, x: torch.Tensor, name: str) -> torch.Tensor:
    q, k, v = (torch.einsum("rtf,fhk->rhtk", x, w[f"{name}/{of}_kernel"]) for of in ("query", "key", "value"))
    return torch.einsum("rhtk,hkf->rtf", functional.scaled_dot_product_attention(q, k, v), w[f"{name}/output_kernel"])


def classes(w: Tensors, of: Tensors) -> torch.Tensor:
    hidden = torch.tanh(dense(w, torch.relu(dense(w, of["point"], "dense")), "dense_1"))
    losses = functional.cross_entropy(dense(w, hidden, "dense_2"), of["class"], reduction="none")
    return (losses * of["importance"][:, 0]).mean()


def windows(w: Tensors, of: Tensors) -> torch.Tensor:
    code = recurrent(w, recurrent(w, recurrent(w, of["track"], "lstm"), "gru"), "code")[:, -1:]
    restored = dense(w, recurrent(w, code.expand(-1, 4, -1), "gru_1"), "timedistributed")
    return functional.mse_loss(restored, of["track"])


def norms(w: Tensors, of: Tensors) -> torch.Tensor:
    steps = torch.tanh(norm(w, dense(w, of["track"], "dense"), "layernorm", 0.001))
    return functional.mse_loss(norm(w, dense(w, steps, "dense_1"), "layernorm_1", 0.5), of["track"])


def ways(w: Tensors, of: Tensors) -> torch.Tensor:
    code = last_of_both(recurrent(w, back(w, recurrent(w, of["track"], "lstm"), "gru"), "code"))
    restored = back(w, code[:, None].expand(-1, 4, -1), "last")[:, 0]
    return functional.mse_loss(dense(w, restored, "dense"), of["point"])


def numbers(w: Tensors, of: Tensors) -> torch.Tensor:
    code = recurrent(w, functional.embedding(of["turns"], w["two/embeddings"]), "lstm")[:, -1]
    both = torch.cat([functional.embedding(of["class"], w["one/embeddings"]), code], dim=-1)
    return functional.mse_loss(dense(w, both, "dense"), of["point"])


def answers(w: Tensors, of: Tensors) -> torch.Tensor:
    tokens = functional.embedding(of["question"], w["embedding/embeddings"]) + w["tokens/embeddings"]
    read = tokens + attended(w, norm(w, tokens, "layernorm", 0.001), "attention")
    inner = functional.gelu(dense(w, norm(w, read, "layernorm_1", 0.001), "inner"))
    return dense(w, (read + dense(w, inner, "outer")).flatten(1), "dense")


def transformer(w: Tensors, of: Tensors) -> torch.Tensor:
    return functional.cross_entropy(answers(w, of), of["answer"])


def masks(w: Tensors, of: Tensors) -> torch.Tensor:
    losses = functional.huber_loss(dense(w, of["track"], "dense"), of["track"], delta=0.2, reduction="none")
    return (losses.mean(-1) * of["real"] * of["importance"]).mean()


def autoencoder(w: Tensors, of: Tensors) -> torch.Tensor:
    code = recurrent(w, of["track"], "lstm")[:, -1:]
    restored = recurrent(w, code.expand(-1, 4, -1), "lstm_1")
    return functional.mse_loss(dense(w, restored, "timedistributed"), of["track"])


def load(path: Path) -> Tensors:
    return {name: torch.from_numpy(array).to(torch.float64 if array.dtype.kind == "f" else None)
            for name, array in np.load(path).items()}


def weights_of(tensors: Tensors) -> Tensors:
    return {name: tensor.clone().requires_grad_() for name, tensor in tensors.items()
            if name.endswith(("kernel", "bias", "/gamma", "/beta", "/embeddings"))}


def resume(optimizer: torch.optim.Optimizer, rate: float, weights: Tensors, saved: Tensors) -> None:
    """Gives it the state behind the first step. Keras multiplies by the rate before momentum, PyTorch behind it."""
    for name, weight in weights.items():
        state = {other.rpartition("/")[2]: tensor.clone() for other, tensor in saved.items() if other.startswith(name + "/")}
        if "momentum" in state:
            optimizer.state[weight] = {"momentum_buffer": -state["momentum"] / rate}
        elif set(state) == {"v"}:
            optimizer.state[weight] = {"step": torch.tensor(1.0), "square_avg": state["v"]}
        elif "m" in state:
            optimizer.state[weight] = {"step": torch.tensor(1.0), "exp_avg": state["m"], "exp_avg_sq": state["v"]}
        elif "accumulator" in state:
            optimizer.state[weight] = {"step": torch.tensor(1.0), "sum": state["accumulator"]}
        elif state:
            sys.exit(f"{name}: unknown state {sorted(state)}")


def step(optimizer: torch.optim.Optimizer, network: str, weights: Tensors, records: Tensors, rows: slice | torch.Tensor) -> None:
    optimizer.zero_grad()
    globals()[network](weights, {name: column[rows] for name, column in records.items()}).backward()
    optimizer.step()


def differences(folder: Path, network: str, kind: str, before: str, after: str) -> dict[str, float]:
    saved, ours, records = load(folder / f"{before}.npz"), load(folder / f"{after}.npz"), load(folder / "records.npz")
    weights = weights_of(saved)
    rate, made = OPTIMIZERS[kind]
    optimizer = made(list(weights.values()))
    resume(optimizer, rate, weights, saved)
    for number in range(1, 1 + STEPS):
        if kind.startswith("Adam"):  # Carrack and Keras add 1e-7 before the correction of bias, PyTorch behind it.
            optimizer.param_groups[0]["eps"] = 1e-7 / (1 - 0.999 ** (number + 1)) ** 0.5
        step(optimizer, network, weights, records, slice(number * BATCH, (number + 1) * BATCH))
    return {name: ((ours[name] - weight).norm() / (weight - saved[name]).norm()).item() for name, weight in weights.items()}


def drawn(name: str, like: torch.Tensor) -> torch.Tensor:
    """As Keras draws it."""
    weight = torch.zeros_like(like)
    if name.endswith("/recurrent_kernel"):
        nn.init.orthogonal_(weight)
    elif name.endswith("kernel"):
        inputs, units = weight.numel() // weight.shape[-1], weight.numel() // weight.shape[-2]
        weight.uniform_(-(6 / (inputs + units)) ** 0.5, (6 / (inputs + units)) ** 0.5)
    elif name.endswith("/embeddings"):
        weight.uniform_(-0.05, 0.05)
    elif name.endswith("/gamma"):
        weight[:] = 1
    elif "lstm" in name:
        weight[len(weight) // 4:len(weight) // 2] = 1  # of the forget gates
    return weight


def losses(folder: Path, network: str, runs: int, epochs: int, *trained: str) -> dict[str, list[float]]:
    records = load(folder / "records.npz")
    ours = [weights_of(load(folder / f"{one}.npz")) for one in trained]
    theirs = []
    for seed in range(runs):
        torch.manual_seed(seed)
        weights = {name: drawn(name, like.detach()).requires_grad_() for name, like in ours[0].items()}
        optimizer = torch.optim.Adam(weights.values(), 0.01, eps=1e-7)
        for _ in range(epochs):
            for rows in torch.randperm(len(records["track"])).split(BATCH):
                step(optimizer, network, weights, records, rows)
        theirs.append(weights)
    return {side: [globals()[network](weights, records).item() for weights in all_weights]
            for side, all_weights in {"ours": ours, "theirs": theirs}.items()}


if __name__ == "__main__":
    torch.set_num_threads(1)
    how, given, *arguments = sys.argv[1:]
    if how == "losses":
        print(json.dumps(losses(Path(given), arguments[0], *map(int, arguments[1:3]), *arguments[3:])))
    else:
        for at in range(0, len(arguments), 4):
            print(json.dumps(differences(Path(given), *arguments[at:at + 4])))
