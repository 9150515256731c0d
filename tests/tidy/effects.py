"""Each field of a TrainingJob's spec has a test that sees its effect: tests/crds/effects.txt names it."""

from typing import Iterator

import yaml

from crd import definitions
from features import exists
from table import rows_in
from tree import Problem, Tree

TABLE = "tests/crds/effects.txt"


def check(tree: Tree) -> list[Problem] | None:
    found = definitions(tree)
    if not found:
        return None
    if TABLE not in tree.texts:
        return [Problem(TABLE, 1, "is missing; name for each field of the spec a test that sees its effect")]
    if not tree.registered_tests:
        return [Problem(TABLE, 1, "cannot be compared with ctest's names; configure the build and give its folder: --build DIR")]
    fields = {field for path in found for field in fields_of(tree.texts[path])}
    rows = {row.name: row for row in rows_in(tree.texts[TABLE])}
    problems = [
        Problem(TABLE, 1, f"has no row for {field}; name a test that sees its effect, and write it if there is none")
        for field in fields - rows.keys()
    ]
    for name, row in rows.items():
        if name not in fields:
            problems.append(Problem(TABLE, row.line, f"{name} is no field of the definition; remove the row"))
        if not row.items:
            problems.append(Problem(TABLE, row.line, f"{name} names no test"))
        problems += [
            Problem(TABLE, row.line, f"{name} names the test {test}, which ctest does not have; correct the name or add the test")
            for test in row.items
            if not exists(test, tree.registered_tests)
        ]
    return problems


def fields_of(definition: str) -> Iterator[str]:
    """Those without fields of their own. A schema that is used in several places (a YAML anchor) counts where it is used first."""
    for version in yaml.safe_load(definition)["spec"]["versions"]:
        yield from leaves(version["schema"]["openAPIV3Schema"]["properties"]["spec"], "spec", set())


def leaves(schema: dict, path: str, seen: set[int]) -> Iterator[str]:
    values = schema.get("additionalProperties")
    below = {f"{path}.{name}": one for name, one in schema.get("properties", {}).items()}
    if "items" in schema:
        below[f"{path}[]"] = schema["items"]
    if isinstance(values, dict):
        below[f"{path}.*"] = values
    is_object = below or schema.get("type") == "object"
    if is_object and id(schema) in seen:
        return
    seen.add(id(schema))
    if not below:
        yield path
    for name, one in below.items():
        yield from leaves(one, name, seen)
