"""bench records: TFRecords from the page cache into memory, all checksums checked, and tf.Examples into batches, against tf.data."""

import subprocess
import sys
from pathlib import Path

from bench import examples, pairs
from interop import peers

PEER = Path(__file__).with_name("records_tensorflow.py")
LENGTH = 1024
FILES = 8
RECORDS = 160_000


def files_in(folder: Path, program: str) -> list[str]:
    """The same files in every run: their bytes are made from a fixed seed."""
    names = [str(folder / f"{LENGTH}-{number}.tfrecord") for number in range(FILES)]
    if not all(Path(name).exists() for name in names):
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run([program, "make", str(LENGTH), str(RECORDS // FILES), *names], check=True)
    return names


def output_of(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    ours = f"{sys.argv[1]}/bin/bench_records"
    peer = [str(peers.python("tensorflow")), str(PEER)]
    files = files_in(Path(sys.argv[1]) / "bench" / "records", ours)
    delivered = {output_of(ours, "checksum", *files), output_of(*peer, "checksum", *files)}
    if len(delivered) > 1:
        sys.exit(f"bench records: we and the peer deliver different records: {delivered}")
    raw = pairs.Case("raw.1kb.tfdata", pairs.number_from(ours, "read", *files), pairs.number_from(*peer, "read", *files),
                     peer_name="tensorflow-2.21.0", unit="records/s",
                     settings={"records": RECORDS, "files": FILES, "threads": 1, "delivered": delivered.pop().strip()})
    folder, parser = Path(sys.argv[1]) / "bench" / "examples", f"{sys.argv[1]}/bin/bench_examples"
    pairs.run("records", [raw] + [examples.case(kind, folder, parser, peer[0]) for kind in examples.BATCHES_IN_FILE])
