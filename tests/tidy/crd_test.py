"""A chart with another CRD, or none, and a CRD too large for kubectl are found."""

import unittest

from crd import check_equal, check_size
from planting import messages
from tree import Tree

DEFINITION = "kind: CustomResourceDefinition\nspec:\n  group: carrack.dev\n"
CHART = "charts/carrack/Chart.yaml"
CLEAN = {"crds/job.yaml": DEFINITION, CHART: "", "charts/carrack/api/job.yaml": DEFINITION}
DIFFERS = "differs from crds/job.yaml; copy crds/job.yaml over it"


class Copies(unittest.TestCase):
    def test_an_equal_one_passes(self):
        self.assertEqual(messages(check_equal, CLEAN), [])

    def test_no_definition_or_no_chart_is_nothing_yet(self):
        self.assertIsNone(check_equal(Tree({CHART: "", "crds/README.md": "", "crds/examples/job.yaml": DEFINITION})))
        self.assertIsNone(check_equal(Tree({"crds/job.yaml": DEFINITION})))

    def test_one_byte_is_a_difference(self):
        other = DEFINITION.replace("spec", "Spec")
        self.assertEqual(
            messages(check_equal, {**CLEAN, "charts/carrack/api/job.yaml": other}),
            [f"charts/carrack/api/job.yaml:2: {DIFFERS}"],
        )

    def test_a_missing_end_is_a_difference(self):
        self.assertEqual(
            messages(check_equal, {**CLEAN, "crds/job.yaml": DEFINITION + "  scope: Namespaced\n"}),
            [f"charts/carrack/api/job.yaml:4: {DIFFERS}"],
        )

    def test_a_chart_without_it_is_found(self):
        self.assertEqual(
            messages(check_equal, {"crds/job.yaml": DEFINITION, CHART: ""}),
            [f"{CHART}:1: the chart has no copy of crds/job.yaml; copy it to charts/carrack/api/job.yaml"],
        )


class Size(unittest.TestCase):
    def test_no_definition_is_nothing_yet(self):
        self.assertIsNone(check_size(Tree({"crds/README.md": ""})))

    def test_the_limit_is_on_compact_json_to_the_byte(self):
        fixed = len('{"kind":"CustomResourceDefinition","text":""}')
        largest = "kind: CustomResourceDefinition\n\n\ntext:     " + "x" * (200_000 - fixed)
        self.assertEqual(messages(check_size, {"crds/job.yaml": largest}), [])
        self.assertEqual(
            messages(check_size, {"crds/job.yaml": largest + "x"}),
            ["crds/job.yaml:1: is 200,001 bytes as compact JSON, over 200,000; shorten descriptions or share a schema"],
        )


if __name__ == "__main__":
    unittest.main()
