"""operator/core/reasons.h is the list of reasons: the reference lists the same ones, and no other file spells one."""

import re
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]
HEADER = REPOSITORY / "operator/core/reasons.h"
REFERENCE = REPOSITORY / "docs/reference"
OF_EVENTS = {"DefinitionOutdated", "Unreadable"}


def constants() -> list[str]:
    return re.findall(r'constexpr const char\* \w+ = "(\w+)";', HEADER.read_text())


def table_in_the_reference() -> set[str]:
    text = (REFERENCE / "trainingjob.md").read_text()
    table = text.split("| condition | reasons |", 1)[1].split("\n\n", 1)[0]
    cells = [row.split("|")[2] for row in table.splitlines() if row.startswith("| `")]
    # The row of Finished refers to two other rows.
    return set(re.findall(r"`([A-Z]\w+)`", " ".join(cells))) - {"Succeeded", "Failed"}


class Reasons(unittest.TestCase):
    def test_each_stands_once_and_has_a_meaning(self):
        self.assertEqual(len(constants()), len(set(constants())))
        lines = HEADER.read_text().splitlines()
        declarations = [line for line in lines if line.startswith("constexpr const char*")]
        self.assertEqual(len(declarations), len(constants()))
        self.assertEqual([line for line in declarations if "  // " not in line], [])

    def test_the_reference_lists_exactly_them(self):
        self.assertEqual(table_in_the_reference(), set(constants()) - OF_EVENTS)
        for reason in OF_EVENTS:
            self.assertIn(f"`{reason}`", (REFERENCE / "kubernetes.md").read_text())

    def test_the_table_of_events_has_a_row_for_each_that_says_something(self):
        rows = [line for line in (REFERENCE / "conditions.md").read_text().splitlines() if line.startswith("| ")]
        named = set(re.findall(r"`([A-Z]\w+)`", " ".join(rows)))
        of_nothing = {"NotFinished", "NotStalled", "NotSuspended", "Finished"}
        self.assertEqual(set(constants()) - OF_EVENTS - of_nothing - named, set())

    def test_no_other_file_of_the_operator_spells_one(self):
        # Some are also the name of a condition type or of an exit code.
        spelled_elsewhere = {"Suspended", "Finished", "UserError", "CheckpointTaken"}
        literals = re.compile("|".join(f'"{reason}"' for reason in constants() if reason not in spelled_elsewhere))
        files = [path for path in (REPOSITORY / "operator").rglob("*") if path.suffix in {".h", ".cc"} and path != HEADER]
        self.assertEqual([str(path) for path in files if literals.search(path.read_text())], [])


if __name__ == "__main__":
    unittest.main()
