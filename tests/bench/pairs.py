"""Measures us and a peer side by side: pair after pair in one run, so that a noisy machine disturbs both alike.

`./dev bench NAME` runs the file of tests/bench that opens with that name. It prints one line a case,
    NAME.CASE ratio=R lo=A hi=B ours=X peer=Y unit=U peer_name=P
where R is the median ratio of the pairs, above 1 when we are better, and A and B are the lowest and highest pair.
Behind it, where a side told what it took, stand the medians of that: ours.NAME=X peer.NAME=Y.
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


class Figure(float):
    """A measured number, and beside it what it took, by name: such as CPU seconds."""

    def __new__(cls, value: float, took: dict[str, float]):
        figure = super().__new__(cls, value)
        figure.took = took
        return figure


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


def took(pairs: list[tuple[float, float]]) -> dict[str, float]:
    """The medians of what each side took, as `ours.cpu_s`."""
    sides = zip(("ours", "peer"), zip(*pairs))
    return {f"{side}.{name}": statistics.median(figure.took[name] for figure in figures)
            for side, figures in sides for name in getattr(figures[0], "took", {})}


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
        beside = took(pairs)
        print(line(benchmark, case, compare(pairs, case.more_is_better)), *(f"{name}={value:.3g}" for name, value in beside.items()),
              flush=True)
        report["cases"][case.name] = {"unit": case.unit, "peer": case.peer_name, "more_is_better": case.more_is_better,
                                      "settings": case.settings, "took": beside, "pairs": pairs}
    into = REPOSITORY / "build" / "bench" / f"{benchmark}.json"
    into.parent.mkdir(parents=True, exist_ok=True)
    into.write_text(json.dumps(report, indent=2) + "\n")


def figure_of(printed: str) -> Figure:
    """The first word; NAME=NUMBER behind it is what it took."""
    value, *beside = printed.split()
    return Figure(float(value), {name: float(number) for name, number in (word.split("=") for word in beside)})


def number_from(*command: str) -> Callable[[], Figure]:
    """A measurement that a program prints on standard output, as figure_of() reads it."""
    return lambda: figure_of(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def number_on_request(*command: str) -> Callable[[], Figure]:
    """The same of a program that takes long to start: it stays, and prints a line of figures for each line of its input."""
    started: list[subprocess.Popen] = []

    def measure() -> Figure:
        if not started:
            started.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1))
        started[0].stdin.write("\n")
        return figure_of(started[0].stdout.readline())
    return measure
