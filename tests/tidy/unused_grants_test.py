"""A permission in layers.txt or libraries.txt that no #include uses is found; used ones and mains' are not."""

import unittest

from planting import messages
from tree import Tree
from unused_grants import check

LAYERS = "operator <- trainer/launch\ntrainer <-\noperator/* <- operator/error.h\noperator/error <-\n"
CLEAN = {
    "tests/tidy/layers.txt": LAYERS + "operator/core <- trainer/launch\ntrainer/launch <-\noperator/kube <- operator/core\n",
    "tests/tidy/libraries.txt": "httplib: httplib.h <- operator/kube\ngoogletest: gtest/* <-\n",
    "operator/error.h": "",
    "operator/core/plan.h": '#include "operator/error.h"\n#include "trainer/launch/launch.h"\n',
    "operator/kube/client.cc": '#include <httplib.h>\n#include "operator/core/plan.h"\n',
    "trainer/launch/launch.h": "",
}


class UnusedGrants(unittest.TestCase):
    def with_text(self, path: str, old: str, new: str) -> list[str]:
        return messages(check, {**CLEAN, path: CLEAN[path].replace(old, new)})

    def test_used_ones_pass(self):
        self.assertEqual(messages(check, CLEAN), [])

    def test_no_sources_is_nothing_yet(self):
        self.assertIsNone(check(Tree({"README.md": ""})))

    def test_an_arrow_that_nobody_uses_is_refused(self):
        self.assertEqual(
            self.with_text("tests/tidy/layers.txt", "operator/kube <- operator/core", "operator/kube <- operator/core trainer/launch"),
            ["tests/tidy/layers.txt:7: operator/kube <- trainer/launch is not used by any #include; remove trainer/launch from the row"],
        )

    def test_what_all_folders_may_include_needs_one_of_them(self):
        problems = self.with_text("operator/core/plan.h", '#include "operator/error.h"\n', "")
        self.assertEqual(
            problems,
            ["tests/tidy/layers.txt:3: operator/* <- operator/error.h is not used by any #include; remove operator/error.h from the row"],
        )

    def test_a_library_that_a_folder_does_not_include_is_refused(self):
        self.assertEqual(
            self.with_text("tests/tidy/libraries.txt", "operator/kube", "operator/kube operator/core"),
            ["tests/tidy/libraries.txt:1: httplib <- operator/core is not used by any #include; remove operator/core from the row"],
        )

    def test_a_main_uses_up_no_permission(self):
        texts = {**CLEAN, "operator/kube/x_main.cc": CLEAN["operator/kube/client.cc"]}
        del texts["operator/kube/client.cc"]
        self.assertEqual(len(messages(check, texts)), 2)


if __name__ == "__main__":
    unittest.main()
