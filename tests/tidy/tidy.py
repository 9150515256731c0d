"""Runs one house rule over the repository.

    tidy.py CHECK [--root DIR] [--build DIR]

Prints one line for each problem, `PATH:LINE: what is wrong; what to do`. Exit codes: 0, no problem; 1, problems; 2, not
a git clone; 77, nothing to check yet.
--build is the CMake build folder; only `features` and `effects` need it, to get the names of all tests from ctest.
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
import effects
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

# A check takes a Tree and returns its problems, or None if the tree has nothing for it to check yet.
CHECKS = {
    "banned_words": banned_words.check,
    "budget": budget.check,
    "changing": changing.check,
    "crd_equal": crd.check_equal,
    "crd_size": crd.check_size,
    "effects": effects.check,
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
# A summary that a check prints after its problems, if any.
SUMMARIES = {"points": points.summary}
NOTHING_YET = 77
NO_CLONE = 2


def tests_registered_in(build: Path) -> frozenset[str]:
    shown = subprocess.check_output(["ctest", "--show-only=json-v1", "--test-dir", str(build)])
    return frozenset(test["name"] for test in json.loads(shown)["tests"])


def main() -> int:
    parser = argparse.ArgumentParser(description="Runs one house rule over the repository.")
    parser.add_argument("check", choices=sorted(CHECKS))
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[2])
    parser.add_argument("--build", type=Path)
    options = parser.parse_args()
    registered = tests_registered_in(options.build) if options.build else frozenset()
    try:
        tree = read_tree(options.root, registered)
    except NoTree as problem:
        print(f"tidy: {problem}", file=sys.stderr)
        return NO_CLONE
    problems = CHECKS[options.check](tree)
    if problems is None:
        print(f"nothing yet: {options.check}")
        return NOTHING_YET
    for problem in sorted(problems):
        print(problem)
    if options.check in SUMMARIES:
        print(SUMMARIES[options.check](tree))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
