"""`#include`s are allowed: between folders by layers.txt, of libraries by libraries.txt; paths start at the root."""

import re
from fnmatch import fnmatch
from graphlib import CycleError, TopologicalSorter
from typing import Iterator, NamedTuple

from cpp import SOURCES, code_of
from table import Row, inside, inside_any, rows_in
from tree import Problem, Tree, is_main

LAYERS = "tests/tidy/layers.txt"
LIBRARIES = "tests/tidy/libraries.txt"
COMPONENTS = ("operator/", "trainer/", "dataloader/")
OURS = (*COMPONENTS, "tests/")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


class Include(NamedTuple):
    path: str
    line: int
    quoted: bool
    target: str

    def problem(self, what: str) -> Problem:
        return Problem(self.path, self.line, what)


class Library(NamedTuple):
    line: int
    name: str
    headers: list[str]
    folders: list[str]


def check(tree: Tree) -> list[Problem] | None:
    sources = [path for path in tree.with_suffix(*SOURCES) if path.startswith(OURS)]
    if not sources:
        return None
    rows = rows_in(tree.texts[LAYERS])
    folders = folder_rows(rows)
    libraries = libraries_in(tree.texts[LIBRARIES])
    problems = [*table_problems(rows, folders), *folders_without_row(sources, folders)]
    for path in sources:
        for include in includes_in(path, tree.texts[path]):
            problems += file_problems(include, tree)
            problems += layer_problems(include, folders)
            problems += library_problems(include, libraries)
    return problems


def includes_in(path: str, text: str) -> Iterator[Include]:
    for number, line in enumerate(code_of(text).splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield Include(path, number, match[1] == '"', match[2])


def libraries_in(text: str) -> list[Library]:
    named = ((row.line, row.name.partition(":"), row.items) for row in rows_in(text))
    return [Library(line, name, headers.split(), folders) for line, (name, _, headers), folders in named]


def folder_rows(rows: list[Row]) -> list[Row]:
    """The rows of folders, each with what `COMPONENT/*` allows to all of its component but these headers themselves."""
    to_all = {row.name.removesuffix("/*"): row.items for row in rows if row.name.endswith("/*")}
    headers = [item for items in to_all.values() for item in items]
    return [
        row._replace(items=[*row.items, *(() if any(inside(item, row.name) for item in headers) else to_all.get(component, []))])
        for row in rows
        if not row.name.endswith("/*") and (component := row.name.split("/")[0]) != row.name
    ]


def row_of(path: str, folders: list[Row]) -> Row | None:
    """The row that a file belongs to: the one with the longest name of those around it."""
    return max((row for row in folders if inside(path, row.name)), key=lambda row: len(row.name), default=None)


def file_problems(include: Include, tree: Tree) -> list[Problem]:
    """A quoted include is a path from the root. A generated header exists if its .proto does."""
    if not include.quoted:
        if include.target.startswith(OURS):
            return [include.problem(f'<{include.target}> is one of our own files; write "{include.target}"')]
        return []
    proto = re.sub(r"(\.grpc)?\.pb\.h$", ".proto", include.target)
    if proto in tree.texts:
        return []
    what = f'"{include.target}" is not a file of this repository; write the path from the root, or <> for a library'
    return [include.problem(what)]


def layer_problems(include: Include, folders: list[Row]) -> list[Problem]:
    if include.path.startswith("tests/") or not include.target.startswith(OURS):
        return []
    if include.target.startswith("tests/"):
        what = f"includes {include.target}; only tests/ may include tests/; move the shared part out of it"
        return [include.problem(what)]
    row = row_of(include.path, folders)
    if is_main(include.path) or row is None or row_of(include.target, folders) == row:
        return []
    if inside_any(include.target, row.items):
        return []
    allowed = ", ".join([row.name, *row.items])
    return [
        include.problem(
            f"includes {include.target}, but {row.name} may include only {allowed}; move the code, "
            f"or change line {row.line} of {LAYERS} if the design changed"
        )
    ]


def library_problems(include: Include, libraries: list[Library]) -> list[Problem]:
    if include.path.startswith("tests/") or is_main(include.path) or include.target.startswith("tests/"):
        return []
    for library in libraries:
        if any(fnmatch(include.target, header) for header in library.headers):
            if inside_any(include.path, library.folders):
                return []
            allowed = ", ".join([*library.folders, "mains", "tests"])
            what = f"includes {include.target} of {library.name}, which belongs in {allowed}; move the code there"
            return [include.problem(f"{what}, or change {LIBRARIES} if the design changed")]
    if include.quoted or include.target.startswith(OURS) or not re.search(r"[./]", include.target):
        return []
    what = f"<{include.target}> belongs to no library in {LIBRARIES}; add a line `LIBRARY: HEADERS <- FOLDERS`"
    return [include.problem(f"{what}, or use the C++ standard library")]


def folders_without_row(sources: list[str], folders: list[Row]) -> list[Problem]:
    without_row: dict[str, str] = {}
    for path in sources:
        if path.startswith(COMPONENTS) and not is_main(path) and row_of(path, folders) is None:
            unit = "/".join(path.split("/")[:2]).rsplit(".", 1)[0]
            without_row.setdefault(unit, path)
    what = "{0} is in no row of " + LAYERS + "; add a line `{0} <- FOLDERS IT MAY INCLUDE`"
    return [Problem(path, 1, what.format(unit)) for unit, path in without_row.items()]


def table_problems(rows: list[Row], folders: list[Row]) -> list[Problem]:
    components = {row.name: row for row in rows if "/" not in row.name}
    problems = []
    for row in folders:
        own = row.name.split("/")[0]
        known = components[own].items if own in components else []
        for item in row.items:
            if not inside(item, own) and not inside_any(item, known):
                allowed = ", ".join(known) or "nothing"
                what = f"{row.name} <- {item}, but {own} may include only {allowed} of other components; remove {item}"
                problems.append(Problem(LAYERS, row.line, what))
            elif row_of(item, folders) is None and item not in components:
                problems.append(Problem(LAYERS, row.line, f"{item} has no row of its own; add `{item} <- ...`"))
    return [*problems, *cycles(list(components.values())), *cycles(folders)]


def cycles(rows: list[Row]) -> list[Problem]:
    lines = {row.name: row.line for row in rows}
    arrows = {row.name: {name for name in rows_included_by(row, rows) if name != row.name} for row in rows}
    try:
        TopologicalSorter(arrows).prepare()
        return []
    except CycleError as error:
        cycle = list(reversed(error.args[1]))
        return [Problem(LAYERS, min(map(lines.get, cycle)), f"{' <- '.join(cycle)} is a cycle; remove one of its arrows")]


def rows_included_by(row: Row, rows: list[Row]) -> set[str]:
    """The rows that a row's items include: the folder that contains an item, or all folders of a component."""
    found = set()
    for item in row.items:
        containing = row_of(item, rows)
        found |= {containing.name} if containing else {other.name for other in rows if inside(other.name, item)}
    return found
