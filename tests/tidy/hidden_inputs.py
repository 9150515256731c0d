"""Time, randomness and the environment are arguments: only mains and the folders in edges.txt read them directly.

Pure folders use no threads, clocks, logs or files either.
"""

import re

from cpp import SOURCES, code_of
from table import Row, inside, inside_any, rows_in
from tree import Problem, Tree, is_main

EDGES = "tests/tidy/edges.txt"
COMPONENTS = ("operator/", "trainer/", "dataloader/")
INPUTS = {
    "environment": re.compile(r"\b(getenv|secure_getenv|environ)\b"),
    "randomness": re.compile(r"\b(std::s?rand|s?rand(?=\()|(?:std::)?random_device|getrandom|arc4random|RAND_bytes)\b"),
    "wall_clock": re.compile(
        r"\b(system_clock::now|gettimeofday|CLOCK_REALTIME)\b|(?<![\w.>:])(std::|::)?time(?=\((nullptr|NULL|0|&))"
    ),
}
FORBIDDEN_TO_PURE = {
    "threads": re.compile(
        r"<(thread|mutex|shared_mutex|condition_variable|future|atomic|semaphore|latch|barrier|coroutine)>"
    ),
    "a clock": re.compile(r"\b\w+_clock\b"),
    "a log": re.compile(r"<(iostream|cstdio|print|syncstream)>|\bstd::c(out|err|log)\b"),
    "files": re.compile(r"<(fstream|filesystem)>"),
}


def check(tree: Tree) -> list[Problem] | None:
    sources = [path for path in tree.with_suffix(*SOURCES) if path.startswith(COMPONENTS) and not is_main(path)]
    if not sources:
        return None
    rows = rows_in(tree.texts[EDGES])
    pure = [unit for row in rows if row.name == "pure" for unit in row.items]
    edges = {row.name: row for row in rows}
    problems = table_problems(rows, pure)
    for path in sources:
        for number, line in enumerate(code_of(tree.texts[path]).splitlines(), 1):
            faults = [*input_faults(path, line, edges), *(pure_faults(line) if inside_any(path, pure) else [])]
            problems += [Problem(path, number, fault) for fault in faults]
    return problems


def input_faults(path: str, line: str, edges: dict[str, Row]) -> list[str]:
    return [
        f"reads {kind} directly ({found[0]}); let the main pass it as an argument, or add the folder to {EDGES}"
        for kind, pattern in INPUTS.items()
        if (found := pattern.search(line)) and not (kind in edges and inside_any(path, edges[kind].items))
    ]


def pure_faults(line: str) -> list[str]:
    return [
        f"uses {kind} ({found[0]}) in a pure folder; return a value, and let the caller act on it"
        for kind, pattern in FORBIDDEN_TO_PURE.items()
        if (found := pattern.search(line))
    ]


def table_problems(rows: list[Row], pure: list[str]) -> list[Problem]:
    problems = []
    for row in rows:
        if row.name not in INPUTS and row.name != "pure":
            known = ", ".join([*INPUTS, "pure"])
            problems.append(Problem(EDGES, row.line, f"{row.name} is not a kind of input; the kinds are {known}"))
        problems += [
            Problem(EDGES, row.line, f"{item} is listed as pure, so it may not read {row.name}; remove it")
            for item in row.items
            if row.name != "pure" and any(inside(item, unit) for unit in pure)
        ]
    return problems
