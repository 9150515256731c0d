"""Writes the first inputs of each fuzz target into its folder: small files, each holding one thing a format can do."""

import json
import os
import struct
from pathlib import Path

import source_seeds
from deflated import gzip_member, stored, zlib_stream
from image_seeds import IMAGES
from kube_seeds import KUBE
from seeds_http import REPLIES
from support.tfrecord import crc32c, entry, field, frame, masked_crc32c, varint

HERE = Path(__file__).resolve().parent

INTS = field(3, field(1, varint(300) + varint(-1)))
FLOATS = field(2, field(1, struct.pack("<ff", 1.5, -2)))
STRINGS = field(1, field(1, b"text"))
GOOD = field(1, entry("i", INTS) + entry("f", FLOATS) + entry("s", STRINGS))
TAGGED_INTS = field(3, b"\x08" + varint(1) + b"\x08" + varint(2))
EMPTY = field(3, b"")
STEPS = b"".join(field(1, step) for step in (INTS, field(3, b"\x08\x05"), b""))
ITEMS = b"".join(field(1, field(3, field(1, varint(number)))) for number in (0, 127, 2**40))
TAGGED_FLOATS = field(2, b"\x0d" + struct.pack("<f", 1) + b"\x0d" + struct.pack("<f", 2))


def tensor(dtype: int, shape: list[int], offset: int = 0, size: int = 0, crc: bytes = b"") -> bytes:
    """An entry of a checkpoint's index; of a tensor in slices, its beginning."""
    out = b"\x08" + varint(dtype) + field(2, b"".join(field(2, b"\x08" + varint(length)) for length in shape))
    out += b"\x20" + varint(offset) if offset else b""
    return out + (b"\x28" + varint(size) + b"\x35" + crc if size else b"")


