"""Files and functions that are too long are found, and so are exemptions that are larger than needed."""

import unittest

from budget import check
from functions import bash_functions, cpp_functions, python_functions
from planting import messages

SPLIT = "split it into parts with one matter each"


def budget(texts: dict[str, str], exemptions: str = "") -> list[str]:
    return messages(check, {"tests/tidy/budget.txt": "# Shrink them.\n" + exemptions, **texts})


def cpp_function(lines: int) -> str:
    return "int sum(int a,\n        int b) {\n" + "  a += b;\n" * (lines - 3) + "}\n"


class Budget(unittest.TestCase):
    def test_a_file_may_have_400_lines(self):
        self.assertEqual(budget({"a.h": "\n" * 400, "b.md": "\n" * 999}), [])
        self.assertEqual(budget({"a.h": "\n" * 401}), [f"a.h:1: the file has 401 lines, over 400; {SPLIT}"])

    def test_every_kind_of_code_counts(self):
        for path in ("a.cc", "a.cu", "a.py", "a.sh", "a.cmake", "x/CMakeLists.txt"):
            self.assertEqual(len(budget({path: "\n" * 401})), 1, path)
        self.assertEqual(len(budget({"dev": "#!/usr/bin/env bash\n" + "\n" * 400})), 1)

    def test_a_function_may_have_50_lines(self):
        self.assertEqual(budget({"a.cc": cpp_function(50)}), [])
        self.assertEqual(
            budget({"a.cc": "\n" + cpp_function(51)}), [f"a.cc:2: the function sum has 51 lines, over 50; {SPLIT}"]
        )
        python = "class A:\n    def f(self):\n" + "        pass\n" * 50
        self.assertEqual(budget({"a.py": python}), [f"a.py:2: the function A.f has 51 lines, over 50; {SPLIT}"])
        bash = "#!/bin/bash\nverb_test() {\n" + "  true\n" * 49 + "}\n"
        self.assertEqual(budget({"dev": bash}), [f"dev:2: the function verb_test has 51 lines, over 50; {SPLIT}"])

    def test_an_exemption_holds_only_at_its_number(self):
        long = {"a.h": "\n" * 410, "a.cc": cpp_function(60)}
        self.assertEqual(budget(long, "a.h 410\na.cc:sum 60\n"), [])
        self.assertEqual(
            budget(long, "a.h 405\na.cc:sum 70\n"),
            [
                f"a.h:1: the file has 410 lines, over 405; {SPLIT}",
                "tests/tidy/budget.txt:3: a.cc:sum has only 60 lines now; lower the number to 60",
            ],
        )

    def test_an_exemption_without_need_is_found(self):
        self.assertEqual(
            budget({"a.h": "\n" * 400}, "a.h 410\ngone.h 500\n"),
            [
                "tests/tidy/budget.txt:2: a.h is within budget; remove the line",
                "tests/tidy/budget.txt:3: gone.h is gone; remove the line",
            ],
        )

    def test_invalid_python_is_found(self):
        self.assertEqual(budget({"a.py": "\ndef f(:\n"}), ["a.py:2: is not valid Python (invalid syntax); correct it"])


class Functions(unittest.TestCase):
    def names(self, text: str) -> list[tuple[str, int, int]]:
        return [tuple(function) for function in cpp_functions(text)]

    def test_cpp_definitions_are_found(self):
        text = (
            "namespace carrack {\n"
            "struct A {\n  int x;\n};\n"
            "int declared(int);\n"
            "constexpr int table[] = {\n  1,\n};\n"
            "template <class T>\nT twice(T x) {\n  return 2 * x;\n}\n"
            "A::A(int x)\n    : x_(x) {\n}\n"
            "bool A::operator==(const A& o) const {\n  return true;\n}\n"
            "auto text = R\"(\nfake() {\n)\";\n"
            "TEST(Suite, Case) {\n}\n"
            "}  // namespace carrack\n"
        )
        self.assertEqual(
            self.names(text),
            [("twice", 10, 3), ("A::A", 13, 3), ("A::operator==", 16, 3), ("Suite.Case", 22, 2)],
        )

    def test_nested_python_functions_are_named_by_their_scope(self):
        text = "def f():\n    if True:\n        def g():\n            pass\n"
        self.assertEqual([tuple(found) for found in python_functions(text)], [("f", 1, 4), ("f.g", 3, 2)])

    def test_bash_functions_are_found(self):
        self.assertEqual([tuple(found) for found in bash_functions("say() { echo; }\nrun() (\n  x\n)\n")],
                         [("say", 1, 1), ("run", 2, 3)])


if __name__ == "__main__":
    unittest.main()
