"""The CRD in the chart equals the one in crds/, and is small enough for plain `kubectl apply`."""

import json
from pathlib import PurePosixPath

from tree import Problem, Tree

SIZE_LIMIT = 200_000  # `kubectl apply` stores the object in an annotation; annotations end at 262,144 bytes.


def definitions(tree: Tree) -> list[str]:
    return [
        path
        for path in tree.with_suffix(".yaml")
        if str(PurePosixPath(path).parent) == "crds" and "kind: CustomResourceDefinition" in tree.texts[path]
    ]


def check_equal(tree: Tree) -> list[Problem] | None:
    """Each chart has a copy, equal byte for byte."""
    charts = [path.removesuffix("Chart.yaml") for path in tree.with_suffix("/Chart.yaml") if path.startswith("charts/")]
    if not definitions(tree) or not charts:
        return None
    problems = []
    for definition in definitions(tree):
        for chart in charts:
            problems += copy_problems(definition, chart, tree)
    return problems


def copy_problems(definition: str, chart: str, tree: Tree) -> list[Problem]:
    name = PurePosixPath(definition).name
    copies = [path for path in tree.with_suffix("/" + name) if path.startswith(chart)]
    if not copies:
        what = f"the chart has no copy of {definition}; copy it to {chart}api/{name}"
        return [Problem(f"{chart}Chart.yaml", 1, what)]
    return [
        Problem(copy, line, f"differs from {definition}; copy {definition} over it")
        for copy in copies
        if (line := first_difference(tree.texts[copy], tree.texts[definition]))
    ]


def first_difference(copy: str, original: str) -> int | None:
    if copy == original:
        return None
    pairs = zip(copy.splitlines(keepends=True), original.splitlines(keepends=True))
    same = next((count for count, (left, right) in enumerate(pairs) if left != right), None)
    return 1 + (min(copy.count("\n"), original.count("\n")) if same is None else same)


def check_size(tree: Tree) -> list[Problem] | None:
    if not definitions(tree):
        return None
    try:
        import yaml
    except ImportError:
        what = "cannot be measured without PyYAML; install python3-yaml"
        return [Problem(path, 1, what) for path in definitions(tree)]
    problems = []
    for path in definitions(tree):
        compact = json.dumps(yaml.safe_load(tree.texts[path]), separators=(",", ":"), ensure_ascii=False, default=str)
        size = len(compact.encode())
        if size > SIZE_LIMIT:
            what = f"is {size:,} bytes as compact JSON, over {SIZE_LIMIT:,}; shorten descriptions or share a schema"
            problems.append(Problem(path, 1, what))
    return problems
