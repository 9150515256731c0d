"""Writes the first inputs of each fuzz target into its folder: small files, each holding one thing a format can do."""

import struct
from pathlib import Path

HERE = Path(__file__).resolve().parent


def crc32c(content: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in content:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def masked(content: bytes) -> bytes:
    crc = crc32c(content)
    return struct.pack("<I", (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF)


def frame(data: bytes) -> bytes:
    length = struct.pack("<Q", len(data))
    return length + masked(length) + data + masked(data)


def varint(number: int) -> bytes:
    number &= 2**64 - 1
    out = b""
    while number >= 0x80:
        out += bytes([number & 0x7F | 0x80])
        number >>= 7
    return out + bytes([number])


def field(number: int, content: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(content)) + content


def entry(name: str, feature: bytes) -> bytes:
    return field(1, field(1, name.encode()) + field(2, feature))


INTS = field(3, field(1, varint(300) + varint(-1)))
FLOATS = field(2, field(1, struct.pack("<ff", 1.5, -2)))
STRINGS = field(1, field(1, b"text"))
GOOD = field(1, entry("i", INTS) + entry("f", FLOATS) + entry("s", STRINGS))
TAGGED_INTS = field(3, b"\x08" + varint(1) + b"\x08" + varint(2))
TAGGED_FLOATS = field(2, b"\x0d" + struct.pack("<f", 1) + b"\x0d" + struct.pack("<f", 2))


def index(size: int, offsets: list[int], version: bytes = b"1", width: int = 1) -> bytes:
    blocks = b""
    for number, offset in enumerate(offsets):
        base = offsets[number // 64 * 64]
        blocks += struct.pack("<Q", base) if number % 64 == 0 else b""
        blocks += (offset - base).to_bytes(width, "little")
    head = b"CRRKIDX1" + struct.pack("<QQQQ", size, len(offsets), width, len(version))
    return head + version + blocks + masked(head + version + blocks)


THREE = frame(b"one") + frame(b"") + frame(b"three")
SEEDS = {
    "tfrecord": {
        "empty": b"",
        "three_records": THREE,
        "bad_data": THREE[:13] + b"X" + THREE[14:],
        "bad_length": THREE[:19] + b"X" + THREE[20:],
        "cut_in_header": THREE[:24],
        "cut_in_data": THREE[:-6],
        "length_of_exabytes": b"\xff" * 7 + b"\x7f" + masked(b"\xff" * 7 + b"\x7f") + b"data",
        "example": frame(GOOD) * 3,
    },
    "example": {
        "empty": b"",
        "good": GOOD,
        "tagged": field(1, entry("i", TAGGED_INTS) + entry("f", TAGGED_FLOATS) + entry("s", STRINGS)),
        "twice": field(1, entry("i", FLOATS) + entry("i", INTS) + entry("f", FLOATS) + entry("s", STRINGS)),
        "two_features_fields": field(1, entry("i", INTS)) + field(1, entry("f", FLOATS) + entry("s", STRINGS)),
        "pieces": field(1, entry("i", field(3, field(1, varint(7)) + b"\x08\x08")) + entry("f", FLOATS + field(2, b""))),
        "two_kinds": field(1, entry("i", INTS + FLOATS)),
        "unset": field(1, entry("i", b"") + entry("f", FLOATS)),
        "value_before_name": field(1, field(1, field(2, INTS) + field(1, b"i"))),
        "unknown_fields": b"\x50\x01" + field(1, field(9, b"x") + entry("i", field(9, b"x") + INTS)),
        "endless_varint": field(1, entry("i", field(3, field(1, b"\xff" * 11)))),
        "cut": GOOD[:-3],
    },
    # Each without its checksum too: the target puts a good one behind what the fuzzer makes of it.
    "index": {
        name + ending: content[:end]
        for name, content in {
            "empty_file": index(0, []),
            "two_records": index(38, [0, 19]),
            "two_blocks": index(65 * 20, [20 * number for number in range(65)], width=2),
            "long_version": index(16, [0], version=b"12s345ns16"),
            "gap": index(40, [1, 21]),
        }.items()
        for ending, end in (("", None), ("_unsealed", -4))
    },
}

if __name__ == "__main__":
    for target, inputs in SEEDS.items():
        (HERE / target).mkdir(exist_ok=True)
        for name, content in inputs.items():
            (HERE / target / f"{name}.bin").write_bytes(content)
