"""Prints how large the product and its tests are: lines, files, functions and public headers.

    sizes.py [ROOT]

ROOT is a checkout, this one by default; it need not be a git clone. Code is what is neither blank nor a comment. Functions
are those in and outside of classes, without lambdas; their lines are those between the braces.
"""

import ast
import re
import sys
from pathlib import Path
from typing import Iterator, NamedTuple

from bodies import Body, bodies, plain
from cpp import PARTS, SOURCES
from functions import python_functions

PRODUCT = ("dataloader", "operator", "trainer")
SUFFIXES = (*SOURCES, ".proto", ".c", ".py", ".sh", ".go")
PACKAGE = "dataloader/package/headers.cmake"
LONGEST = 10


class File(NamedTuple):
    path: str
    lines: int
    code: int
    functions: list[tuple[int, str]]  # lines and name


def main() -> None:
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[2])
    files = {group: sorted(files_in(root, group)) for group in (*PRODUCT, "tests")}
    product = [file for group in PRODUCT for file in files[group]]
    print(f"{'':12}{'files':>7}{'lines':>9}{'code':>9}{'functions':>11}  largest file")
    for group, members in [*files.items(), ("product", product)]:
        print_row(group, members)
    print_longest("product", product)
    print_longest("tests", files["tests"])
    print_public_headers(root, {file.path: file for file in product})


def files_in(root: Path, group: str) -> Iterator[File]:
    for path in (root / group).rglob("*"):
        if path.suffix in SUFFIXES:
            name, text = str(path.relative_to(root)), path.read_text()
            yield File(name, text.count("\n"), code_lines(name, text), functions_of(name, text))


def code_lines(path: str, text: str) -> int:
    return sum(bool(line.strip()) and not line.lstrip().startswith("#!") for line in without_comments(path, text).split("\n"))


def without_comments(path: str, text: str) -> str:
    if path.endswith(".py"):
        lines = re.sub(r"(?m)^[ \t]*#.*", "", text).split("\n")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node) is not None:
                for number in range(node.body[0].lineno - 1, node.body[0].end_lineno):
                    lines[number] = ""
        return "\n".join(lines)
    if path.endswith(".sh"):
        return re.sub(r"(?m)^\s*#.*", "", text)
    return PARTS.sub(lambda part: "" if part["comment"] else part[0], text)


def functions_of(path: str, text: str) -> list[tuple[int, str]]:
    if path.endswith(".py"):
        return [(function.length, function.name) for function in python_functions(text)]
    if not path.endswith(SOURCES):
        return []
    code = plain(text)
    return [(code.count("\n", body.begin, body.end), name_of(body)) for body in bodies(code)]


def name_of(body: Body) -> str:
    return body.parameters.replace(", ", ".") if re.fullmatch("(TYPED_)?TEST(_[FP])?", body.name) else str(body)


def print_row(group: str, files: list[File]) -> None:
    largest = max(files, key=lambda file: file.lines)
    lines, code, functions = (sum(counts) for counts in zip(*((f.lines, f.code, len(f.functions)) for f in files)))
    print(f"{group:12}{len(files):7,}{lines:9,}{code:9,}{functions:11,}  {largest.path} ({largest.lines} lines)")


def print_longest(group: str, files: list[File]) -> None:
    functions = sorted(((lines, f"{file.path}: {name}") for file in files for lines, name in file.functions), reverse=True)
    middle = functions[len(functions) // 2][0]
    print(f"\nlongest functions of {group}; half of all have at most {middle} lines, "
          f"{sum(lines > 30 for lines, _ in functions)} have over 30, {sum(lines > 50 for lines, _ in functions)} over 50")
    for lines, name in functions[:LONGEST]:
        print(f"{lines:5}  {name}")


def print_public_headers(root: Path, files: dict[str, File]) -> None:
    package = re.sub(r"(?m)^\s*#.*", "", (root / PACKAGE).read_text())
    installed = re.search(r"set\(public ([^)]*)\)", package)[1].split()
    public, pending = set(), re.findall(r"[\w/]+\.h\b", package)
    while pending:
        header = pending.pop()
        if header not in public and header in files:
            public.add(header)
            pending += re.findall(r'(?m)^#include "(.*)"', (root / header).read_text())
    headers = sum(path.endswith((".h", ".cuh")) for path in files)
    print(f"\npublic headers: {len(installed)} are installed, made of {len(public)} of {headers}; "
          f"{sum(files[path].lines for path in public):,} lines, {sum(files[path].code for path in public):,} of code")


if __name__ == "__main__":
    main()
