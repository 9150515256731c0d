"""Manifests made of the definition's schema, from a seed: examples in which one field or a few have another value, which is right,
at a bound, or slightly wrong."""

import copy
import json
import random
from typing import Any, Iterator, NamedTuple

Json = Any

NO_FIELD = object()
STRINGS = ["", "a", "x", "label", "gs://b/o", "s3://b/o", "file:///a", "a/$(NAME)", "$(X)", "é" * 3, "a\tb", "a b", " ", "-", "~", "1", "true", "*",
           "a" * 257, "a" * 2049, "4Gi", "0.5", "1Ei", "Adam", "null"]
ODD = [None, True, False, 0, 1, -1, 2, 3, 64, 1.0, 1.5, 1e3, -0.0, 1e-9, 1e300, 2**31, 2**53, 2**63 - 1, 2**63, -(2**63), "1", "true", "", [], {}, [1], ["a"],
       {"a": 1}]


class Place(NamedTuple):
    """A field of the schema: how it is reached, through a map or a list where a step is a key or a number."""
    path: tuple[str | int, ...]
    schema: dict


def places(schema: dict, value: Json, path: tuple[str | int, ...] = ()) -> Iterator[Place]:
    """All fields that could be there, in the parts of the schema that `value` has."""
    for name, below in schema.get("properties", {}).items():
        yield Place((*path, name), below)
        if isinstance(value, dict) and name in value:
            yield from places(below, value[name], (*path, name))
    items = schema.get("items")
    if items and isinstance(value, list):
        for number, one in enumerate(value):
            yield Place((*path, number), items)
            yield from places(items, one, (*path, number))
    values = schema.get("additionalProperties")
    if isinstance(values, dict) and isinstance(value, dict):
        for name, one in value.items():
            yield Place((*path, name), values)
            yield from places(values, one, (*path, name))


def value_of(schema: dict, random_: random.Random) -> Json:
    """One that fits the schema, apart from its rules."""
    if "enum" in schema:
        return random_.choice(schema["enum"])
    kind = schema.get("type")
    if kind == "boolean":
        return random_.random() < 0.5
    if kind in ("integer", "number") or schema.get("x-kubernetes-int-or-string"):
        return number_of(schema, random_)
    if kind == "array":
        least = schema.get("minItems", 0)
        return [value_of(schema["items"], random_) for _ in range(random_.randint(least, min(least + 2, schema.get("maxItems", 3))))]
    if kind == "object":
        return object_of(schema, random_)
    return random_.choice(["x", "label", "a", "gs://b/o", "512Mi"])


def number_of(schema: dict, random_: random.Random) -> Json:
    low, high = schema.get("minimum", -3), schema.get("maximum", schema.get("minimum", 0) + 1000)
    if schema.get("type") == "integer":
        return random_.choice([low, high, random_.randint(int(low), int(min(high, low + 100)))])
    return random_.choice([low, high, 0.5, 1, 0.25])


def object_of(schema: dict, random_: random.Random) -> Json:
    made = {}
    for name, below in schema.get("properties", {}).items():
        if name in schema.get("required", []) or random_.random() < 0.3:
            made[name] = value_of(below, random_)
    if isinstance(schema.get("additionalProperties"), dict):
        for name in random_.sample(["x", "label", "a", "cpu", "memory"], random_.randint(0, 2)):
            made[name] = value_of(schema["additionalProperties"], random_)
    return made


def wrong_of(schema: dict, random_: random.Random) -> Json:
    """One that is beside a bound, of another type, or otherwise odd; it may fit all the same."""
    near = [schema[bound] + by for bound in ("minimum", "maximum") if bound in schema for by in (-1, 1, -0.5)]
    kind = schema.get("type")
    if kind == "string":
        near = [*STRINGS, *(text.lower() for text in schema.get("enum", []))]
        near += ["a" * (schema["maxLength"] + by) for by in (0, 1) if schema.get("maxLength", 10_000) < 10_000]
    if kind == "array":
        near = [[value_of(schema["items"], random_)] * count for count in (0, 1, 2, 5)]
        near += [[wrong_of(schema["items"], random_)]]
    if kind == "object":
        unknown = object_of(schema, random_)
        unknown["unknown"] = 1
        near = [unknown, {}]
    return random_.choice(near if near and random_.random() < 0.6 else ODD)


def parent_of(manifest: Json, path: tuple[str | int, ...]) -> Json:
    for step in path[:-1]:
        if isinstance(manifest, dict):
            manifest = manifest.setdefault(step, {})
        elif isinstance(manifest, list) and isinstance(step, int) and step < len(manifest):
            manifest = manifest[step]
        else:
            return None
    return manifest


