"""`./dev` and the docs agree: README.md or docs/TESTING.md explains each verb, and every verb that a page mentions exists.

The verbs are the script's functions named `verb_NAME`, with hyphens for underscores.
"""

import re

from markdown import code_spans, parts_of
from tree import Problem, Tree

SCRIPT = "dev"
EXPLAINED_IN = ("README.md", "docs/TESTING.md")
VERB = re.compile(r"^(?:function\s+)?verb_(\w+)\s*\(\)", re.MULTILINE)
MENTION = re.compile(r"(?<![\w./])\./dev ([a-z][a-z_-]*)")


def check(tree: Tree) -> list[Problem]:
    if SCRIPT not in tree.texts:
        return [Problem(SCRIPT, 1, "is missing; the docs tell users to run it")]
    script = tree.texts[SCRIPT]
    verbs = {verb[1].replace("_", "-"): 1 + script.count("\n", 0, verb.start()) for verb in VERB.finditer(script)}
    mentions = [(path, line, verb) for path in tree.with_suffix(".md") for line, verb in mentions_in(tree.texts[path])]
    explained = {verb for path, _, verb in mentions if path in EXPLAINED_IN}
    return [
        Problem(SCRIPT, line, f"`./dev {verb}` is explained in neither {' nor '.join(EXPLAINED_IN)}; say there what it does")
        for verb, line in verbs.items()
        if verb not in explained
    ] + [
        Problem(path, line, f"`./dev {verb}` does not exist; the verbs are {', '.join(sorted(verbs))}")
        for path, line, verb in mentions
        if verb not in verbs
    ]


def mentions_in(text: str) -> list[tuple[int, str]]:
    """In code only, because in prose the word after ./dev need not be a verb."""
    parts = parts_of(text)
    code = [(line.number, span) for line in parts.prose for span in code_spans(line.text)]
    code += [(line.number, line.text.split("#")[0]) for line in parts.fenced]
    return [(number, verb) for number, span in code for verb in MENTION.findall(span)]
