"""The ways in which a file of records may be compressed, by their names."""

import gzip
import zlib
from collections.abc import Callable


def in_two_members(content: bytes) -> bytes:
    """The first one ends within a record."""
    half = len(content) // 2 + 3
    return gzip.compress(content[:half]) + gzip.compress(content[half:])


COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {
    "GZIP": gzip.compress, "ZLIB": zlib.compress, "two members of GZIP": in_two_members}