def change(manifest: Json, place: Place, value: Json) -> None:
    """Sets the field, or removes it. Does nothing if another change has taken its place away."""
    parent, last = parent_of(manifest, place.path), place.path[-1]
    is_there = isinstance(parent, dict) or (isinstance(parent, list) and isinstance(last, int) and last < len(parent))
    if not is_there:
        return
    if value is not NO_FIELD:
        parent[last] = value
    elif isinstance(parent, list) or last in parent:
        del parent[last]


def manifests(schema: dict, examples: list[Json], count: int, seed: int) -> list[str]:
    """As JSON. `schema` is that of spec."""
    random_ = random.Random(seed)
    made = []
    while len(made) < count:
        manifest = copy.deepcopy(random_.choice(examples))
        for _ in range(random_.choice([1, 1, 1, 2, 3])):
            found = list(places({"properties": {"spec": schema}}, manifest))
            place = random_.choice(found)
            kind = random_.random()
            if kind < 0.45:
                change(manifest, place, value_of(place.schema, random_))
            elif kind < 0.85:
                change(manifest, place, wrong_of(place.schema, random_))
            elif kind < 0.95:
                change(manifest, place, NO_FIELD)
            else:
                change(manifest, Place((*place.path[:-1], random_.choice(["unknown", "Batch", ""])), {}), 1)
        made.append(json.dumps(manifest, ensure_ascii=random_.random() < 0.5))
    return made


SCALARS = ["64", "1e3", "1E3", "0x40", "0o100", "0100", "1_000", "+64", "64.0", "64.", ".5", "6.4e1", ".inf", "-.inf", ".nan", "~", "null", "Null", "NULL", "",
           "yes", "no", "on", "off", "y", "n", "Yes", "ON", "true", "True", "TRUE", "false", "'64'", '"64"', "!!int 64", "!!str 64", "!!float 64", "!!bool yes",
           "!!null ''", "!!binary NjQ=", "!mine 64", "&a 64", "*a", "2001-01-01", "2001-01-01T00:00:00Z", "12:30:45", "1,000", "64 # c", "64#c", "|\n  64\n",
           ">-\n  64\n", "|\n  a\n  b\n", '"a\\nb"', '"\\x41"', '"\\u0041"', '"\\e"', "'it''s'", "a: b", "[64]", "{a: 64}", "- 64", "? 64", "@64", "`64`", "%64", "-", "=", "<<",
           "9223372036854775807", "9223372036854775808", "18446744073709551616", "-0", "1e400", "1e-400", "0b1", "0x", "1__0", "٣", "é", "\u00a0", "\u2028", "\ufeff64",
           "a" * 5000, "'a\x00b'", "a\x00b", '"\\0"', "'\t'", "a\tb", "\t64", "a\r", "a\x7f", "a\x85", "a\\", '"a', "'a", "[a", "{a", "*", "&", "!", "|", ">", "64 64"]
FIELDS = ["batch: 64", "seed: 3", "kind: SGD", "learningRate: 0.1", "folder: out", "deterministic: false", "data/*.tfrecord", "input: x", "name: line"]
DOCUMENTS = ["---\n{0}", "{0}...\n", "%YAML 1.1\n---\n{0}", "%YAML 1.2\n---\n{0}", "%TAG ! tag:a,2000:\n---\n{0}", "\ufeff{0}", "# c\n{0}", "{0}---\n{0}", "{0}---\n", "---\n---\n{0}",
             "{0}  strategy: Single\n", "{0}spec: {{}}\n", "{0}x: 1\n", "{0}\tx: 1\n", "{0}? a\n: b\n", "{0}<<: {{kind: TrainingJob}}\n", "{0}\x00", "{0}metadata: {{name: b}}\n",
             "base: &b {{a: 1}}\n{0}", "", "\n", "null", "[]", "a", "{{}}", "--- {{}}", "{0}...\ngarbage: [\n", "{0}" + "#" * 100_000 + "\n", "{0}" + "\n" * 100_000]


def texts(base: str, count: int, seed: int) -> list[str]:
    """YAML texts: `base` with an odd scalar in place of a value, or in an odd document."""
    random_ = random.Random(seed)
    made = [document.format(base) for document in DOCUMENTS]
    made += [base.replace(field, field.partition(": ")[0] + ": " + scalar if ": " in field else scalar)
             for scalar in SCALARS for field in FIELDS[:4]]
    while len(made) < count:
        field, other = random_.sample(FIELDS, 2)
        text = base
        for one in (field, other)[: random_.randint(1, 2)]:
            scalar = random_.choice(SCALARS)
            text = text.replace(one, one.partition(": ")[0] + ": " + scalar if ": " in one else scalar)
        made.append(text)
    return made[:count]
