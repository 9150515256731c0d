"""Relative links and images in every Markdown file lead to a file or folder of the repository, and anchors to a heading."""

import re
from posixpath import dirname, join, normpath
from urllib.parse import unquote

from markdown import anchors, parts_of, without_code_spans
from tree import Problem, Tree

TARGETS = (
    re.compile(r"\]\(\s*<?([^)\s>]+)"),
    re.compile(r"^ {0,3}\[[^\]]+\]:\s+<?([^\s>]+)"),
    re.compile(r"""<(?:a|img)\s[^>]*?(?:href|src)=["']([^"']+)"""),
)
ELSEWHERE = re.compile(r"^([a-zA-Z][a-zA-Z0-9+.-]*:|//)")


def check(tree: Tree) -> list[Problem]:
    known = set(tree.paths()) | tree.folders() | {"."}
    anchors_of = {path: anchors(tree.texts[path]) for path in tree.with_suffix(".md")}
    problems = []
    for path in anchors_of:
        for line in parts_of(tree.texts[path]).prose:
            for target in targets_in(line.text):
                what = fault(path, target, known, anchors_of)
                if what:
                    problems.append(Problem(path, line.number, what))
    return problems


def targets_in(line: str) -> list[str]:
    targets = [target for pattern in TARGETS for target in pattern.findall(without_code_spans(line))]
    return [target for target in targets if not ELSEWHERE.match(target)]


def fault(path: str, target: str, known: set[str], anchors_of: dict[str, set[str]]) -> str | None:
    place, _, anchor = unquote(target).partition("#")
    from_root = place.startswith("/")
    file = normpath(join("" if from_root else dirname(path), place.lstrip("/"))) if place else path
    if file not in known:
        return f"links to {target}, but there is no {file}; correct the link or add the file"
    if anchor and file in anchors_of and anchor not in anchors_of[file]:
        likely = nearest(anchor, anchors_of[file])
        return f"links to {target}, but {file} has no heading of that name; its anchors: {likely}"
    return None


def nearest(anchor: str, known: set[str]) -> str:
    shown = sorted(known, key=lambda other: (-len(set(anchor.split("-")) & set(other.split("-"))), other))[:5]
    return ", ".join(f"#{other}" for other in shown) or "none"