def index(size: int, offsets: list[int], version: bytes = b"1", width: int = 1) -> bytes:
    blocks = b""
    for number, offset in enumerate(offsets):
        base = offsets[number // 64 * 64]
        blocks += struct.pack("<Q", base) if number % 64 == 0 else b""
        blocks += (offset - base).to_bytes(width, "little")
    contents = 0x4F2CE7D1
    head = b"CRRKIDX1" + struct.pack("<QQQQI", size, len(offsets), width, len(version), contents)
    return head + version + blocks + masked_crc32c(head + version + blocks)


def points(size: int, places: list[tuple[int, int, int, int, bytes]], compression: int = 1) -> bytes:
    """The beginning of the index of a compressed file, without its checksum."""
    encoded = b"".join(struct.pack("<QQBBI", *place[:4], len(place[4])) + place[4] for place in places)
    return b"CRRKIDZ1" + struct.pack("<QQQQ", size, compression, len(places), len(encoded)) + encoded


# The rows of the index that TensorFlow writes of x = float32 [5,3], saved as its rows 0-1 and 2-4, and y = int64 [2].
ROWS = [
    (b"", b"\x08\x01" + field(3, b"\x08\x01")),
    (b"\0x\0\x01\x01\x02\x80\x82\x80\x7f", tensor(1, [2, 3], size=24, crc=b"k>:\xa8")),
    (b"\0x\0\x01\x01\x02\x82\x83\x80\x7f", tensor(1, [3, 3], offset=24, size=36, crc=b"i\xc1n\xa0")),
    (b"x", tensor(1, [5, 3]) + field(7, field(1, b"\x10\x02") + field(1, b""))
     + field(7, field(1, b"\x08\x02\x10\x03") + field(1, b""))),
    (b"y", tensor(9, [2], offset=60, size=16, crc=b"\xe0.7}")),
]


def block(rows: list[tuple[bytes, bytes]]) -> bytes:
    """Of a table: each key without what it shares with the one before, and one restart."""
    out, last = b"", b""
    for key, value in rows:
        shared = len(os.path.commonprefix([key, last]))
        out += varint(shared) + varint(len(key) - shared) + varint(len(value)) + key[shared:] + value
        last = key
    return out + struct.pack("<II", 0, 1)


def table(rows: list[tuple[bytes, bytes]]) -> bytes:
    out, handles = b"", []
    for content in (block(rows), block([])):
        handles.append(varint(len(out)) + varint(len(content)))
        out += content + b"\0" + masked_crc32c(content + b"\0")
    index = block([(b"z", handles[0])])  # As TensorFlow shortens the block's last key.
    handles.append(varint(len(out)) + varint(len(index)))
    footer = (handles[1] + handles[2]).ljust(40, b"\0") + struct.pack("<Q", 0xDB4775248B80FB57)
    return out + index + b"\0" + masked_crc32c(index + b"\0") + footer


def sealed(text: bytes) -> bytes:
    return text + b"crc32c %08x\n" % crc32c(text)


def shown(heading: str, page: str = "checkpoint") -> bytes:
    """The text that stands under a heading of a page of docs/formats, without its seal."""
    page = (HERE.parents[1] / f"docs/formats/{page}.md").read_text()
    return page.split(f"\n## {heading}\n")[1].split("```\n")[1].split("crc32c ")[0].encode()


def safetensors_header(tensors: dict) -> bytes:
    """`tensors`: type, shape and data_offsets by name, and perhaps a dictionary as __metadata__."""
    fields = ("dtype", "shape", "data_offsets")
    return json.dumps({name: one if isinstance(one, dict) else dict(zip(fields, one)) for name, one in tensors.items()}).encode()


def safetensors(tensors: dict, data: bytes) -> bytes:
    header = safetensors_header(tensors)
    return struct.pack("<Q", len(header)) + header + data


OURS = {"carrack.dev/job": "line", "carrack.dev/role": "worker", "carrack.dev/index": "0", "carrack.dev/attempt": "0",
        "carrack.dev/incarnation": "1"}
SPEC = {
    "strategy": "ParameterServer", "replicas": {"ps": {"count": 1}, "worker": {"count": 1}},
    "model": {"kind": "LinearRegression", "input": "x", "target": "y"},
    "data": {"train": {"files": ["gs://b/*"]}, "features": {"x": {"type": "float32"}, "y": {"type": "float32"}}},
    "training": {"batch": 64, "optimizer": {"kind": "SGD", "learningRate": 0.1}}, "checkpoint": {"folder": "gs://b/c"}}
STATUS = {
    "attempt": 0, "members": {"worker-0": {"incarnation": 1, "ended": False}},
    "conditions": [{"type": "Created", "status": "True", "reason": "JobCreated", "message": "",
                    "lastTransitionTime": "2026-01-31T23:59:58Z"}]}


def event(kind: str, version: int, name: str, type: str = "ADDED", labels: dict | None = None, **rest: object) -> bytes:
    metadata = {"namespace": "n", "name": name, "uid": "u", "resourceVersion": str(version), "labels": labels or {}}
    return json.dumps({"type": type, "object": {
        "apiVersion": "carrack.dev/v1alpha1", "kind": kind, "metadata": metadata, **rest}}).encode() + b"\n"


JOB = event("TrainingJob", 7, "line", spec=SPEC, status=STATUS)
ENDED = {"phase": "Failed", "podIP": "::1", "conditions": [{"type": "DisruptionTarget", "status": "True"}],
         "containerStatuses": [{"name": "trainer", "state": {"terminated": {"exitCode": 81, "message": "m\n"}}}]}

USER = {"type": "authorized_user", "client_id": "c", "client_secret": "s", "refresh_token": "r"}
EXTERNAL = {
    "type": "external_account", "audience": "//a", "subject_token_type": "t", "token_url": "https://h:1/t",
    "credential_source": {"url": "http://[::1]/t?a", "headers": {"h": "v"},
                          "format": {"type": "json", "subject_token_field_name": "id_token"}},
    "service_account_impersonation_url": "https://i/a:g", "service_account_impersonation": {"token_lifetime_seconds": 900}}
IMPERSONATED = {"type": "impersonated_service_account", "service_account_impersonation_url": "https://i/a:g",
                "delegates": ["d"], "source_credentials": USER}

THREE = frame(b"one") + frame(b"") + frame(b"three")
# Written out, because not every zlib deflates to the same bytes.
DEFLATED_THREE = bytes.fromhex("636680800d333df9f2f352191d4239a0220c9acc33d86fbc6a5ac40ae5bfdac462579251949a9aa0fcdb1500")


SEEDS = {
    "image": IMAGES,
    "tfrecord": {
        "empty": b"",
        "three_records": THREE,
        "bad_data": THREE[:13] + b"X" + THREE[14:],
        "bad_length": THREE[:19] + b"X" + THREE[20:],
        "cut_in_header": THREE[:24],
        "cut_in_data": THREE[:-6],
        "length_of_exabytes": b"\xff" * 7 + b"\x7f" + masked_crc32c(b"\xff" * 7 + b"\x7f") + b"data",
        "example": frame(GOOD) * 3,
        "two_damaged": THREE[:19] + b"X" + THREE[20:-1] + b"X" + THREE,
        "lengths_everywhere": b"X" + (struct.pack("<Q", 90) + masked_crc32c(struct.pack("<Q", 90))) * 9 + THREE + bytes(50),
        "lfs_pointer": b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n",
        "gzip": gzip_member(DEFLATED_THREE, THREE),
        "gzip_members": gzip_member(stored(THREE[:20]), THREE[:20]) + gzip_member(stored(THREE[20:]), THREE[20:]),
        "gzip_bad_trailer": gzip_member(stored(THREE), THREE)[:-1] + b"X",
        "gzip_cut": gzip_member(stored(THREE), THREE)[:-20],
        "zlib": zlib_stream(DEFLATED_THREE, THREE),
        "zlib_streams": zlib_stream(stored(THREE[:20]), THREE[:20]) + zlib_stream(stored(THREE[20:]), THREE[20:]),
        "zlib_bad_data": zlib_stream(stored(THREE[:13] + b"X" + THREE[14:]), THREE[:13] + b"X" + THREE[14:]),
        "text_index": b"0 19\n19 16\n35 21\n",
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
        "long_list": field(1, entry("i", field(3, field(1, bytes(range(100)) + varint(2**56) + varint(-7))))),
        "empty_lists": field(1, entry("i", EMPTY) + entry("f", field(2, b"")) + entry("s", field(1, b""))),
        "raw": field(1, entry("s", field(1, field(1, b"\x00\x3c\xff\x7f" * 2)))),
        "partitions": field(1, entry("f", FLOATS) + entry("i", field(3, field(1, varint(0) + varint(2))))
                            + entry("j", field(3, field(1, varint(0) + varint(1))))),
        "lengths": field(1, entry("f", FLOATS) + entry("i", field(3, b"\x08\x02"))
                         + entry("j", field(3, field(1, varint(1))))),
        "sequence": field(1, entry("i", INTS)) + field(2, entry("i", ITEMS) + entry("f", b"") + entry("s", field(1, STRINGS))),
        "sequence_of_lists": field(2, entry("i", STEPS) + entry("s", field(1, STRINGS) + field(1, field(1, b"")))),
        "sequence_in_pieces": field(2, entry("i", ITEMS)) + field(2, entry("i", field(1, field(3, b"\x08\x01") + INTS))),
        "sequence_cut": field(2, entry("i", STEPS))[:-4],
    },
    # Each without its checksum too: the target puts a good one behind what the fuzzer makes of it.
    "summary": {
        "sequence": field(1, entry("i", INTS)) + field(2, entry("l", STEPS) + entry("none", b"")),
        "shown": field(1, entry("s", field(1, field(1, b"GIF89a\x0a\0\x14\0") + field(1, b"\x1b[2J\xc2\x9b")))),
    },
    "index": {
        name + ending: content[:end]
        for name, content in {
            "empty_file": index(0, []),
            "two_records": index(38, [0, 19]),
            "two_blocks": index(65 * 20, [20 * number for number in range(65)], width=2),
            "long_version": index(16, [0], version=b"12s345ns16"),
            "gap": index(40, [1, 21]),
            "points": points(500, [(90, 300, 3, 5, zlib_stream(stored(b"x" * 300), b"x" * 300)), (400, 900, 0, 0, b"")]) + bytes(4),
            "points_of_zlib": points(500, [(90, 300, 0, 0, b"no window")], 2) + bytes(4),
        }.items()
        for ending, end in (("", None), ("_unsealed", -4))
    },
    "inflate": {
        "empty": b"",
        "gzip": gzip_member(DEFLATED_THREE, THREE),
        "gzip_members": gzip_member(stored(THREE[:20]), THREE[:20]) + gzip_member(stored(THREE[20:]), THREE[20:]),
        "gzip_fields": b"\x1f\x8b\x08\x1c" + bytes(6) + b"\3\0abcname\0comment\0" + DEFLATED_THREE,
        "zlib_streams": zlib_stream(stored(THREE[:20]), THREE[:20]) + zlib_stream(stored(THREE[20:]), THREE[20:]),
        "deflated": DEFLATED_THREE,
        "copy_from_before": b"\x63\x00\x42" + bytes(20),
        "unused_code": b"\x1b\x03" + bytes(20),
    },
    # The first byte chooses the decoder, and which checksums the target puts around the rest.
    "bundle": {
        "index": b"\0" + table(ROWS),
        "block": b"\1" + block(ROWS),
        "rows": b"\2" + b"".join(varint(len(part)) + part for row in ROWS for part in row),
        "sealed_manifest": b"\3" + sealed(shown("Manifest")),
        "manifest": b"\4" + shown("Manifest"),
        "head": b"\5" + shown("HEAD"),
        "head_of_a_pass": b"\5" + shown("HEAD").replace(b"head 1", b"head 2").replace(b"\nmanifest ", b"\npass first\nmanifest "),
        "head_resumed": b"\5" + shown("HEAD").replace(b"\nmanifest ", b"\nresumed "),
        "statistics": b"\6" + shown("STATISTICS"),
        "best": b"\7" + shown("BEST"),
    },
    # The first byte is 0 before a whole file, else the number of bytes behind a header.
    "safetensors": {
        "whole": b"\0" + safetensors({"w": ("F32", [2], [0, 8])}, struct.pack("<ff", 1, -2)),
        "several": b"\x0e" + safetensors_header({"__metadata__": {"format": "pt"}, "b": ("BF16", [1, 1], [8, 10]),
                                                 "a": ("F64", [1], [0, 8]), "c": ("I8", [2], [10, 12]),
                                                 "d": ("U8", [0, 3], [12, 12]), "e": ("F16", [], [12, 14])}),
        "unknown_type": b"\3" + safetensors_header({"\u00e9": ("F8_E4M3", [3], [0, 3])}),
        "overlap": b"\x08" + safetensors_header({"a": ("F32", [1], [0, 4]), "b": ("F32", [1], [3, 7])}),
        "gap": b"\x08" + safetensors_header({"a": ("F32", [1], [4, 8])}),
        "impossible_shape": b"\1" + safetensors_header({"a": ("F32", [2**32, 2**32], [0, 0])}),
        "large_numbers": b"\1" + safetensors_header({"a": ("F32", [2**64], [0, 2**63])}),
    },
    "history": {
        "empty": b"",
        "example": shown("Lines", "metrics"),
        "cut": shown("Lines", "metrics")[:-20],
        "nulls": b'{"time":null,"records_per_second":null,"loss":null,"epoch":0,"step":18446744073709551615}\n \n',
        "unknown": b'{"step":1,"epoch":0,"time":1e9,"a":[{}],"evaluation":{"loss":NaN,"F1":[],"loss":-0.0},"best":false}\n',
        "large": b'{"step":1,"epoch":0,"time":1e999}\n',
    },
    # The first byte says which of the three messages it is.
    "opening": {
        "challenge": b"\0carrack\1" + bytes(range(32)) + struct.pack("<4I", 1, 1, 2, 3),
        "challenge_of_an_earlier_start": b"\0carrack\1" + bytes(range(32)) + struct.pack("<4I", 1, 1, 2, 2),
        "challenge_of_no_role": b"\0carrack\1" + bytes(range(32)) + struct.pack("<4I", 3, 1, 2, 3),
        "large_numbers": b"\0carrack\1" + bytes(range(32)) + struct.pack("<4I", 1, 1, 2**32 - 1, 2**31),
        "response": b"\1carrack\1" + bytes(range(32)) + struct.pack("<4I", 2, 0, 2, 1) + bytes(range(32)),
        "http2": b"\1PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0]),
        "proof": b"\2" + bytes(range(32)),
        "empty": b"",
    },
    # Each without its checksum too, as for an index.
    "snapshot": {
        name + ending: seal(content)
        for name, content in {
            "manifest": shown("Manifest", "snapshot"),
            "part": b"carrack snapshot 1\npipeline \ncolumn x bytes [] 0\nshard 1 20 20 00000000 0\n",
            "row": b"carrack snapshot 1\npipeline \ncolumn i int64 [2] 0\ncolumn f uint8 [1] 2\nshard 9 99 99 00000000 0\n",
        }.items()
        for ending, seal in (("", sealed), ("_unsealed", bytes))
    },
    # The first byte chooses the decoder.
    "credentials": {
        "service_account": b"\0" + json.dumps({
            "type": "service_account", "client_email": "e", "private_key_id": "i", "private_key": "none"}).encode(),
        "user": b"\0" + json.dumps(USER | {"token_uri": "http://localhost:1/t", "universe_domain": None}).encode(),
        "external": b"\0" + json.dumps(EXTERNAL).encode(),
        "external_file": b"\0" + json.dumps(EXTERNAL | {"credential_source": {"file": "f"}}).encode(),
        "impersonated": b"\0" + json.dumps(IMPERSONATED).encode(),
        "impersonated_external": b"\0" + json.dumps(IMPERSONATED | {"source_credentials": EXTERNAL}).encode(),
        "unknown": b"\0" + b'{"type": "a\xc3\xbc", "executable": {}}',
        "subject_text": b"\1 a.b.c\n",
        "subject_json": b'\1{"id_token": "a.b.c"}',
        "token": b'\2{"access_token": "a", "expires_in": 3599, "token_type": "Bearer"}',
        "impersonated_token": b'\2{"accessToken": "a", "expireTime": "2014-10-02T15:01:23Z"}',
        "refusal": b'\2{"error": "invalid_grant", "error_description": "ends in\\n"}',
        "denied": b'\2{"error": {"code": 403, "message": "denied", "status": "PERMISSION_DENIED"}}',
    },
    "http": REPLIES,
    # A line each.
    "objects": {
        "job": JOB,
        "pods": JOB + event("Pod", 8, "a", labels=OURS, status={"phase": "Running"})
        + event("Pod", 9, "a", "MODIFIED", OURS, status=ENDED) + event("Service", 3, "s", labels=OURS),
        "moved": JOB + event("Pod", 8, "a", labels=OURS) + event("Pod", 9, "a", labels=OURS | {"carrack.dev/job": "other"}),
        "deleted": JOB + event("TrainingJob", 9, "line", "DELETED") + event("Pod", 8, "a", labels=OURS),
        "list": b'{"metadata": {"resourceVersion": "7", "continue": "c"}, "items": [{}, null]}',
        "report": b'{"job":"u","attempt":0,"incarnation":1,"step":7,"loss":1e9,"checkpoint":{"step":7,"manifest":"m"}}',
    },
    # The first byte chooses the decoder; a zero byte ends a file of a kubeconfig, and cuts a stream.
    "kube": KUBE,
} | source_seeds.SEEDS

if __name__ == "__main__":
    for target, inputs in SEEDS.items():
        (HERE / target).mkdir(exist_ok=True)
        for name, content in inputs.items():
            (HERE / target / f"{name}.bin").write_bytes(content)
