"""Paths have meaningful names, headers open with a description, nothing is switched off, lines end cleanly."""

import re
from pathlib import PurePosixPath

from tree import Problem, Tree

EMPTY_WORDS = ("util", "utils", "common", "manager", "helper", "helpers", "impl", "misc")
EMPTY_ENDINGS = tuple(f"_{word}" for word in EMPTY_WORDS)
EMPTY_NAMES = (*EMPTY_WORDS, "base", "internal", "src", "include", "third_party")
UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|X" r"XX)\b")
SWITCHED_OFF = re.compile(r"^\s*#\s*if\s+0\b|\bDISABLED" r"_\w|^\s*@unittest\.skip\(")
WRITTEN = (".h", ".cc", ".cu", ".cuh", ".proto", ".py", ".sh", ".cmake", ".md", ".txt", ".yaml", ".yml", "ockerfile")
TABBED = ("Makefile", ".mk", ".go", "go.mod")


def check(tree: Tree) -> list[Problem]:
    problems = [problem for path in tree.paths() for problem in path_problems(path)]
    for path, text in tree.texts.items():
        if path.endswith((".h", ".cuh")):
            problems += header_problems(path, text)
        if is_written(path, text):
            problems += line_problems(path, text)
    return problems


def is_written(path: str, text: str) -> bool:
    """Whether people write it. Recorded data may contain anything."""
    return path.endswith((*WRITTEN, *TABBED)) or text.startswith("#!")


def path_problems(path: str) -> list[Problem]:
    stems = (part.split(".")[0].removesuffix("_test").replace("-", "_").lower() for part in PurePosixPath(path).parts)
    empty = next((stem for stem in stems if stem in EMPTY_NAMES or stem.endswith(EMPTY_ENDINGS)), None)
    return [Problem(path, 1, f"`{empty}` in a path has no meaning; name it after its content")] if empty else []


def header_problems(path: str, text: str) -> list[Problem]:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    problems = []
    if "#pragma once" not in lines:
        problems.append(Problem(path, 1, "has no `#pragma once`; add it"))
    first = next((line for line in lines if line != "#pragma once"), "")
    if not first.startswith(("//", "/*")):
        problems.append(Problem(path, 1, "does not open with a comment; say in a few lines what it is and what it guarantees"))
    return problems


def line_problems(path: str, text: str) -> list[Problem]:
    problems = []
    for number, line in enumerate(text.splitlines(), 1):
        problems += [Problem(path, number, what) for what in faults_of(line, tabs_allowed=path.endswith(TABBED))]
    if text and not text.endswith("\n"):
        problems.append(Problem(path, text.count("\n") + 1, "the file does not end with a newline; add it"))
    return problems


def faults_of(line: str, tabs_allowed: bool) -> list[str]:
    faults = []
    unfinished = UNFINISHED.search(line)
    if unfinished:
        faults.append(f"{unfinished[0]}: do it now, or say in docs what is missing; notes for later are not allowed")
    if SWITCHED_OFF.search(line):
        faults.append("switched off; repair or remove it, git keeps the old version")
    if line != line.rstrip():
        faults.append("spaces at the end of the line; remove them")
    if "\t" in line and not tabs_allowed:
        faults.append("a tab; write spaces")
    return faults
