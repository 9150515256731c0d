"""Removes the comments from C++ and keeps every line where it was."""

import re

PARTS = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
      | (?P<raw>R"(?P<delimiter>[^(\s]*)\(.*?\)(?P=delimiter)")
      | "(?:\\.|[^"\\\n])*"
      | (?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'   # A quote after a digit separates digits.
    """,
    re.DOTALL | re.VERBOSE,
)
SOURCES = (".h", ".cc", ".cu", ".cuh")


def code_of(text: str) -> str:
    """The text with comments and raw strings emptied; line numbers stay."""

    def emptied(part: re.Match) -> str:
        if part["comment"] is None and part["raw"] is None:
            return part[0]
        return "\n" * part[0].count("\n")

    return PARTS.sub(emptied, text)
