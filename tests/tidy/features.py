"""docs/FEATURES.md lists what works, docs/reference/conditions.md what a job says of itself. Each row of their tables names, in the
column `test`, the tests that show it; they must exist."""

from markdown import Line, cells, code_spans, tables
from tree import Problem, Tree

PAGE = "docs/FEATURES.md"
OTHERS = ("docs/reference/conditions.md",)
COLUMN = "test"


def check(tree: Tree) -> list[Problem]:
    if PAGE not in tree.texts:
        return [Problem(PAGE, 1, "is missing; list each feature with the test that shows it")]
    if not tree.registered_tests:
        what = "cannot be compared with ctest's names; configure the build and give its folder: --build DIR"
        return [Problem(PAGE, 1, what)]
    found = tables(tree.texts[PAGE])
    if not found:
        return [Problem(PAGE, 1, f"has no table; list each feature in one with a column `{COLUMN}`")]
    pages = [PAGE, *(page for page in OTHERS if page in tree.texts)]
    return [problem for page in pages for table in tables(tree.texts[page])
            for problem in table_problems(page, table, tree.registered_tests)]


def table_problems(page: str, table: list[Line], registered: frozenset[str]) -> list[Problem]:
    heading, rows = table[0], table[2:]
    columns = [cell.lower() for cell in cells(heading.text)]
    if COLUMN not in columns:
        return [Problem(page, heading.number, f"the table has no column `{COLUMN}`; add it, with a test for each row")]
    column = columns.index(COLUMN)
    return [problem for row in rows for problem in row_problems(page, row, column, registered)]


def row_problems(page: str, row: Line, column: int, registered: frozenset[str]) -> list[Problem]:
    values = cells(row.text)
    tests = code_spans(values[column]) if column < len(values) else []
    if not tests:
        return [Problem(page, row.number, f"`{values[0]}` names no test; name in backticks the one that shows it")]
    what = "names the test `{}`, which ctest does not have; correct the name or add the test"
    return [
        Problem(page, row.number, what.format(test))
        for test in tests
        if not exists(test, registered)
    ]


def exists(test: str, registered: frozenset[str]) -> bool:
    """A trailing `*` stands for a family, of which at least one test must exist."""
    if test.endswith("*"):
        return any(name.startswith(test[:-1]) for name in registered)
    return test in registered
