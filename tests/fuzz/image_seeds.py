"""The first inputs of the target `image`: small images put together by hand, so that they are the same on every machine."""

import struct
import zlib


def segment(marker: int, body: bytes) -> bytes:
    return b"\xff" + bytes([marker]) + struct.pack(">H", len(body) + 2) + body


def codes(table: int, symbols: bytes) -> bytes:
    """Huffman codes of four bits each, at most 15 of them."""
    return segment(0xC4, bytes([table, 0, 0, 0, len(symbols)]) + bytes(12) + symbols)


# Of the differences of DC, and of runs of zeros and sizes: the first code, four zero bits, is nothing and the end.
TABLES = segment(0xDB, b"\0" + bytes([3] * 64)) + codes(0x00, bytes(range(8))) + codes(0x10, bytes([0, 1, 0x11, 2, 0x21, 0xF0]))
GREY, COLOURS = [(1, 0x11)], [(1, 0x22), (2, 0x11), (3, 0x11)]
BITS = bytes.fromhex("10 23 45 12 00 13 21 50 00 11 34 02 00 42 10 00 00 00 31 22 00 00 10 00") * 3


def frame(components: list[tuple[int, int]], process: int = 0, height: int = 13, width: int = 20) -> bytes:
    body = struct.pack(">BHHB", 8, height, width, len(components))
    return segment(0xC0 + process, body + b"".join(bytes([name, sampling, 0]) for name, sampling in components))


def scan(names: list[int], bits: bytes, first: int = 0, last: int = 63, place: int = 0) -> bytes:
    body = bytes([len(names)]) + b"".join(bytes([name, 0]) for name in names) + bytes([first, last, place])
    return segment(0xDA, body) + bits


def jpeg(*parts: bytes) -> bytes:
    return b"\xff\xd8" + b"".join(parts) + b"\xff\xd9"


ADOBE = segment(0xEE, b"Adobe\0\x64\0\0\0\0\0")
RESTARTS = segment(0xDD, b"\0\1")
CMYK = [(name, 0x11) for name in (1, 2, 3, 4)]
SCANS = scan([1, 2, 3], BITS, 0, 0, 0x01) + scan([1], BITS, 1, 63, 0x01) + scan([1], BITS, 1, 63, 0x10)


def chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def png(colours: int, bits: int, rows: list[int], *chunks: bytes, interlaced: int = 0) -> bytes:
    """Of rows of so many bytes. They are stored, not deflated: not every zlib deflates to the same bytes."""
    pixels = b"".join(bytes([number % 5]) + bytes((37 * number + 11 * i) % 256 for i in range(size))
                      for number, size in enumerate(rows))
    stored = b"\x78\x01\1" + struct.pack("<HH", len(pixels), len(pixels) ^ 0xFFFF) + pixels
    header = struct.pack(">IIBBBBB", 6, 5, bits, colours, 0, 0, interlaced)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + b"".join(chunks)
            + chunk(b"IDAT", stored + struct.pack(">I", zlib.adler32(pixels))) + chunk(b"IEND", b""))


PALETTE = chunk(b"PLTE", bytes(range(12)))

# The first two bytes say how the image is asked for.
IMAGES = {
    "jpeg_grey": b"\x45\x00" + jpeg(TABLES, frame(GREY), scan([1], BITS)),
    "jpeg_colours": b"\x4e\x01" + jpeg(TABLES, frame(COLOURS), scan([1, 2, 3], BITS)),
    "jpeg_shrunk": b"\xee\x02" + jpeg(TABLES, frame(COLOURS, height=70, width=90), scan([1, 2, 3], BITS * 5)),
    "jpeg_progressive": b"\x4e\x03" + jpeg(TABLES, frame(COLOURS, 2), SCANS),
    "jpeg_restarts": b"\x5e\x04" + jpeg(TABLES, RESTARTS, frame(GREY), scan([1], b"".join(
        BITS[:9] + bytes([0xFF, 0xD0 + number]) for number in range(5)) + BITS)),
    "jpeg_cmyk": b"\x4e\x05" + jpeg(ADOBE, TABLES, frame(CMYK), scan([1, 2, 3, 4], BITS)),
    "jpeg_arithmetic": b"\x4e\x06" + jpeg(TABLES, frame(COLOURS, 9), scan([1, 2, 3], BITS)),
    "jpeg_lossless": b"\x4e\x07" + jpeg(TABLES, frame(GREY, 3), scan([1], BITS)),
    "jpeg_cut": b"\x4e\x08" + jpeg(TABLES, frame(COLOURS), scan([1, 2, 3], BITS))[:-30],
    "png_grey": b"\x45\x09" + png(0, 8, [6] * 5),
    "png_bits": b"\x45\x0a" + png(0, 1, [1] * 5, chunk(b"tRNS", b"\0\1")),
    "png_deep": b"\x4e\x0b" + png(2, 16, [36] * 5, chunk(b"gAMA", struct.pack(">I", 45455))),
    "png_palette": b"\x4c\x0c" + png(3, 2, [2] * 5, PALETTE, chunk(b"tRNS", b"\1\2")),
    "png_opacity": b"\x4f\x0d" + png(6, 8, [24] * 5, chunk(b"zTXt", b"k\0\0" + zlib.compress(b"", 0))),
    "png_interlaced": b"\x4e\x0e" + png(2, 8, [3, 3, 6, 3, 3, 9, 9, 9, 9, 18, 18], interlaced=1),
    "gif": b"\x4e\x0f" + b"GIF89a",
}
