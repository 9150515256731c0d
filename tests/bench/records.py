"""bench records: TFRecords from the page cache into memory, all checksums checked, and tf.Examples into batches, against tf.data and DALI."""
# builds: bench_records bench_record_limits bench_examples bench_pipeline

import os
import subprocess
import sys
from pathlib import Path

from bench import examples, pairs
from interop import peers

PEER = Path(__file__).with_name("records_tensorflow.py")
SHUFFLED_PEER = Path(__file__).with_name("pipeline_tensorflow.py")
FILES = 8
LENGTHS = {"100b": 100, "1kb": 1024, "16kb": 16_384, "115kb": 114_660, "2800kb": 2_830_000}
FILE_BYTES = 20_000_000
SHUFFLED_FILE_BYTES = 160_000_000  # so that a second's records are not among those that are in memory


def files_in(folder: Path, program: str, length: int, ending: str = "", file_bytes: int = FILE_BYTES) -> list[str]:
    """The same files in every run: their bytes are made from a fixed seed. GZIP if `ending` is .gz."""
    records = file_bytes // length
    names = [str(folder / f"{length}-{records}-{number}.tfrecord{ending}") for number in range(FILES)]
    if not all(Path(name).exists() for name in names):
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run([program, "gzip" if ending else "make", str(length), str(records), *names], check=True)
    return names


def output_of(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def case(size: str, folder: Path, program: str, peer: list[str], ending: str = "") -> pairs.Case:
    """tf.data at the fastest of its settings for this size, both sides on all cores."""
    length, threads = str(LENGTHS[size]), len(os.sched_getaffinity(0))
    files = files_in(folder, program, LENGTHS[size], ending)
    delivered = {output_of(program, "checksum", *files), output_of(*peer, "checksum", length, *files)}
    if len(delivered) > 1:
        sys.exit(f"bench records: we and the peer deliver different records of {size}: {delivered}")
    best = output_of(*peer, "best", length, *files)
    return pairs.Case(f"{'gzip' if ending else 'raw'}.{size}.tfdata", pairs.number_from(program, "read", str(threads), *files),
                      pairs.number_from(*peer, "read", length, best, *files), peer_name="tensorflow-2.21.0", unit="records/s",
                      settings={"files": FILES, "threads": threads, "delivered": delivered.pop(), "tfdata": best,
                                "bytes": sum(Path(file).stat().st_size for file in files)})


def shuffled(folder: Path, build: Path, python: str) -> pairs.Case:
    """Our shuffle by blocks and a buffer, over all records, with tf.data's through a buffer at the best of its settings."""
    files = files_in(folder, f"{build}/bin/bench_records", LENGTHS["1kb"], ".gz", SHUFFLED_FILE_BYTES)
    ours, peer = [f"{build}/bin/bench_pipeline"], [python, str(SHUFFLED_PEER)]
    delivered = {output_of(*side, "checksum", *files) for side in (ours, peer)}
    if len(delivered) > 1:
        sys.exit(f"bench records: we and the peer deliver different records of GZIP: {delivered}")
    return pairs.Case("gzip.1kb_shuffled.tfdata_buffer", pairs.number_from(*ours, "blocks", *files),
                      pairs.number_from(*peer, "buffer", *files), peer_name="tensorflow-2.21.0", unit="records/s",
                      settings={"files": FILES, "batch": 1024, "delivered": delivered.pop()})


def limit(folder: Path, program: str) -> pairs.Case:
    """Our share of what one thread reads that looks at nothing."""
    files = files_in(folder, program, LENGTHS["115kb"])
    return pairs.Case("raw.115kb.limit", pairs.number_from(program, "bytes", *files), pairs.number_from(program, "bare", *files),
                      peer_name="bare-read", unit="bytes/s", settings={"files": FILES, "threads": 1})


def limit_of_all_cores(folder: Path, program: str, limits: str) -> pairs.Case:
    """Our share of what a thread for each core reads and checks that looks for no record."""
    length, threads = LENGTHS["115kb"], str(len(os.sched_getaffinity(0)))
    files = files_in(folder, program, length)
    return pairs.Case("raw.115kb_all_cores.limit", pairs.number_from(program, "read", threads, *files),
                      pairs.number_from(limits, "checked", threads, str(length), *files), peer_name="bare-read-and-crc",
                      unit="records/s", settings={"files": FILES, "threads": int(threads)})


def parsed_cases(folder: Path, program: str, limits: str) -> list[pairs.Case]:
    against = [case(kind, folder, program) for case in (examples.tfdata, examples.dali) for kind in examples.BATCHES_IN_FILE]
    return [*against, examples.limit("criteo40", folder, program, limits)]


if __name__ == "__main__":
    build, python = Path(sys.argv[1]), str(peers.python("tensorflow"))
    folder, program = build / "bench" / "records", f"{build}/bin/bench_records"
    raw = [case(size, folder, program, [python, str(PEER)]) for size in LENGTHS]
    limits = f"{build}/bin/bench_record_limits"
    bounds = [limit(folder, program), limit_of_all_cores(folder, program, limits)]
    parsed = parsed_cases(build / "bench" / "examples", f"{build}/bin/bench_examples", limits)
    packed = [case(size, folder, program, [python, str(PEER)], ".gz") for size in ("1kb", "115kb")]
    pairs.run("records", [*raw, *bounds, *parsed, *packed, shuffled(folder, build, python)])
