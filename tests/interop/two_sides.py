"""Runs our program and a peer's, and compares the lines that they print."""

import subprocess
from itertools import zip_longest


def lines_of(*command: str, stdin: list[str] = ()) -> list[str]:
    """The lines that the program prints when it reads `stdin`. Raises with its standard error if it fails."""
    done = subprocess.run(command, input="\n".join(stdin), capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"{command}: {done.stderr}")
    return done.stdout.split("\n")[:-1]


def differences(found: list[str], expected: list[str]) -> list[tuple[int, str, str]]:
    """The numbers of the first lines that differ, and both lines; None stands for a line that one side does not have."""
    both = enumerate(zip_longest(found, expected))
    return [(number, *pair) for number, pair in both if pair[0] != pair[1]][:3]
