"""A folder's README.md names exactly the files and folders that are in it, so that it can serve as a map.

`plan.h/.cc` names two files, `core/` a folder; `*.json` at the start of a list item or table row names all that match.
"""

import re
from fnmatch import fnmatch
from pathlib import PurePosixPath

from markdown import Line, code_spans, parts_of
from tree import Problem, Tree

MAPPED = ("operator", "trainer", "dataloader", "tests")
UNNAMED = ("README.md", "CMakeLists.txt")
ITEM_START = re.compile(r"^\s*(?:[-*+]|\d+\.|\|)\s+(.*)$")
FIRST_SPAN = re.compile(r"^(?:,\s*|and\s+)?(?:\*\*|\[)*`([^`]+)`(?:\*\*|\]\([^)]*\))*\s*")
PLAIN_NAME = re.compile(r"^[\w.*-]+\.[\w*-]+(/\.\w+)*$|^[\w.-]+/$")


def check(tree: Tree) -> list[Problem]:
    problems = []
    for folder in sorted(folders_to_map(tree)):
        if f"{folder}/README.md" not in tree.texts:
            what = f"is missing; describe {folder}/ there, and name each file and folder in it, in backticks"
            problems.append(Problem(f"{folder}/README.md", 1, what))
    for readme in tree.with_suffix("/README.md"):
        problems += map_problems(readme, tree)
    return problems


def folders_to_map(tree: Tree) -> set[str]:
    """Each folder at the root, and each directly below the components and tests."""
    visible = {folder for folder in tree.folders() if not folder.startswith(".")}
    return {folder for folder in visible if "/" not in folder or str(PurePosixPath(folder).parent) in MAPPED}


def held_by(folder: str, tree: Tree) -> set[str]:
    """The names of the files in a folder, and of its subfolders with a slash at the end."""
    below = (path.removeprefix(folder + "/") for path in tree.paths() if path.startswith(folder + "/"))
    return {name.split("/")[0] + ("/" if "/" in name else "") for name in below}


def map_problems(readme: str, tree: Tree) -> list[Problem]:
    held = held_by(str(PurePosixPath(readme).parent), tree) - set(UNNAMED)
    prose = parts_of(tree.texts[readme]).prose
    endings = {PurePosixPath(path).suffix for path in tree.paths()}
    leading = [(line.number, name) for line in prose for name in leading_names(line, endings)]
    named = {name for line in prose for span in code_spans(line.text) for name in spelled_out(span)}
    patterns = [name for _, name in leading if "*" in name]
    return [
        Problem(readme, 1, f"does not name `{name}`, which is in this folder; say there what it is")
        for name in sorted(held - named)
        if not any(fnmatch(name, pattern) for pattern in patterns)
    ] + [
        Problem(readme, line, f"names `{name}`, which is not in this folder; remove it")
        for line, name in leading
        if name not in UNNAMED and not any(fnmatch(other, name) for other in held)
    ]


def spelled_out(span: str) -> list[str]:
    """`plan.h/.cc` -> plan.h, plan.cc."""
    first, *endings = span.split("/.")
    return [first, *(f"{first.rsplit('.', 1)[0]}.{ending}" for ending in endings)]


def leading_names(line: Line, endings: set[str]) -> list[str]:
    """The file and folder names at the start of a list item or table row. `spec.data` is not one: no file has such an ending."""
    item = ITEM_START.match(line.text)
    rest = item[1] if item else ""
    names: list[str] = []
    while span := FIRST_SPAN.match(rest):
        if PLAIN_NAME.match(span[1]):
            names += spelled_out(span[1])
        rest = rest[span.end() :]
    return [name for name in names if name.endswith("/") or PurePosixPath(name).suffix in endings]
