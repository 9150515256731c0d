"""How tests plant a fault: a tree of texts made by hand, and the messages that a check prints about it."""

from typing import Callable, Iterable

from tree import Problem, Tree


def messages(check: Callable[[Tree], list[Problem] | None], texts: dict[str, str], tests: Iterable[str] = ()) -> list[str]:
    problems = check(Tree(texts, registered_tests=frozenset(tests)))
    assert problems is not None, "the check has nothing to look at yet"
    return [str(problem) for problem in sorted(problems)]
