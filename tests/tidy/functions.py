"""Finds functions and their lengths: in Python with its parser, in C++ and bash by lines that begin in column 0.

C++ functions inside a class are not found; the budget of their file limits them.
"""

import ast
import re
from typing import Iterator, NamedTuple

from cpp import code_of

NO_FUNCTION = re.compile(r"^(namespace|struct|class|enum|union|extern|template\s*<[^>]*>\s*(struct|class))\b")
TEST_CASE = re.compile(r"^(?:TYPED_)?TEST(?:_[FP])?\(\s*(\w+)\s*,\s*(\w+)")
CPP_NAME = re.compile(r"((?:\w+::)*(?:operator\s*[^\s\w(]+|operator\(\))|[\w:~]+)\s*\(")
BASH_OPENING = re.compile(r"^(?:function\s+)?([\w-]+)\s*\(\)\s*[{(]")


class Function(NamedTuple):
    name: str
    line: int
    length: int


def python_functions(text: str) -> list[Function]:
    return list(functions_below(ast.parse(text), ""))


def functions_below(node: ast.AST, scope: str) -> Iterator[Function]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield Function(scope + child.name, child.lineno, child.end_lineno - child.lineno + 1)
        named = isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        yield from functions_below(child, f"{scope}{child.name}." if named else scope)


def bash_functions(text: str) -> list[Function]:
    lines = text.splitlines()
    found = []
    for number, line in enumerate(lines):
        opening = BASH_OPENING.match(line)
        if opening:
            length = 1 if line.rstrip().endswith(("}", ")")) else length_from(number, lines)
            found.append(Function(opening[1], number + 1, length))
    return found


def cpp_functions(text: str) -> list[Function]:
    lines = code_of(text).splitlines()
    found = []
    for number, line in enumerate(lines):
        if re.match(r"[A-Za-z_~\[]", line) and not NO_FUNCTION.match(line):
            head = head_from(number, lines)
            name = name_in(head) if head.endswith("{") and not head.endswith("= {") else None
            if name:
                found.append(Function(name, number + 1, length_from(number, lines)))
    return found


def head_from(number: int, lines: list[str]) -> str:
    """From a line in column 0 to the end of the line that opens a body or ends a declaration."""
    head = lines[number].rstrip()
    for line in lines[number + 1 : number + 20]:
        if head.endswith(("{", ";", "}")) or re.match(r"[A-Za-z_#}]", line):
            break
        head = f"{head} {line.strip()}"
    return head


def name_in(head: str) -> str | None:
    case = TEST_CASE.match(head)
    if case:
        return f"{case[1]}.{case[2]}"
    name = CPP_NAME.search(head)
    return name[1] if name else None


def length_from(number: int, lines: list[str]) -> int:
    """Lines up to the first closing brace in column 0."""
    ends = (end for end in range(number, len(lines)) if lines[end].startswith(("}", ")")) or end == len(lines) - 1)
    return next(ends) - number + 1
