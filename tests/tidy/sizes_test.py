"""Lines of code are those that are neither blank nor comments, in each language."""

import unittest

import sizes

PYTHON = '''"""Of the module."""

# A comment

# and another one after a blank line.
class Box:
    """In several
    lines."""

    def open(self):  # of a line
        """Of a function."""
        return "# text"
'''


class Sizes(unittest.TestCase):
    def test_code_lines(self):
        self.assertEqual(sizes.code_lines("box.py", PYTHON), 3)
        self.assertEqual(sizes.code_lines("box.cc", "// A comment\n\nint x;  // of a line\n/* long\n*/ int y;\n"), 2)
        self.assertEqual(sizes.code_lines("box.sh", "#!/bin/sh\n# A comment\n\necho '# text'\n"), 1)

    def test_functions(self):
        self.assertEqual([name for _, name in sizes.functions_of("box.py", PYTHON)], ["Box.open"])
        self.assertEqual(sizes.functions_of("box.cc", "int f() {\n  return 1;\n}\n"), [(2, "f")])


if __name__ == "__main__":
    unittest.main()
