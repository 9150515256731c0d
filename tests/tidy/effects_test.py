"""A field of the definition without a test that sees its effect is found, and so is a row of the table that means nothing."""

import unittest

from effects import TABLE, check
from planting import messages

DEFINITION = """\
kind: CustomResourceDefinition
spec:
  versions:
  - schema:
      openAPIV3Schema:
        properties:
          spec:
            properties:
              batch: {type: integer}
              ps: &role {properties: {count: {type: integer}}}
              worker: *role
              files: {type: array, items: {type: string}}
              features: {additionalProperties: {properties: {size: {type: integer}}}}
"""
ROWS = """\
spec.batch <- loop.Batch  # of records
spec.ps.count <- core.*
spec.files[] <- loop.Files
    loop.Batch
spec.features.*.size <- loop.Sizes
"""
TESTS = ["loop.Batch", "core.Plan", "loop.Files", "loop.Sizes"]


class Effects(unittest.TestCase):
    def planted(self, rows: str, definition: str = DEFINITION, tests: list[str] = TESTS) -> list[str]:
        return messages(check, {"crds/jobs.yaml": definition, TABLE: rows}, tests)

    def test_a_test_for_each_field_passes(self):
        self.assertEqual(self.planted(ROWS), [])

    def test_a_field_without_a_row_is_found(self):
        more = "              seed: {type: integer}\n"
        self.assertEqual(self.planted(ROWS, DEFINITION + more),
                         [f"{TABLE}:1: has no row for spec.seed; name a test that sees its effect, and write it if there is none"])

    def test_a_row_without_a_field_is_found(self):
        self.assertEqual(self.planted(ROWS + "spec.worker.count <- core.Plan\n"),
                         [f"{TABLE}:6: spec.worker.count is no field of the definition; remove the row"])

    def test_a_missing_test_is_found(self):
        said = "which ctest does not have; correct the name or add the test"
        self.assertEqual(self.planted(ROWS.replace("loop.Sizes", "loop.Size core.P*")),
                         [f"{TABLE}:5: spec.features.*.size names the test loop.Size, {said}"])
        self.assertEqual(self.planted(ROWS.replace("core.*", "")), [f"{TABLE}:2: spec.ps.count names no test"])

    def test_a_missing_table_is_found(self):
        self.assertEqual(messages(check, {"crds/jobs.yaml": DEFINITION}, TESTS),
                         [f"{TABLE}:1: is missing; name for each field of the spec a test that sees its effect"])

    def test_without_the_names_of_tests_nothing_is_said(self):
        self.assertEqual(self.planted(ROWS, tests=[]),
                         [f"{TABLE}:1: cannot be compared with ctest's names; configure the build and give its folder: --build DIR"])


if __name__ == "__main__":
    unittest.main()
