"""A path of docs/CHANGING.md that does not exist is found, and so is a list that is not there."""

import unittest

from changing import LISTS, PAGE, check
from planting import messages

LINE = "1. The struct: `trainer/launch.h`. Search for `scheme == \"file\"`, run `./dev test`, and see `spec.model`.\n"
TREE = {"trainer/launch.h": "", "trainer/graph/graph.cc": ""}


def page(**lines: str) -> str:
    """All lists, with one line each; `A_role="..."` replaces the line under `A role`."""
    return "# Changes\n\n" + "\n".join(f"## {name}\n\n{lines.get(name.replace(' ', '_'), LINE)}" for name in LISTS)


class Changing(unittest.TestCase):
    def planted(self, **lines: str) -> list[str]:
        return messages(check, TREE | {PAGE: page(**lines)})

    def test_existing_files_and_folders_pass(self):
        self.assertEqual(self.planted(A_role="1. A file in `trainer/graph`, or in `trainer/graph/`.\n"), [])

    def test_a_missing_path_is_found(self):
        self.assertEqual(
            self.planted(A_manifest_field=LINE + "2. Then `trainer/gone.cc`.\n"),
            ["docs/CHANGING.md:6: names trainer/gone.cc, which does not exist; "
             "name the file that took its place, or remove it"],
        )

    def test_a_missing_file_at_the_root_is_found(self):
        self.assertEqual(len(self.planted(A_role=LINE + "2. Then `gone.md`.\n")), 1)

    def test_a_list_without_paths_is_found(self):
        self.assertEqual(
            self.planted(A_command="Look around.\n"),
            ["docs/CHANGING.md:1: has no list under the heading `A command`; "
             "name there, in backticks, the files to touch for it"],
        )

    def test_no_page_is_a_problem(self):
        self.assertEqual(
            messages(check, TREE),
            ["docs/CHANGING.md:1: is missing; list for each usual kind of change the files to touch"],
        )


if __name__ == "__main__":
    unittest.main()
