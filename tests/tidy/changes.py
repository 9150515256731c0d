"""Finds where a function of a state machine changes a data member: by its name, by a reference, by an iterator.

A data member is a name that ends in `_`. Every method that is not in READING counts as a change.
"""

import re
from typing import Iterator, NamedTuple

from bodies import Body, closing

READING = frozenset(
    "at back begin contains count empty end find first_absent fits front has_value list lower_bound rbegin rend size "
    "upper_bound value".split()
)
MEMBER = r"[a-z]\w*_"
POINTING = r"(?:find|begin|rbegin|lower_bound|upper_bound)"
LOCAL = re.compile(
    r"(?P<constant>const\s+)?(?P<type>[a-zA-Z][\w:]*(?:<[^;=()]*>)?)"
    r"(?P<by>\s*[&*]\s*|\s+)(?P<name>\w+)\s*=\s*(?P<from>[^;]*)"
)
LOOP = re.compile(r"\bfor\s*\((?P<constant>const\s+)?[\w:<>]+\s*&\s*(?P<name>\w+|\[[^\]]*\])\s*:\s*(?P<from>[^{;]*)")
LAMBDA = re.compile(r"\[[^\[\]]*\]\s*\(([^()]*)\)")
TAKEN_BY_REFERENCE = re.compile(r"(?:^|,)\s*(?!\s|const\b)[^,&]*&\s*(\w+)(?=\s*(?:,|$))")
ASSIGNED = re.compile(r"\s*(?:=(?!=)|[-+*/|&^%]=|<<=|>>=|\+\+|--)")
CHANGED_BY_PREFIX = re.compile(
    r"(?:\+\+|--)\s*\*?$|\bstd::(?:exchange|erase|erase_if|move|swap)\(\s*\*?$|\bstd::swap\([^()]*,\s*$"
)
WRITING_ALGORITHM = re.compile(
    r"\bstd::(?:copy|fill|generate|iota|partial_sort|remove|reverse|rotate|shuffle|sort|stable_sort|transform|unique)"
    r"\w*\([^;]*$"
)
STEP = re.compile(r"\s*(?:\.|->)(\w+)|\[")


class Change(NamedTuple):
    place: int
    what: str  # the data member, or the local name that refers to it


class Names(NamedTuple):
    """The names through which a function can change members: references to them, and pointers or iterators."""

    references: frozenset[str]
    pointers: frozenset[str]


def changes_in(code: str, body: Body, ignored: frozenset[str]) -> list[Change]:
    """`ignored` are members, or fields of them, whose changes do not count."""
    names = names_in(code, body)
    words = sorted((names.references | names.pointers) - ignored)
    found = re.compile(rf"{name_of(words)}").finditer(code, body.begin, body.end) if words else []
    return [Change(one.start(), one[0]) for one in found if is_changed(code, body, one, names, ignored)]


def name_of(words: list[str]) -> str:
    return rf"(?<![\w.:])(?<!->)(?:{'|'.join(words)})\b"


def names_in(code: str, body: Body) -> Names:
    inner = code[body.begin : body.end]
    taken = ",".join([body.parameters, *LAMBDA.findall(inner)])
    references = set(re.findall(name_of([MEMBER]), inner)) | set(TAKEN_BY_REFERENCE.findall(taken))
    pointers: set[str] = set()
    for local in sorted([*LOCAL.finditer(inner), *LOOP.finditer(inner)], key=lambda found: found.start()):
        known = sorted(references | pointers)
        mentioned = re.search(name_of(known) + "(.*)", local["from"], re.DOTALL) if known else None
        if not mentioned:
            continue
        named = set(re.findall(r"\w+", local["name"]))
        by = "&" if local.re is LOOP else local["by"].strip()
        if by and not local["constant"]:
            (references if by == "&" else pointers).update(named)
        elif not by and local["type"] == "auto" and re.search(rf"(?:\.|->){POINTING}\(", mentioned[1]):
            pointers |= named
    return Names(frozenset(references), frozenset(pointers))


def is_changed(code: str, body: Body, name: re.Match, names: Names, ignored: frozenset[str]) -> bool:
    before, place = code[body.begin : name.start()], name.end()
    if before.endswith(("&", "& ")) and ASSIGNED.match(code, place) and name[0] in names.references:
        return False  # The declaration of the reference.
    pointed = name[0] in names.references or before.endswith("*")
    if pointed and CHANGED_BY_PREFIX.search(before):
        return True
    for step, called, end in path_from(code, place):
        if step in ignored:
            return False
        if called and (step not in READING or step == "begin" and WRITING_ALGORITHM.search(before)):
            return True
        pointed, place = True, end
    return pointed and ASSIGNED.match(code, place) is not None


def path_from(code: str, place: int) -> Iterator[tuple[str, bool, int]]:
    """Each step of `.field`, `->method(...)` and `[index]` from `place` on: its name, whether it is a call, where it ends."""
    while step := STEP.match(code, place):
        called = step[1] is not None and code.startswith("(", step.end())
        place = step.end() if step[1] is not None and not called else closing(code, step.end() - (not called)) + 1
        yield step[1] or "", called, place
