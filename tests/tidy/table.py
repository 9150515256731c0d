"""Reads the tables beside the checks: one row on each line, `name <- items`; an indented line continues the row above."""

from typing import NamedTuple


class Row(NamedTuple):
    line: int
    name: str
    items: list[str]


def rows_in(text: str) -> list[Row]:
    """`#` starts a comment."""
    joined: list[tuple[int, str]] = []
    for number, line in enumerate(text.splitlines(), 1):
        content = line.split("#")[0]
        if content[:1].isspace() and joined:
            joined[-1] = (joined[-1][0], joined[-1][1] + content)
        elif content.strip():
            joined.append((number, content))
    parts = ((number, *content.partition("<-")) for number, content in joined)
    return [Row(number, name.strip(), items.split()) for number, name, _, items in parts]


def inside(path: str, unit: str) -> bool:
    """A unit is a folder, or a file with or without its ending: `trainer/launch` is launch.h and launch.cc."""
    return path == unit or path.startswith(unit + "/") or path.rsplit(".", 1)[0] == unit


def inside_any(path: str, units: list[str]) -> bool:
    return any(inside(path, unit) for unit in units)
