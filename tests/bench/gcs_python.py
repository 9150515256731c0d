"""The peers of bench gcs: google-cloud-storage and gcsfs, each at the settings that were fastest here.

    gcs_python.py WHAT URL [LIST READERS]     ENDPOINT in STORAGE_EMULATOR_HOST

chunks, gcsfs             print how many bytes a second come when the object is read in turn
checksum WHAT URL         prints the object's CRC-32C, as that way delivers it
records URL               prints how many bytes a second come of the TFRecords in a GZIP object: Python's own inflation, no
                          checksum of a record verified
blocks URL LIST READERS   prints the rate for the blocks that LIST names, each read by one of so many threads, and how many
                          seconds the slowest of a hundred reads took
"""

import os
import sys
import time
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from tempfile import NamedTemporaryFile

import google_crc32c
from google.auth.credentials import AnonymousCredentials
from google.cloud import storage
from google.cloud.storage import transfer_manager
from requests.adapters import HTTPAdapter

PIECE = 16 << 20
CHUNK = 64 << 20
WORKERS = 8


def client(connections: int = 16) -> storage.Client:
    made = storage.Client(project="bench", credentials=AnonymousCredentials())
    adapter = HTTPAdapter(pool_connections=connections, pool_maxsize=connections)  # Else it keeps 10.
    for scheme in ("http://", "https://"):
        made._http.mount(scheme, adapter)
    return made


def blob_at(url: str) -> storage.Blob:
    bucket, _, name = url.removeprefix("gs://").partition("/")
    blob = client().bucket(bucket).blob(name)
    blob.reload()
    return blob


def pieces_of(file) -> Iterator[bytes]:
    while piece := file.read(PIECE):
        yield piece


def chunks(url: str) -> Iterator[bytes]:
    """Parallel ranges into a file in memory, by processes, their checksum compared; then that file."""
    with NamedTemporaryFile(dir="/dev/shm") as file:
        transfer_manager.download_chunks_concurrently(blob_at(url), file.name, chunk_size=CHUNK, max_workers=WORKERS)
        yield from pieces_of(file)


def by_gcsfs(url: str) -> Iterator[bytes]:
    import gcsfs

    system = gcsfs.GCSFileSystem(token="anon", endpoint_url=os.environ["STORAGE_EMULATOR_HOST"])
    with system.open(url, "rb", block_size=PIECE, concurrency=16) as file:
        yield from pieces_of(file)


WAYS = {"chunks": chunks, "gcsfs": by_gcsfs}


def rate(way: str, url: str) -> float:
    begun = time.perf_counter()
    size = sum(len(piece) for piece in WAYS[way](url))
    return size / (time.perf_counter() - begun)


def records_rate(url: str) -> float:
    """The object is downloaded by parallel ranges and then inflated, by one process as deflate needs it."""
    begun = time.perf_counter()
    inflater, size = zlib.decompressobj(wbits=31), 0
    for piece in chunks(url):
        size += len(inflater.decompress(piece))
    assert inflater.eof
    return size / (time.perf_counter() - begun)


def checksum(way: str, url: str) -> int:
    crc = 0
    for piece in WAYS[way](url):
        crc = google_crc32c.extend(crc, piece)
    return crc


def blocks(url: str, wanted: list[tuple[int, int]], readers: int) -> tuple[float, float]:
    blob = blob_at(url)

    def read(block: tuple[int, int]) -> float:
        begun = time.perf_counter()
        got = blob.download_as_bytes(start=block[0], end=block[0] + block[1] - 1, raw_download=True,
                                     if_generation_match=blob.generation)
        assert len(got) == block[1]
        return time.perf_counter() - begun

    begun = time.perf_counter()
    with ThreadPoolExecutor(readers) as threads:
        seconds = sorted(threads.map(read, wanted))
    return sum(size for _, size in wanted) / (time.perf_counter() - begun), seconds[len(seconds) * 99 // 100]


if __name__ == "__main__":
    what, *rest = sys.argv[1:]
    if what == "checksum":
        print(checksum(*rest))
    elif what == "records":
        print(records_rate(*rest))
    elif what == "blocks":
        with open(rest[1]) as lines:
            listed = [(int(offset), int(size)) for offset, size in (line.split() for line in lines)]
        print(*blocks(rest[0], listed, int(rest[2])))
    else:
        print(rate(what, rest[0]))
