"""bench gcs: objects from a store with 30 ms to the first byte, 100 MB/s a stream, 1% of 503 and 0.1% of stalls, against
Google's Python client and gcsfs. The fault proxy plays that network from memory, on the same machine."""
# builds: bench_gcs bench_records fault-proxy carrack carrack-trainer

import os
import random
import subprocess
import sys
from pathlib import Path

from bench import pairs
from interop import peers
from support import object_store, sparse_store

PEER = Path(__file__).with_name("gcs_python.py")
URL = "gs://bucket/object"
GZIP_URL = "gs://bucket/records.gz"
GZIP_RECORDS = 300_000  # of 1 KB
SIZE = 1 << 30
WINDOW = 32
READERS = 16
CONTENT = {"method": "GET", "target": "alt=media"}
NETWORK = [{"slow": {"first_byte_ms": 30, "bytes_per_second": 100_000_000}},
           {**CONTENT, "share": 0.01, "answer": {"status": 503}},
           {**CONTENT, "share": 0.001, "stall": {"after_bytes": 1_000_000, "lasts_ms": 20_000}}]


def content() -> bytes:
    return b"".join(random.Random(number).randbytes(1 << 20) for number in range(SIZE >> 20))


def gzip_records(build: Path) -> bytes:
    """TFRecords of words and numbers, one GZIP stream."""
    file = build / "bench" / f"gcs-{GZIP_RECORDS}.tfrecord.gz"
    if not file.exists():
        subprocess.run([f"{build}/bin/bench_records", "gzip", "1024", str(GZIP_RECORDS), file], check=True)
    return file.read_bytes()


def shuffled_blocks() -> list[tuple[int, int]]:
    """The object in blocks of 1 to 8 MB, in any order within windows of so many."""
    draw, blocks, offset = random.Random(1), [], 0
    while offset < SIZE:
        size = min(draw.randrange(1_000_000, 8_000_000), SIZE - offset)
        blocks.append((offset, size))
        offset += size
    windows = [blocks[begin:begin + WINDOW] for begin in range(0, len(blocks), WINDOW)]
    return [block for window in windows for block in draw.sample(window, len(window))]


class Side:
    """Runs a program that prints its rate, and perhaps the p99 of its reads; what it prints besides the rate is kept. The
    same run of either side meets the same faults."""

    def __init__(self, proxy: object_store.FaultProxy, command: list[str], size: int = SIZE):
        self.proxy, self.command, self.size, self.beside = proxy, command, size, []

    def __call__(self) -> float:
        self.proxy.set({"seed": len(self.beside), "rules": NETWORK})
        rate, *p99 = map(float, output_of(self.proxy, self.command).split())
        gets = self.proxy.state()["counters"]["methods"]["GET"]
        self.beside.append({"gets_per_gb": gets / self.size * 1e9} | ({"p99_s": p99[0]} if p99 else {}))
        return rate


def output_of(proxy: object_store.FaultProxy, command: list[str]) -> str:
    # gcsfs would first ask Google over gRPC what kind of bucket it is.
    told = {"STORAGE_EMULATOR_HOST": proxy.url, "GCSFS_EXPERIMENTAL_ZB_HNS_SUPPORT": "false"}
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=os.environ | told).stdout


def case(name: str, peer_name: str, ours: Side, peer: Side) -> pairs.Case:
    return pairs.Case(name, ours, peer, peer_name=peer_name, unit="bytes/s",
                      settings={"bytes": ours.size, "network": NETWORK, "ours": ours.beside, "peer": peer.beside})


def require_equal(proxy: object_store.FaultProxy, *commands: list[str]) -> None:
    delivered = {output_of(proxy, command).strip() for command in commands}
    if len(delivered) > 1:
        sys.exit(f"bench gcs: we and the peers deliver different bytes: {delivered}")


def reading(build: Path, proxy: object_store.FaultProxy, blocks: Path, packed: int) -> list[pairs.Case]:
    interpreter, listed = str(peers.python("gcs")), [str(blocks), str(READERS)]

    def ours(*what: str) -> list[str]:
        return [f"{build}/bin/bench_gcs", proxy.url, *what]

    def peer(*what: str) -> list[str]:
        return [interpreter, str(PEER), *what]

    require_equal(proxy, ours("checksum", URL), peer("checksum", "chunks", URL), peer("checksum", "gcsfs", URL))
    google, gcsfs = "google-cloud-storage-3.17.1", "gcsfs-2026.10.1"
    sides = [("sequential.python", google, ours("sequential", URL), peer("chunks", URL)),
             ("sequential.gcsfs", gcsfs, ours("sequential", URL), peer("gcsfs", URL)),
             ("block_shuffle.python", google, ours("blocks", URL, *listed), peer("blocks", URL, *listed)),
             ("sequential.limit", "bare-receiver-32", ours("sequential", URL), ours("limit", URL))]
    cases = [case(name, against, Side(proxy, one), Side(proxy, other)) for name, against, one, other in sides]
    inflating = [Side(proxy, side("records", GZIP_URL), packed) for side in (ours, peer)]
    return [*cases, case("gzip.python", google, *inflating)]


if __name__ == "__main__":
    os.environ["CARRACK_BUILD"] = str(Path(sys.argv[1]).resolve())
    blocks_file = Path(sys.argv[1]) / "bench" / "gcs-blocks"
    blocks_file.parent.mkdir(parents=True, exist_ok=True)
    blocks_file.write_text("".join(f"{offset} {size}\n" for offset, size in shuffled_blocks()))
    from bench import unindexed_job  # It looks for the programs when it is imported.
    terabyte = unindexed_job.terabyte.store()
    with (object_store.fake_gcs("bucket") as server, sparse_store.serving(terabyte) as sparse,
          object_store.fault_proxy(server, "127.0.0.1", "--hold", "yes") as store,
          object_store.fault_proxy(sparse) as far_terabyte):
        object_store.put(server, "bucket", "object", content())
        packed = gzip_records(Path(sys.argv[1]))
        object_store.put(server, "bucket", "records.gz", packed)
        pairs.run("gcs", [*reading(Path(sys.argv[1]), store, blocks_file, len(packed)),
                          unindexed_job.case(terabyte, far_terabyte, NETWORK)])
