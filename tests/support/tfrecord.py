"""TFRecords and the tf.Examples in them, as docs/formats/tfrecord.md and docs/formats/example.md have them, in plain Python."""

import struct


def _table() -> list[int]:
    table = []
    for crc in range(256):
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
        table.append(crc)
    return table


_TABLE = _table()


def crc32c(content: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in content:
        crc = _TABLE[(crc ^ byte) & 0xFF] ^ crc >> 8
    return crc ^ 0xFFFFFFFF


def masked_crc32c(content: bytes) -> bytes:
    crc = crc32c(content)
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def frame(record: bytes) -> bytes:
    length = struct.pack("<Q", len(record))
    return length + masked_crc32c(length) + record + masked_crc32c(record)


def varint(number: int) -> bytes:
    number %= 2**64
    encoded = b""
    while number >= 0x80:
        encoded += bytes([number & 0x7F | 0x80])
        number >>= 7
    return encoded + bytes([number])


def field(number: int, content: bytes) -> bytes:
    """A length-delimited field of a protobuf message."""
    return varint(number << 3 | 2) + varint(len(content)) + content


def entry(name: str, feature: bytes) -> bytes:
    """Of an Example's map of features."""
    return field(1, field(1, name.encode()) + field(2, feature))
