"""Measures us and a peer side by side: pair after pair in one run, so that a noisy machine disturbs both alike.

`./dev bench NAME` runs the file of tests/bench that opens with that name. It prints one line a case,
    NAME.CASE ratio=R lo=A hi=B ours=X peer=Y unit=U peer_name=P
where R is the median ratio of the pairs, above 1 when we are better, and A and B are the lowest and highest pair.
All pairs with the settings go to build/bench/NAME.json. docs/benchmarks.md says how to read them.
"""

import json
import os
import platform
import statistics
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent.parent


@dataclass
class Case:
    """One comparison. `ours` and `peer` each measure once and return a number in `unit`."""

    name: str
    ours: Callable[[], float]
    peer: Callable[[], float]
    peer_name: str
    unit: str
    more_is_better: bool = True
    pairs: int = 5
    settings: dict = field(default_factory=dict)


@dataclass
class Result:
    ratio: float
    lo: float
    hi: float
    ours: float
    peer: float


def compare(pairs: list[tuple[float, float]], more_is_better: bool) -> Result:
    """The figures of one case from its (ours, peer) pairs."""
    ratios = [ours / peer if more_is_better else peer / ours for ours, peer in pairs]
    return Result(statistics.median(ratios), min(ratios), max(ratios),
                  statistics.median(ours for ours, _ in pairs), statistics.median(peer for _, peer in pairs))


def line(benchmark: str, case: Case, result: Result) -> str:
    return (f"{benchmark}.{case.name} ratio={result.ratio:.2f} lo={result.lo:.2f} hi={result.hi:.2f} "
            f"ours={result.ours:.4g} peer={result.peer:.4g} unit={case.unit} peer_name={case.peer_name}")


def machine() -> dict:
    cpus = [row.split(":")[1].strip() for row in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in row]
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=REPOSITORY, capture_output=True, text=True).stdout.strip()
    return {"cpu": cpus[0] if cpus else platform.machine(), "cores": os.cpu_count(), "kernel": platform.release(),
            "commit": commit}


def measured(case: Case) -> list[tuple[float, float]]:
    """One pair to warm up, then the pairs that count; who goes first alternates."""
    case.ours(), case.peer()
    pairs = []
    for number in range(case.pairs):
        if number % 2 == 0:
            ours = case.ours()
            peer = case.peer()
        else:
            peer = case.peer()
            ours = case.ours()
        pairs.append((ours, peer))
    return pairs


def run(benchmark: str, cases: list[Case]) -> None:
    report = {"benchmark": benchmark, "machine": machine(), "cases": {}}
    for case in cases:
        pairs = measured(case)
        print(line(benchmark, case, compare(pairs, case.more_is_better)), flush=True)
        report["cases"][case.name] = {"unit": case.unit, "peer": case.peer_name, "more_is_better": case.more_is_better,
                                      "settings": case.settings, "pairs": pairs}
    into = REPOSITORY / "build" / "bench" / f"{benchmark}.json"
    into.parent.mkdir(parents=True, exist_ok=True)
    into.write_text(json.dumps(report, indent=2) + "\n")


def number_from(*command: str) -> Callable[[], float]:
    """A measurement that is a program's one number on standard output."""
    return lambda: float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
