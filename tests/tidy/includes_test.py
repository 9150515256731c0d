"""Forbidden includes of each kind are refused, the allowed ones are not."""

import unittest

from includes import check
from planting import messages
from tree import Tree

LAYERS = """\
operator <- trainer/launch/launch.h
trainer  <-
trainer/* <- trainer/error.h
operator/core <- trainer/launch/launch.h
operator/kube <- operator/core operator/runtime/cluster.h
operator/runtime <- operator/core
trainer/error <-
trainer/launch <-
trainer/graph <-
"""
LIBRARIES = "httplib: httplib.h <- operator/kube\ngrpc: grpcpp/* *.pb.h <- trainer/graph\ngoogletest: gtest/* <-\n"
CLEAN = {
    "tests/tidy/layers.txt": LAYERS,
    "tests/tidy/libraries.txt": LIBRARIES,
    "operator/core/plan.h": '#include <vector>\n#include "trainer/launch/launch.h"\n',
    "operator/core/plan.cc": '#include "operator/core/plan.h"\n',
    "operator/kube/client.cc": '#include <httplib.h>\n#include "operator/runtime/cluster.h"\n',
    "operator/runtime/cluster.h": "",
    "operator/runtime/queue.h": "",
    "operator/cli/carrack_main.cc": '#include <grpcpp/x.h>\n#include "trainer/graph/graph.h"\n',
    "trainer/error.h": "",
    "trainer/launch/launch.h": "",
    "trainer/launch/launch.cc": '#include "trainer/error.h"\n#include "trainer/launch/launch.h"\n',
    "trainer/graph/graph.h": '#include <grpcpp/x.h>\n#include "trainer/error.h"\n#include "trainer/graph/wire.pb.h"\n',
    "trainer/graph/wire.proto": "",
    "tests/operator/plan_test.cc": '#include <gtest/gtest.h>\n#include "operator/core/plan.h"\n',
    "tests/support/clock.h": "",
}


class Includes(unittest.TestCase):
    def planted(self, path: str, text: str) -> list[str]:
        return messages(check, {**CLEAN, path: text})

    def test_allowed_ones_pass(self):
        self.assertEqual(messages(check, CLEAN), [])

    def test_no_sources_is_nothing_yet(self):
        self.assertIsNone(check(Tree({"README.md": ""})))

    def test_an_arrow_that_is_not_in_the_table_is_refused(self):
        self.assertEqual(
            self.planted("operator/core/plan.cc", '#include "trainer/graph/graph.h"\n'),
            [
                "operator/core/plan.cc:1: includes trainer/graph/graph.h, but operator/core may include only "
                "operator/core, trainer/launch/launch.h; move the code, "
                "or change line 4 of tests/tidy/layers.txt if the design changed"
            ],
        )

    def test_one_header_of_a_folder_does_not_open_the_folder(self):
        problems = self.planted("operator/kube/watch.cc", '\n#include "operator/runtime/queue.h"\n')
        self.assertEqual(len(problems), 1)
        self.assertIn("operator/kube/watch.cc:2: includes operator/runtime/queue.h, but operator/kube may", problems[0])

    def test_comments_and_raw_strings_do_not_count(self):
        text = '// #include "x.h"\n/*\n#include <httplib.h>\n*/ auto x = R"(\n#include <httplib.h>\n)";\n'
        self.assertEqual(self.planted("operator/core/plan.cc", text), [])

    def test_only_tests_include_tests(self):
        self.assertEqual(
            self.planted("operator/cli/carrack_main.cc", '#include "tests/support/clock.h"\n'),
            [
                "operator/cli/carrack_main.cc:1: includes tests/support/clock.h; "
                "only tests/ may include tests/; move the shared part out of it"
            ],
        )

    def test_a_folder_without_a_row_is_found(self):
        self.assertEqual(
            self.planted("operator/space/a.cc", ""),
            [
                "operator/space/a.cc:1: operator/space is in no row of tests/tidy/layers.txt; "
                "add a line `operator/space <- FOLDERS IT MAY INCLUDE`"
            ],
        )

    def test_a_library_outside_its_folders_is_refused(self):
        self.assertEqual(
            self.planted("operator/core/plan.cc", "#include <httplib.h>\n"),
            [
                "operator/core/plan.cc:1: includes httplib.h of httplib, which belongs in operator/kube, mains, tests; "
                "move the code there, or change tests/tidy/libraries.txt if the design changed"
            ],
        )

    def test_an_unlisted_library_is_refused(self):
        self.assertEqual(
            self.planted("trainer/graph/node.cc", "#include <boost/any.hpp>\n"),
            [
                "trainer/graph/node.cc:1: <boost/any.hpp> belongs to no library in tests/tidy/libraries.txt; "
                "add a line `LIBRARY: HEADERS <- FOLDERS`, or use the C++ standard library"
            ],
        )

    def test_generated_headers_are_a_library_and_need_their_proto(self):
        problems = self.planted("operator/kube/a.cc", '#include "trainer/graph/gone.grpc.pb.h"\n')
        self.assertEqual(len(problems), 3)
        self.assertIn('"trainer/graph/gone.grpc.pb.h" is not a file of this repository', problems[0])

    def test_a_quoted_include_names_a_file_from_the_root(self):
        self.assertEqual(
            self.planted("operator/core/plan.cc", '#include "plan.h"\n'),
            [
                'operator/core/plan.cc:1: "plan.h" is not a file of this repository; '
                "write the path from the root, or <> for a library"
            ],
        )
        self.assertEqual(
            self.planted("operator/core/plan.cc", "#include <operator/core/plan.h>\n"),
            ['operator/core/plan.cc:1: <operator/core/plan.h> is one of our own files; write "operator/core/plan.h"'],
        )


class LayersTable(unittest.TestCase):
    def with_row(self, row: str) -> list[str]:
        return messages(check, {**CLEAN, "tests/tidy/layers.txt": LAYERS.replace("operator/core <- trainer/launch/launch.h", row)})

    def test_a_cycle_is_refused(self):
        self.assertEqual(
            self.with_row("operator/core <- trainer/launch/launch.h operator/runtime"),
            [
                "tests/tidy/layers.txt:4: operator/core <- operator/runtime <- operator/core is a cycle; "
                "remove one of its arrows"
            ],
        )

    def test_a_component_sees_no_more_of_another_than_its_own_row_says(self):
        self.assertEqual(
            self.with_row("operator/core <- trainer/launch/launch.h trainer/graph"),
            [
                "tests/tidy/layers.txt:4: operator/core <- trainer/graph, "
                "but operator may include only trainer/launch/launch.h of other components; remove trainer/graph"
            ],
        )

    def test_components_do_not_know_each_other(self):
        texts = {**CLEAN, "tests/tidy/layers.txt": LAYERS.replace("trainer  <-", "trainer <- operator")}
        self.assertEqual(len(messages(check, texts)), 1)
        self.assertIn("is a cycle", messages(check, texts)[0])

    def test_an_item_without_a_row_is_refused(self):
        self.assertEqual(
            self.with_row("operator/core <- trainer/launch/launch.h operator/plans"),
            ["tests/tidy/layers.txt:4: operator/plans has no row of its own; add `operator/plans <- ...`"],
        )


if __name__ == "__main__":
    unittest.main()
