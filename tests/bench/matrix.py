"""bench matrix: our matrix products against those of OpenBLAS and oneDNN, in the shapes that models have."""
# builds: bench_matrix

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from bench import pairs

PACKAGES = {"openblas": "libopenblas0-pthread", "onednn": "libdnnl2", "fma": None}
# Debian 12's OpenBLAS does not know newer processors and would use AVX2 on those that have AVX-512.
HAS_AVX512 = "avx512dq" in Path("/proc/cpuinfo").read_text()
ENVIRONMENT = {**os.environ, **({"OPENBLAS_CORETYPE": "SkylakeX"} if HAS_AVX512 else {})}


@dataclass
class Shape:
    """C[m, n] = A B; `transposed` names the operands that are stored transposed."""

    name: str
    m: int
    n: int
    k: int
    transposed: str = "none"
    threads: int = 1
    lanes: int = 1


# The layers of an MLP 784-512-512-10 and of an LSTM autoencoder (64 steps, 8 features), batches of 128 records.
SHAPES = [
    Shape("mlp1.forward", 128, 512, 784),
    Shape("mlp1.weights", 784, 512, 128, "a"),
    Shape("mlp2.forward", 128, 512, 512),
    Shape("mlp2.input", 128, 512, 512, "b"),
    Shape("mlp2.weights", 512, 512, 128, "a"),
    Shape("mlp3.forward", 128, 10, 512),
    Shape("mlp3.input", 128, 512, 10, "b"),
    Shape("mlp3.weights", 512, 10, 128, "a"),
    Shape("lstm64.sequence", 8192, 256, 8),
    Shape("lstm64.step", 128, 256, 64),
    Shape("lstm64.step_input", 128, 64, 256, "b"),
    Shape("lstm64.weights", 64, 256, 8192, "a"),
    Shape("lstm256.step", 128, 1024, 256),
    Shape("lstm256.weights", 256, 1024, 8192, "a"),
    Shape("linear64.forward", 64, 1, 1000),
    Shape("linear1024.forward", 1024, 1, 1000),
    Shape("square256", 256, 256, 256),
    Shape("square512", 512, 512, 512),
    Shape("square1024", 1024, 1024, 1024),
    Shape("square2048", 2048, 2048, 2048),
]
BY_NAME = {shape.name: shape for shape in SHAPES}
MORE = [
    *(Shape(f"{name}.2threads", shape.m, shape.n, shape.k, shape.transposed, threads=2)
      for name, shape in BY_NAME.items() if name in ("mlp1.forward", "mlp2.weights", "square512", "square1024")),
    *(Shape(f"{name}.16lanes", shape.m, shape.n, shape.k, shape.transposed, lanes=16)
      for name, shape in BY_NAME.items() if name in ("mlp1.weights", "mlp3.weights", "lstm64.weights")),
]


def versions() -> dict[str, str]:
    found = {"fma": "multiply-adds-in-registers"}
    for peer, package in PACKAGES.items():
        if package:
            version = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], check=True, capture_output=True, text=True)
            found[peer] = f"{peer}-{version.stdout.split('+')[0].split('-')[0]}"
    return found


def case(program: str, shape: Shape, peer: str, peer_name: str) -> pairs.Case:
    """Both sides take turns in one process, so all pairs are there when the first is wanted."""
    measured: list[tuple[float, float]] = []
    used = [0, 0]

    def next_of(side: int):
        def number() -> float:
            if not measured:
                done = subprocess.run([program, peer, *map(str, (shape.threads, shape.m, shape.n, shape.k, shape.transposed,
                                                                  shape.lanes))],
                                      check=True, capture_output=True, text=True, env=ENVIRONMENT)
                measured.extend(tuple(map(float, line.split())) for line in done.stdout.splitlines())
            used[side] += 1
            return measured[used[side] - 1][side]
        return number

    return pairs.Case(f"{shape.name}.{'limit' if peer == 'fma' else peer}", next_of(0), next_of(1), peer_name=peer_name, unit="flop/s",
                      settings=vars(shape))


if __name__ == "__main__":
    program, chosen = f"{sys.argv[1]}/bin/bench_matrix", sys.argv[2:]
    peer_names = versions()
    pairs.run("matrix", [case(program, shape, peer, peer_names[peer])
                         for shape in [*SHAPES, *MORE] if not chosen or shape.name in chosen
                         for peer in PACKAGES if peer != "fma" or shape.threads == 1])
