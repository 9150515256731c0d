"""A row of docs/FEATURES.md that names no test, or one that ctest does not have, is found."""

import unittest

from features import check
from planting import messages

PAGE = """\
# What works

| Feature | Test | Figure |
|---|---|---|
| pods | `cluster.pods` | 5 s |
| kernels | `relu.*`, `tanh.Gradient.IsRight` | - |
"""
TESTS = ["cluster.pods", "relu.Forward.IsRight", "tanh.Gradient.IsRight"]


class Features(unittest.TestCase):
    def planted(self, row: str) -> list[str]:
        return messages(check, {"docs/FEATURES.md": PAGE + row}, TESTS)

    def test_existing_tests_pass(self):
        self.assertEqual(self.planted(""), [])

    def test_a_missing_test_is_found(self):
        self.assertEqual(
            self.planted("| gangs | `cluster.gangs`, `cluster.pods` | |\n"),
            [
                "docs/FEATURES.md:7: names the test `cluster.gangs`, which ctest does not have; "
                "correct the name or add the test"
            ],
        )

    def test_a_missing_test_of_the_table_of_conditions_is_found(self):
        rows = "# Conditions\n\n| reason | test |\n|---|---|\n| Denied | `cluster.webhooks` |\n"
        self.assertEqual(
            messages(check, {"docs/FEATURES.md": PAGE, "docs/reference/conditions.md": rows}, TESTS),
            [
                "docs/reference/conditions.md:5: names the test `cluster.webhooks`, which ctest does not have; "
                "correct the name or add the test"
            ],
        )

    def test_an_empty_family_is_found(self):
        self.assertEqual(len(self.planted("| gangs | `gangs.*` | |\n")), 1)

    def test_a_row_without_a_test_is_found(self):
        for row in ("| gangs | soon | |\n", "| gangs |\n", "| gangs | | |\n"):
            self.assertEqual(
                self.planted(row),
                ["docs/FEATURES.md:7: `gangs` names no test; name in backticks the one that shows it"],
            )

    def test_a_table_without_the_column_is_found(self):
        self.assertEqual(
            self.planted("\n| a | b |\n|---|---|\n| c | d |\n"),
            ["docs/FEATURES.md:8: the table has no column `test`; add it, with a test for each row"],
        )

    def test_a_page_without_tables_is_found(self):
        self.assertEqual(
            messages(check, {"docs/FEATURES.md": "# All of it\n"}, TESTS),
            ["docs/FEATURES.md:1: has no table; list each feature in one with a column `test`"],
        )

    def test_no_page_is_a_problem_and_so_is_no_build(self):
        self.assertEqual(
            messages(check, {}, TESTS), ["docs/FEATURES.md:1: is missing; list each feature with the test that shows it"]
        )
        self.assertEqual(
            messages(check, {"docs/FEATURES.md": PAGE}),
            [
                "docs/FEATURES.md:1: cannot be compared with ctest's names; "
                "configure the build and give its folder: --build DIR"
            ],
        )


if __name__ == "__main__":
    unittest.main()
