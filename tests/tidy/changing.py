"""docs/CHANGING.md lists what to touch for each usual kind of change; its paths exist, and no list is missing.

A path is a code span with a slash, or one that ends like a file; spans with blanks, quotes or `://` are code, not paths.
"""

import re

from markdown import HEADING, Line, code_spans, parts_of
from tree import Problem, Tree

PAGE = "docs/CHANGING.md"
LISTS = (
    "A manifest field",
    "A layer",
    "A graph operator",
    "A pipeline stage",
    "A storage scheme",
    "A retry policy",
    "A role",
    "A failure reason",
    "A command",
)
PATH = re.compile(r"\w[\w.-]*(/[\w.-]+)+/?|[\w-]+\.(cc|h|md|py|txt|yaml)")


def check(tree: Tree) -> list[Problem]:
    if PAGE not in tree.texts:
        return [Problem(PAGE, 1, "is missing; list for each usual kind of change the files to touch")]
    lines = parts_of(tree.texts[PAGE]).prose
    return [*missing_lists(lines), *missing_paths(lines, tree)]


def missing_lists(lines: list[Line]) -> list[Problem]:
    """A list is its heading, and under it at least one path."""
    paths_under: dict[str, int] = {}
    heading = ""
    for line in lines:
        if match := HEADING.match(line.text):
            heading = match[1]
        paths_under[heading] = paths_under.get(heading, 0) + len(paths_in(line.text))
    return [
        Problem(PAGE, 1, f"has no list under the heading `{name}`; name there, in backticks, the files to touch for it")
        for name in LISTS
        if not paths_under.get(name)
    ]


def missing_paths(lines: list[Line], tree: Tree) -> list[Problem]:
    known = set(tree.paths()) | tree.folders()
    return [
        Problem(PAGE, line.number, f"names {path}, which does not exist; name the file that took its place, or remove it")
        for line in lines
        for path in paths_in(line.text)
        if path.rstrip("/") not in known
    ]


def paths_in(text: str) -> list[str]:
    return [span for span in code_spans(text) if PATH.fullmatch(span)]
