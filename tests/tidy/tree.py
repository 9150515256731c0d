"""The repository as a value: the paths and texts of its files. Every check takes a Tree and returns Problems.

Checks never touch the disk: tidy.py reads a Tree once, and tests make small ones by hand.
"""

import subprocess
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import NamedTuple


class Problem(NamedTuple):
    path: str
    line: int
    what: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.what}"


@dataclass(frozen=True)
class Tree:
    texts: dict[str, str]
    binaries: frozenset[str] = frozenset()
    registered_tests: frozenset[str] = frozenset()

    def paths(self) -> list[str]:
        return sorted([*self.texts, *self.binaries])

    def folders(self) -> set[str]:
        """Every folder with a file in it or below it, except the root."""
        return {str(parent) for path in self.paths() for parent in list(PurePosixPath(path).parents)[:-1]}

    def with_suffix(self, *suffixes: str) -> list[str]:
        return [path for path in sorted(self.texts) if path.endswith(suffixes)]


def is_main(path: str) -> bool:
    """Whether it is a program's main, the only kind of file that may include every component."""
    return path.endswith("_main.cc")


class NoTree(Exception):
    """Git cannot list the files. The text says why, and what to do."""


def listed_by_git(root: Path) -> list[str]:
    """The files that git tracks, and the untracked ones that it does not ignore."""
    command = ["git", "-C", str(root), "ls-files", "-co", "--exclude-standard", "-z"]
    listing = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if listing.returncode != 0:
        message = listing.stderr.decode(errors="replace").strip()
        if "dubious ownership" in message:
            command = f"git config --global --add safe.directory {root}"
            raise NoTree(f"{root} belongs to another user, so git does not list it; work as that user, or run: {command}")
        raise NoTree(f"git cannot list the files of {root} ({message.splitlines()[0]}); run this in a clone")
    paths = [path for path in listing.stdout.decode().split("\0") if path]
    if not paths:
        raise NoTree(f"git has no files in {root}; run this in a clone")
    return paths


def read_tree(root: Path, registered_tests: frozenset[str] = frozenset()) -> Tree:
    texts, binaries = {}, set()
    for path in listed_by_git(root):
        if not (root / path).is_file():
            continue  # Deleted, but still in the index; or a broken symbolic link.
        content = (root / path).read_bytes()
        try:
            texts[path] = content.decode()
        except UnicodeDecodeError:
            binaries.add(path)
    binary_texts = {path for path, text in texts.items() if "\0" in text}
    return Tree(
        {path: text for path, text in texts.items() if path not in binary_texts},
        frozenset(binaries | binary_texts),
        registered_tests,
    )
