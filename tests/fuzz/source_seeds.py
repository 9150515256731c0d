"""The first inputs of the targets that read what is not TFRecords."""

import struct
import zlib

from deflated import gzip_member, stored


def npy(dictionary: bytes, array: bytes, version: int = 1) -> bytes:
    size = struct.pack("<H" if version == 1 else "<I", len(dictionary))
    return b"\x93NUMPY" + bytes([version, 0]) + size + dictionary + array


def header(descr: str, shape: str, fortran: bool = False) -> bytes:
    return f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n".encode()


def archive(members: dict[str, bytes], deflated: bool = False, beyond: bool = False) -> bytes:
    """By hand, as Python's zipfile is another in each version. Its directory's numbers may have 64 bits."""
    out, directory = b"", b""
    for name, content in members.items():
        packed = stored(content) if deflated else content
        sizes = (len(packed), len(content))
        head = struct.pack("<HHHII", 45, 0, 8 if deflated else 0, 0, zlib.crc32(content))
        extra = struct.pack("<HHQQQ", 1, 24, *reversed(sizes), len(out)) if beyond else b""
        shown = (2**32 - 1,) * 3 if beyond else (*sizes, len(out))
        directory += b"PK\1\2" + struct.pack("<H", 45) + head + struct.pack("<II", *shown[:2])
        directory += struct.pack("<HHHHHII", len(name), len(extra), 0, 0, 0, 0, shown[2]) + name.encode() + extra
        out += b"PK\3\4" + head + struct.pack("<IIHH", *sizes, len(name), 0) + name.encode() + packed
    at, count = len(out), len(members)
    end = struct.pack("<HHII", count, count, len(directory), at)
    if beyond:
        behind = at + len(directory)
        directory += b"PK\6\6" + struct.pack("<QHHIIQQQQ", 44, 45, 45, 0, 0, count, count, len(directory), at)
        directory += b"PK\6\7" + struct.pack("<IQI", 0, behind, 1)
        end = b"\xff" * 12
    return out + directory + b"PK\5\6" + bytes(4) + end + b"\0\0"


INTS = npy(header("<i4", "(3, 2)"), struct.pack("<6i", *range(6)))


SEEDS = {
    "csv": {
        "empty": b"",
        "plain": b"a,b,c\nx,1.5,2\ny,nan,-3\n",
        "quoted": b'"a, ""b""",1,2\r\n"x\ny","2.5",3\r\n',
        "mark": b"\xef\xbb\xbfa,b,c\n\n,,7\n x ,+1 , 2",
        "ragged": b"a,b\n1,2,3\n4,5,6,7\nx,1,8\n",
        "misquoted": b'5" pipe,1,2\n"a"b,1,2\nx,1,2\n"open,1,2\n',
        "large": b"a,1e39,1\nb,1e-50,9223372036854775808\nc,0." + b"0" * 70 + b"1e80,-1\n",
        "utf16": b"\xff\xfea\0,\0",
        "gzip": gzip_member(stored(b"x,1,2\ny,3,4\n"), b"x,1,2\ny,3,4\n"),
        "lfs_pointer": b"version https://git-lfs.github.com/spec/v1\n",
    },
    "jsonlines": {
        "empty": b"",
        "plain": b'{"s":"a","f":[1,2.5],"i":[1,2]}\n{"i":-3,"s":"b"}',
        "escapes": b'{"s":"\\"\\\\\\/\\b\\u00e9\\ud83d\\ude00"}\n{"\\u0073":"x"}\n',
        "others": b'{"x":{"y":[true,false,null,"",-0.5e+7,{}]},"s":null}\n \n',
        "python": b'{"f":[NaN,-Infinity],"i":[]}\n{"f":[true,1e400]}\n',
        "broken": b'{"s":"a}\n{"s":1}\n{"i":[1,]}\n{"s":"","s":""}\n{"s":"\\ud800"}\n[1]\n{"s":"b"}\n',
        "deep": b'{"x":' + b"[" * 70 + b"]" * 70 + b"}\n",
        "gzip": gzip_member(stored(b'{"s":"a"}\n'), b'{"s":"a"}\n'),
    },
    "npy": {
        "empty": b"",
        "ints": INTS,
        "floats": npy(header(">f8", "(2,)"), struct.pack(">2d", 1.5, float("nan")), 2),
        "halves": npy(header("<f2", "(4, 1)"), bytes(range(8)), 3),
        "bools": npy(header("|b1", "(3,)"), b"\0\1\2"),
        "large": npy(header("<u8", "(2,)"), struct.pack("<2Q", 1, 2**63)),
        "fortran": npy(header("<f4", "(2, 1)", True), bytes(8)),
        "endless": npy(header("<f8", "(4294967296, 4294967296)"), b""),
        "nothing": npy(header("<f8", "(5, 0)"), b""),
        "fields": npy(b"{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (1,)}", bytes(4)),
        "objects": npy(header("|O8", "(1,)"), bytes(8)),
        "dictionary": b'{"shape": (2L, 3,), "descr": "=i2", "fortran_order": False}',
        "archive": archive({"a.npy": INTS, "b.npy": npy(header("<f4", "(1,)"), bytes(4)), "readme": b""}),
        "archive_beyond": archive({"a.npy": INTS}, beyond=True),
        "archive_deflated": archive({"a.npy": INTS}, deflated=True),
    },
}
