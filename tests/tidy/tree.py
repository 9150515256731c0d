"""The value every check looks at: the repository's files as paths and texts, and what a check answers with.

Checks never touch the disk; tidy.py reads a Tree once, tests make small ones by hand.
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
        """Every folder that holds a file, however deep; the root is not among them."""
        return {str(parent) for path in self.paths() for parent in list(PurePosixPath(path).parents)[:-1]}

    def with_suffix(self, *suffixes: str) -> list[str]:
        return [path for path in sorted(self.texts) if path.endswith(suffixes)]


def is_main(path: str) -> bool:
    """A program's main: the only kind of file that may see every component."""
    return path.endswith("_main.cc")


def read_tree(root: Path, registered_tests: frozenset[str] = frozenset()) -> Tree:
    """What git tracks, and what it would if asked: untracked files that are not ignored."""
    listing = subprocess.run(
        ["git", "-C", str(root), "ls-files", "-co", "--exclude-standard", "-z"], check=True, stdout=subprocess.PIPE
    ).stdout
    texts, binaries = {}, set()
    for path in filter(None, listing.decode().split("\0")):
        if not (root / path).is_file():
            continue  # Deleted, but still in the index; or a link to nowhere.
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
