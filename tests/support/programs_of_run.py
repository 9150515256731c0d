"""The processes of a `carrack run`: below it is a supervisor for each program, and below that the program."""

from pathlib import Path


def children(pid: int) -> list[int]:
    """Empty if the process is gone."""
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += [int(word) for word in task.read_text().split()]
        except OSError:
            continue
    return found


def programs_of(run: int) -> list[int]:
    """Those that run, and what they have left behind."""
    return [program for supervisor in children(run) for program in children(supervisor)]
