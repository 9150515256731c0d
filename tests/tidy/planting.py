"""How tests plant a fault: a tree of texts made by hand, and what a check says of it, as it would be printed."""

from typing import Callable, Iterable

from tree import Problem, Tree


def said(check: Callable[[Tree], list[Problem] | None], texts: dict[str, str], tests: Iterable[str] = ()) -> list[str]:
    problems = check(Tree(texts, registered_tests=frozenset(tests)))
    assert problems is not None, "the check says: nothing yet"
    return [str(problem) for problem in sorted(problems)]
