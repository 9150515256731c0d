"""Files have at most 400 lines (250 are usual) and functions 50; budget.txt lists what is longer, and can only shrink."""

from typing import Iterator, NamedTuple

from cpp import SOURCES
from functions import Function, bash_functions, cpp_functions, python_functions
from tree import Problem, Tree

EXEMPTIONS = "tests/tidy/budget.txt"
FILE_LIMIT = 400
FUNCTION_LIMIT = 50


class Length(NamedTuple):
    path: str
    line: int
    lines: int
    limit: int
    what: str


def check(tree: Tree) -> list[Problem]:
    lengths: dict[str, Length] = {}
    problems = []
    for path, text in sorted(tree.texts.items()):
        if is_code(path, text):
            try:
                lengths |= lengths_in(path, text)
            except SyntaxError as error:
                problems.append(Problem(path, error.lineno or 1, f"is not valid Python ({error.msg}); correct it"))
    return [*problems, *problems_in(lengths, tree.texts[EXEMPTIONS])]


def lengths_in(path: str, text: str) -> dict[str, Length]:
    """Lengths by name, which is FILE or FILE:FUNCTION."""
    lengths = {path: Length(path, 1, text.count("\n"), FILE_LIMIT, "file")}
    for function in functions_in(path, text):
        name = f"{path}:{function.name}"
        if name not in lengths or lengths[name].lines < function.length:  # Overloads share a name.
            lengths[name] = Length(path, function.line, function.length, FUNCTION_LIMIT, f"function {function.name}")
    return lengths


def problems_in(lengths: dict[str, Length], exemptions: str) -> Iterator[Problem]:
    listed = {}
    for number, line in enumerate(exemptions.splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            name, allowed = line.rsplit(maxsplit=1)
            listed[name] = int(allowed)
            yield from exemption_problems(number, name, int(allowed), lengths)
    for name, length in lengths.items():
        allowed = listed.get(name, length.limit)
        if length.lines > allowed:
            what = f"the {length.what} has {length.lines} lines, over {allowed}; split it into parts with one matter each"
            yield Problem(length.path, length.line, what)


def exemption_problems(number: int, name: str, allowed: int, lengths: dict[str, Length]) -> Iterator[Problem]:
    length = lengths.get(name)
    if length is None:
        yield Problem(EXEMPTIONS, number, f"{name} is gone; remove the line")
    elif length.lines <= length.limit:
        yield Problem(EXEMPTIONS, number, f"{name} is within budget; remove the line")
    elif length.lines < allowed:
        what = f"{name} has only {length.lines} lines now; lower the number to {length.lines}"
        yield Problem(EXEMPTIONS, number, what)


def is_bash(path: str, text: str) -> bool:
    return path.endswith(".sh") or text.startswith(("#!/bin/bash", "#!/usr/bin/env bash", "#!/bin/sh"))


def is_code(path: str, text: str) -> bool:
    return path.endswith((*SOURCES, ".py", ".cmake", "CMakeLists.txt")) or is_bash(path, text)


def functions_in(path: str, text: str) -> list[Function]:
    if path.endswith(SOURCES):
        return cpp_functions(text)
    if path.endswith(".py"):
        return python_functions(text)
    return bash_functions(text) if is_bash(path, text) else []
