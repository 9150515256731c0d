"""Writes what zlib reads, the same bytes everywhere: not every zlib deflates alike."""

import struct
import zlib


def stored(content: bytes) -> bytes:
    """As deflate holds what cannot be made smaller."""
    return b"\1" + struct.pack("<HH", len(content), len(content) ^ 0xFFFF) + content


def gzip_member(deflated: bytes, content: bytes) -> bytes:
    return b"\x1f\x8b\x08" + bytes(6) + b"\xff" + deflated + struct.pack("<II", zlib.crc32(content), len(content))


def zlib_stream(deflated: bytes, content: bytes) -> bytes:
    return b"\x78\x9c" + deflated + struct.pack(">I", zlib.adler32(content))
