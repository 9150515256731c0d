"""docs/reference/trainingjob.md explains every field of the status that crds/trainingjobs.yaml defines."""

import re
import unittest
from collections.abc import Iterator
from pathlib import Path

import yaml

REPOSITORY = Path(__file__).resolve().parents[3]
# The reference says instead that each has the fields of a metav1.Condition.
OF_KUBERNETES = {"conditions"}


def schema_of_status() -> dict:
    definition = yaml.safe_load((REPOSITORY / "crds/trainingjobs.yaml").read_text())
    return definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["status"]


def fields_below(schema: dict) -> Iterator[str]:
    of_each = schema.get("additionalProperties", {}) or schema.get("items", {})
    for name, inner in {**schema.get("properties", {}), **of_each.get("properties", {})}.items():
        yield name
        yield from fields_below(inner)


def rows_in_the_reference() -> dict[str, str]:
    """The text of each row, by the fields that its first cell names: `members` for `members.ROLE-INDEX`."""
    text = (REPOSITORY / "docs/reference/trainingjob.md").read_text()
    table = text.split("## status", 1)[1].split("\n\n", 2)[1]
    rows = {}
    for row in table.splitlines():
        for name in re.findall(r"`(\w+)[.\w-]*`", row.split("|")[1]):
            rows[name] = row
    return rows


class StatusReference(unittest.TestCase):
    def test_has_a_row_for_each_field_and_for_no_other(self):
        self.assertEqual(set(rows_in_the_reference()), set(schema_of_status()["properties"]))

    def test_names_what_each_field_consists_of(self):
        rows = rows_in_the_reference()
        unnamed = [
            f"{name}.{inner}"
            for name, schema in schema_of_status()["properties"].items()
            for inner in fields_below(schema)
            if name not in OF_KUBERNETES and f"`{inner}`" not in rows[name]
        ]
        self.assertEqual(unnamed, [])


if __name__ == "__main__":
    unittest.main()
