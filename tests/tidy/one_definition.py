"""A type name is defined once in its namespace.

Two types of one name in one namespace, each seen by other files, are undefined behaviour that no compiler reports: the
linker keeps one of their destructors for both. Types within functions, classes and unnamed namespaces are not checked.
"""

import re
from typing import Iterator, NamedTuple

from cpp import SOURCES, code_of
from tree import Problem, Tree

PRODUCT = ("operator/", "trainer/", "dataloader/")
TOKEN = re.compile(
    r"""(?P<text>"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+')
      | \bnamespace\b\s*(?P<namespace>[\w:]*)\s*\{
      | \b(?:enum\s+(?:class|struct)|enum|struct|class|union)\s+(?P<type>\w+)\s*(?:final\s*)?(?::(?!:)[^;{]*)?\{
      | \busing\s+(?P<alias>\w+)\s*=
      | (?P<open>\{) | (?P<close>\})""",
    re.VERBOSE,
)
UNNAMED = "(unnamed)"
NO_NAMESPACE = "(block)"


class Definition(NamedTuple):
    name: str  # With its namespace.
    path: str
    line: int


def check(tree: Tree) -> list[Problem] | None:
    sources = [path for path in tree.with_suffix(*SOURCES) if path.startswith(PRODUCT)]
    if not sources:
        return None
    first: dict[str, Definition] = {}
    problems = []
    for path in sorted(sources):
        for definition in definitions_in(path, tree.texts[path]):
            other = first.setdefault(definition.name, definition)
            if other != definition:
                what = (
                    f"{definition.name} is also defined at {other.path}:{other.line}; rename one of them, "
                    "or include the other's header"
                )
                problems.append(Problem(path, definition.line, what))
    return problems


def definitions_in(path: str, text: str) -> Iterator[Definition]:
    code = code_of(text)
    scopes: list[str] = []
    for token in TOKEN.finditer(code):
        if token["text"]:
            continue
        if token["namespace"] is not None:
            scopes.append(token["namespace"] or UNNAMED)
        elif token["type"] or token["alias"]:
            if not {UNNAMED, NO_NAMESPACE} & set(scopes):
                name = "::".join([*scopes, token["type"] or token["alias"]])
                yield Definition(name, path, 1 + code.count("\n", 0, token.start()))
            if token["type"]:
                scopes.append(NO_NAMESPACE)
        elif token["open"]:
            scopes.append(NO_NAMESPACE)
        elif token["close"] and scopes:
            scopes.pop()
