"""Empty names, bare headers, leftovers and untidy lines are found."""

import unittest

from names import check
from planting import messages

HEADER = "// Sums numbers.\n#pragma once\n"


def faults(texts: dict[str, str]) -> list[str]:
    return messages(check, texts)


class Names(unittest.TestCase):
    def test_clean_files_pass(self):
        clean = {
            "a.h": HEADER,
            "b.h": "#pragma once\n\n/* Sums. */\n",
            "Makefile": "all:\n\ttrue\n",
            "data/reply.http": "HTTP/1.1 200 OK\r\n\tno end \t",
            "docs/mktemp.md": "`mktemp carrack.XXXXXX`\n",
            "operator/database.cc": "int subsource;\n",
        }
        self.assertEqual(faults(clean), [])

    def test_empty_names_are_refused(self):
        for path, empty in (
            ("operator/common/a.cc", "common"),
            ("trainer/utils.cc", "utils"),
            ("tests/string_util_test.cc", "string_util"),
            ("trainer/Pod-Manager.cc", "pod_manager"),
            ("src/a.cc", "src"),
            ("docker/base.Dockerfile", "base"),
        ):
            what = f"`{empty}` in a path has no meaning; name it after its content"
            self.assertEqual(faults({path: ""}), [f"{path}:1: {what}"])

    def test_a_header_opens_with_a_comment_and_a_guard(self):
        self.assertEqual(
            faults({"a.h": "int f();\n"}),
            [
                "a.h:1: does not open with a comment; say in a few lines what it is and what it guarantees",
                "a.h:1: has no `#pragma once`; add it",
            ],
        )

    def test_notes_to_later_readers_are_refused(self):
        for word in ("TO" "DO", "FIX" "ME", "X" "XX"):
            self.assertEqual(
                faults({"a.py": f"\n# {word}: later\n"}),
                [f"a.py:2: {word}: do it now, or say in docs what is missing; notes for later are not allowed"],
            )

    def test_what_is_switched_off_is_refused(self):
        for line in ("#if" " 0", "  # if" " 0 // old", "TEST(A, DISABLED" "_B) {", "    @unittest" ".skip('slow')"):
            self.assertEqual(
                faults({"a_test.cc": f"{line}\n"}),
                ["a_test.cc:1: switched off; repair or remove it, git keeps the old version"],
            )

    def test_untidy_lines_are_refused(self):
        self.assertEqual(
            faults({"a.cc": "int a; \n\tint b;\nint c;"}),
            [
                "a.cc:1: spaces at the end of the line; remove them",
                "a.cc:2: a tab; write spaces",
                "a.cc:3: the file does not end with a newline; add it",
            ],
        )

    def test_a_script_without_ending_is_held_to_it_too(self):
        self.assertEqual(len(faults({"dev": "#!/bin/bash\n\ttrue\n"})), 1)


if __name__ == "__main__":
    unittest.main()
