"""A file that no CMakeLists.txt names is found, and so is a folder that is never entered."""

import unittest

from listed import check
from planting import messages

CLEAN = {
    "CMakeLists.txt": "add_subdirectory(operator)\nadd_subdirectory(tests)\n",
    "operator/CMakeLists.txt": "add_library(core core/plan.cc) # core/old.cc\n",
    "operator/core/plan.cc": "",
    "tests/CMakeLists.txt": "add_subdirectory(gpu)\ncarrack_py_test(FILE rules_test.py)\n",
    "tests/rules_test.py": "",
    "tests/gpu/CMakeLists.txt": 'add_executable(relu "${CMAKE_CURRENT_SOURCE_DIR}/relu_test.cu")\n',
    "tests/gpu/relu_test.cu": "",
}


class Listed(unittest.TestCase):
    def test_listed_ones_pass(self):
        self.assertEqual(messages(check, CLEAN), [])

    def test_an_unlisted_test_is_found(self):
        self.assertEqual(
            messages(check, {**CLEAN, "tests/gpu/tanh_test.cu": ""}),
            [
                "tests/gpu/tanh_test.cu:1: is not in tests/gpu/CMakeLists.txt, so it is neither built nor run; "
                "name `tanh_test.cu` there, or delete it"
            ],
        )
        self.assertEqual(len(messages(check, {**CLEAN, "tests/speed_test.py": ""})), 1)

    def test_other_names_for_tests_and_for_cpp_are_refused(self):
        for path, text, name in (
            ("tests/gpu/test_new.py", "", "new_test.py"),
            ("tests/gpu/new_tests.py", "", "new_test.py"),
            ("tests/gpu/new.py", "import os\nimport unittest\n", "new_test.py"),
        ):
            self.assertEqual(
                messages(check, {**CLEAN, path: text}),
                [f"{path}:1: contains tests, so its name must end in _test.py; call it {name}"],
            )
        for path, name in (("operator/core/x.cpp", "x.cc"), ("tests/gpu/x.hpp", "x.h"), ("trainer/x.C", "x.cc")):
            self.assertEqual(
                messages(check, {**CLEAN, path: ""}), [f"{path}:1: C++ ends in .cc, .h, .cu or .cuh here; call it {name}"]
            )
        self.assertEqual(messages(check, {**CLEAN, "tests/rows.py": '"""Not import unittest."""\nimport sys\n'}), [])

    def test_a_name_in_a_comment_does_not_count(self):
        self.assertEqual(
            messages(check, {**CLEAN, "operator/core/old.cc": ""}),
            [
                "operator/core/old.cc:1: is not in operator/CMakeLists.txt, so it is neither built nor run; "
                "name `core/old.cc` there, or delete it"
            ],
        )

    def test_a_folder_that_is_not_entered_is_found(self):
        self.assertEqual(
            messages(check, {**CLEAN, "tests/fuzz/CMakeLists.txt": ""}),
            [
                "tests/fuzz/CMakeLists.txt:1: is not in tests/CMakeLists.txt, so it is neither built nor run; "
                "name `fuzz` there, or delete it"
            ],
        )

    def test_a_tree_without_lists_is_told_to_add_one(self):
        self.assertEqual(
            messages(check, {"trainer/launch/launch.cc": ""}),
            ["trainer/launch/launch.cc:1: has no CMakeLists.txt in its folder or above, so it is neither built nor run; add one"],
        )

    def test_globbing_is_refused(self):
        for globbing in ("file(GLOB sources *.cc)", "  file( glob_recurse x *)", "aux_source_directory(. sources)"):
            self.assertEqual(
                messages(check, {**CLEAN, "sources.cmake": f"\n{globbing}\n"}),
                ["sources.cmake:2: collects files by pattern; name each file, so that a forgotten one is noticed"],
            )


if __name__ == "__main__":
    unittest.main()
