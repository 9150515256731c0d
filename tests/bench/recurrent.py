"""bench recurrent: LSTM and GRU layers, forward and backward, against PyTorch's in eager mode."""
# builds: bench_recurrent

import math
import sys
from pathlib import Path

from bench import pairs
from interop import peers

# Batches of 128 sequences with 64 steps of 8 features.
ROWS, STEPS, INPUTS = 128, 64, 8
# What both sides print of their results: sums of squares.
RESULTS = ("states", "gradients")


def case(ours: str, torch: list[str], kind: str, units: int, threads: int) -> pairs.Case:
    arguments = [kind, *map(str, (ROWS, STEPS, INPUTS, units, threads))]
    computed: list[list[float]] = []

    def side(*command: str):
        measure = pairs.number_from(*command, *arguments)

        def number() -> pairs.Figure:
            figure = measure()
            computed.append([figure.took.pop(name) for name in RESULTS])
            for one, other in zip(computed[0], computed[-1]):
                if not math.isclose(one, other, rel_tol=1e-4):
                    sys.exit(f"bench recurrent: {arguments}: we and the peer compute different {RESULTS}: {computed}")
            return figure
        return number

    return pairs.Case(f"{kind}{units}.{threads}threads", side(ours), side(*torch), peer_name="torch-2.15.0", unit="sequences/s",
                      settings={"rows": ROWS, "steps": STEPS, "inputs": INPUTS, "units": units, "threads": threads})


if __name__ == "__main__":
    program, chosen = f"{sys.argv[1]}/bin/bench_recurrent", sys.argv[2:]
    peer = [str(peers.installed_python("torch")), str(Path(__file__).with_name("recurrent_torch.py"))]
    pairs.run("recurrent", [case(program, peer, kind, units, threads)
                            for kind in ("lstm", "gru") for units in (64, 256) for threads in (1, 2)
                            if not chosen or f"{kind}{units}" in chosen])
