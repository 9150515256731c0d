"""Reads as much Markdown as the checks need: prose and fenced code, code spans, tables, anchors as on GitHub."""

import re
from typing import NamedTuple

FENCE = re.compile(r"^\s*(```+|~~~+)")
CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
HEADING = re.compile(r"^ {0,3}#{1,6}\s+(.*?)\s*#*\s*$")
EXPLICIT_ANCHOR = re.compile(r"""<a\s[^>]*?(?:id|name)=["']([^"']+)["']""")


class Line(NamedTuple):
    number: int
    text: str


class Parts(NamedTuple):
    prose: list[Line]
    fenced: list[Line]


def parts_of(text: str) -> Parts:
    parts = Parts([], [])
    fence = None
    for number, line in enumerate(text.splitlines(), 1):
        mark = FENCE.match(line)
        if fence is None and mark:
            fence = mark[1]
        elif fence and mark and mark[1].startswith(fence):
            fence = None
        else:
            (parts.fenced if fence else parts.prose).append(Line(number, line))
    return parts


def code_spans(line: str) -> list[str]:
    return [span[2].strip() for span in CODE_SPAN.finditer(line)]


def without_code_spans(line: str) -> str:
    return CODE_SPAN.sub("", line)


def cells(row: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", row.strip().strip("|"))]


def tables(text: str) -> list[list[Line]]:
    """Each table as its lines: the heading, the rule below it, the rows."""
    found: list[list[Line]] = []
    previous = None
    for line in parts_of(text).prose:
        if not line.text.lstrip().startswith("|"):
            continue
        if previous is None or line.number != previous + 1:
            found.append([])
        found[-1].append(line)
        previous = line.number
    return found


def anchors(text: str) -> set[str]:
    """The anchors that links may use: headings in lower case, without punctuation, with hyphens for spaces, numbered if repeated."""
    found: set[str] = set()
    times: dict[str, int] = {}
    for line in parts_of(text).prose:
        found.update(EXPLICIT_ANCHOR.findall(line.text))
        heading = HEADING.match(line.text)
        if heading:
            shown = re.sub(r"<[^>]*>", "", re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading[1]))
            slug = re.sub(r"[^\w\- ]", "", shown.lower()).replace(" ", "-")
            seen = times.get(slug, 0)
            times[slug] = seen + 1
            found.add(f"{slug}-{seen}" if seen else slug)
    return found
