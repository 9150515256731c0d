"""What may be set: the schema refuses all else, in words that name it; values, schema and README list the same."""

import json
import unittest

from chart import SOURCE, refusal, yaml

REFUSED = [
    ({"replicas": 2}, "- at '': additional properties 'replicas' not allowed"),
    ({"image.tagg": "dev"}, "- at '/image': additional properties 'tagg' not allowed"),
    ({"image.pullPolicy": "always"},
     "- at '/image/pullPolicy': value must be one of 'Always', 'IfNotPresent', 'Never'"),
    ({"image.tag": 1.5}, "- at '/image/tag': got number, want string"),
    ({"image.digest": "sha256:abc"},
     "- at '/image/digest': 'sha256:abc' does not match pattern '^(sha256:[0-9a-f]{64})?$'"),
    ({"image.repository": ""},
     "- at '/image/repository': '' does not match pattern '^[a-z0-9][a-z0-9._:/-]*[a-z0-9]$'"),
    ({"trainer.env": "A=b"}, "- at '/trainer/env': got string, want array"),
    ({"trainer.env": [{"name": "A", "value": 1}]}, "- at '/trainer/env/0/value': got number, want string"),
    ({"trainer.env": [{"name": "A"}]}, "- at '/trainer/env/0': missing property 'value'"),
    ({"trainer.env": [{"name": "A=B", "value": ""}]},
     "- at '/trainer/env/0/name': 'A=B' does not match pattern '^[A-Za-z_][A-Za-z0-9_]*$'"),
    ({"watchNamespaces": "red"}, "- at '/watchNamespaces': got string, want array"),
    ({"watchNamespaces": ["Red"]},
     "- at '/watchNamespaces/0': 'Red' does not match pattern '^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$'"),
    ({"watchNamespaces": ["red", "red"]}, "- at '/watchNamespaces': items at 0 and 1 are equal"),
    ({"crds.keep": "yes"}, "- at '/crds/keep': got string, want boolean"),
    ({"podLabels.team": 7}, "- at '/podLabels/team': got number, want string"),
    ({"resources.request": {}}, "- at '/resources': additional properties 'request' not allowed"),
    ({"affinity.podAffinities": {}}, "- at '/affinity': additional properties 'podAffinities' not allowed"),
    ({"metrics.monitor": True},
     "- at '/metrics/monitor': value must be one of 'None', 'ServiceMonitor', 'PodMonitor', 'PodMonitoring'"),
    ({"metrics.interval": "30"}, "- at '/metrics/interval': '30' does not match pattern '^[0-9]+(ms|s|m)$'"),
    ({"fullnameOverride": "a" * 53}, "- at '/fullnameOverride': maxLength: got 53, want 52")]


def leaves(value: object, path: str = "") -> dict[str, object]:
    """{"a": {"b": 1}} -> {"a.b": 1}; an empty map is a leaf."""
    if not isinstance(value, dict) or not value:
        return {path: value}
    return {name: leaf for key, inner in value.items()
            for name, leaf in leaves(inner, f"{path}.{key}" if path else key).items()}


def schema_leaves(schema: dict, path: str = "") -> set[str]:
    if "properties" not in schema or schema.get("type") != "object":
        return {path}
    return {name for key, inner in schema["properties"].items()
            for name in schema_leaves(inner, f"{path}.{key}" if path else key)}


def documented() -> dict[str, object]:
    """The rows `| \\`name\\` | \\`default\\` | ... |` of the README."""
    rows = [line.split("|") for line in (SOURCE / "README.md").read_text().splitlines() if line.startswith("| `")]
    return {row[1].strip(" `"): json.loads(row[2].strip(" `")) for row in rows}


class Values(unittest.TestCase):
    def test_what_makes_no_sense_is_refused_and_named(self):
        for values, complaint in REFUSED:
            with self.subTest(values):
                self.assertEqual(refusal(values), "Error: values don't meet the specifications of the schema(s) in the "
                                 f"following chart(s):\ncarrack:\n{complaint}")

    def test_all_that_may_be_set_stands_in_values_with_its_default(self):
        values = yaml.safe_load((SOURCE / "values.yaml").read_text())
        schema = json.loads((SOURCE / "values.schema.json").read_text())
        maps = ("resources", "affinity")  # Whose fields are Kubernetes' own.
        allowed, set_there = ({next((name for name in maps if path.startswith(name)), path) for path in paths}
                              for paths in (schema_leaves(schema), leaves(values)))
        self.assertEqual(allowed - {"global"}, set_there)

    def test_the_readme_lists_every_value_with_its_default(self):
        self.assertEqual(documented(), leaves(yaml.safe_load((SOURCE / "values.yaml").read_text())))


if __name__ == "__main__":
    unittest.main(verbosity=2)
