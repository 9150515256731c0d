"""Finds the bodies of C++ functions, in and outside of classes, and which functions a class keeps private.

All of it works on plain text: without comments and `this->`, with blanked strings, and with each line where it was.
"""

import re
from typing import Iterator, NamedTuple

from cpp import code_of

QUOTED = re.compile(r'"(?:\\.|[^"\\\n])*"' r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'")
LABEL = re.compile(r"\b(?:public|private|protected):")
CLASS = re.compile(r"\b(?:class|struct)\s+([\w:]+)[^;()]*$")
ENDS_A_FUNCTION_HEAD = re.compile(r"\)(?:\s|\b(?:const|noexcept|override|final)\b|->[\w:<>&* ]+)*$")
NAME = re.compile(r"(~?[\w:~]+)\s*\(")


class Body(NamedTuple):
    owner: str  # the class; empty for a free function
    name: str
    parameters: str
    begin: int  # of the text between the braces
    end: int

    def __str__(self) -> str:
        return f"{self.owner}::{self.name}" if self.owner else self.name


def plain(text: str) -> str:
    code = code_of(text).replace("this->", "")
    return QUOTED.sub(lambda quoted: quoted[0][0] + " " * (len(quoted[0]) - 2) + quoted[0][0], code)


def closing(code: str, opening: int) -> int:
    """The position of the bracket that closes the one at `opening`, or the end of the text."""
    pairs = {"(": ")", "[": "]", "{": "}"}
    opener, closer = code[opening], pairs[code[opening]]
    depth = 0
    for place in range(opening, len(code)):
        depth += (code[place] == opener) - (code[place] == closer)
        if depth == 0:
            return place
    return len(code)


def block_end(code: str, place: int) -> int:
    """The position where the block around `place` ends."""
    while place < len(code) and code[place] != "}":
        place = closing(code, place) + 1 if code[place] == "{" else place + 1
    return place


def bodies(code: str, begin: int = 0, end: int | None = None, owner: str = "") -> Iterator[Body]:
    """The function bodies between `begin` and `end`; `owner` is the class around them."""
    end = len(code) if end is None else end
    place = head_begin = begin
    while place < end:
        if code[place] in ";}":
            head_begin = place + 1
        elif code[place] == "{":
            inner_end = min(closing(code, place), end)
            head = LABEL.sub("", code[head_begin:place])
            if ENDS_A_FUNCTION_HEAD.search(head.rstrip()):
                yield body_of(head, owner, place + 1, inner_end)
            elif "=" not in head:
                opened = CLASS.search(without_angles(head))
                yield from bodies(code, place + 1, inner_end, opened[1].split("::")[-1] if opened else owner)
            place, head_begin = inner_end, inner_end + 1
        place += 1


def without_angles(head: str) -> str:
    """The head without template arguments and parameters, which may contain names and parentheses of their own."""
    while (shorter := re.sub(r"<[^<>]*>", "", head)) != head:
        head = shorter
    return head


def body_of(head: str, owner: str, begin: int, end: int) -> Body:
    head = without_angles(head)
    named = NAME.search(head)
    *scopes, name = named[1].split("::") if named else [""]
    parameters = head[named.end() - 1 : closing(head, named.end() - 1)][1:] if named else ""
    return Body(scopes[-1] if scopes else owner, name, parameters, begin, end)


def private_names(code: str) -> set[tuple[str, str]]:
    """(class, name) of every function declared below `private:` or `protected:`."""
    found = set()
    for declared in re.finditer(r"\bclass\s+([\w:]+)[^;{}()]*\{", code):
        inner = code[declared.end() : closing(code, declared.end() - 1)]
        for section in re.split(r"\b(?=(?:public|private|protected):)", inner)[1:]:
            if not section.startswith("public"):
                found |= {(declared[1].split("::")[-1], name) for name in re.findall(r"(\w+)\s*\(", section)}
    return found
