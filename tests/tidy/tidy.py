"""Runs one house rule over the repository.

    tidy.py CHECK [--root DIR] [--build DIR]

Prints one line a problem, `PATH:LINE: what is wrong; what to do`. Exit code 0: none. 1: problems. 2: this is no
clone. 77: nothing to check yet.
--build is the CMake build folder; only `features` needs it, to ask ctest for the names of all tests.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

import banned_words
import budget
import changing
import crd
import features
import hidden_inputs
import includes
import links
import listed
import names
import one_definition
import points
import readmes
import unused_grants
import verbs
from tree import NoTree, read_tree

# A check takes a Tree and returns its problems, or None while what it looks at does not exist yet.
CHECKS = {
    "banned_words": banned_words.check,
    "budget": budget.check,
    "changing": changing.check,
    "crd_equal": crd.check_equal,
    "crd_size": crd.check_size,
    "features": features.check,
    "hidden_inputs": hidden_inputs.check,
    "includes": includes.check,
    "links": links.check,
    "listed": listed.check,
    "names": names.check,
    "one_definition": one_definition.check,
    "points": points.check,
    "readmes": readmes.check,
    "unused_grants": unused_grants.check,
    "verbs": verbs.check,
}
# What a check says of what it looked at, problems or none.
FIGURES = {"points": points.figures}
NOTHING_YET = 77
CANNOT = 2


def tests_registered_in(build: Path) -> frozenset[str]:
    shown = subprocess.check_output(["ctest", "--show-only=json-v1", "--test-dir", str(build)])
    return frozenset(test["name"] for test in json.loads(shown)["tests"])


def main() -> int:
    arguments = argparse.ArgumentParser(description="Runs one house rule over the repository.")
    arguments.add_argument("check", choices=sorted(CHECKS))
    arguments.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[2])
    arguments.add_argument("--build", type=Path)
    asked = arguments.parse_args()
    registered = tests_registered_in(asked.build) if asked.build else frozenset()
    try:
        tree = read_tree(asked.root, registered)
    except NoTree as problem:
        print(f"tidy: {problem}", file=sys.stderr)
        return CANNOT
    problems = CHECKS[asked.check](tree)
    if problems is None:
        print(f"nothing yet: {asked.check}")
        return NOTHING_YET
    for problem in sorted(problems):
        print(problem)
    if asked.check in FIGURES:
        print(FIGURES[asked.check](tree))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
