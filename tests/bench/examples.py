"""The cases of bench records in which tf.Examples become batches, against tf.data and tf.io.parse_example, DALI, and a bound.

Each has one core, and what counts is the CPU time of its whole process: what else the machine does matters little."""

import os
import subprocess
from pathlib import Path

from bench import pairs
from interop import peers

TENSORFLOW = Path(__file__).with_name("examples_tensorflow.py")
DALI = Path(__file__).with_name("examples_dali.py")
ROWS = 1024
FILES = 4
BATCHES_IN_FILE = {"criteo40": 40, "sensor64x8": 10}


def files_in(folder: Path, program: str, kind: str) -> list[str]:
    """The same files in every run: their values are drawn from a fixed seed."""
    count = BATCHES_IN_FILE[kind] * ROWS
    names = [str(folder / f"{kind}-{count}-{number}.tfrecord") for number in range(FILES)]
    if not all(Path(name).exists() for name in names):
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run([program, "make", kind, str(count), *names], check=True)
    return names


def output_of(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def one_core() -> list[str]:
    return ["taskset", "-c", str(max(os.sched_getaffinity(0)))]


def with_peer(kind: str, folder: Path, program: str, peer: list[str], name: str, peer_name: str) -> pairs.Case:
    files = files_in(folder, program, kind)
    delivered = {output_of(program, "checksum", kind, str(ROWS), *files),
                 output_of(*peer, "checksum", kind, str(ROWS), *files)}
    if len(delivered) > 1:
        raise SystemExit(f"bench records: we and {peer_name} deliver different values of {kind}: {delivered}")
    return pairs.Case(f"parse.{kind}.{name}", pairs.number_from(*one_core(), program, "parse", kind, str(ROWS), *files),
                      pairs.number_from(*one_core(), *peer, "parse", kind, *files), peer_name=peer_name,
                      unit="records/cpu_s", settings={"rows": ROWS, "files": FILES, "records": FILES * BATCHES_IN_FILE[kind] * ROWS,
                                                  "cores": 1, "delivered": delivered.pop()})


def tfdata(kind: str, folder: Path, program: str) -> pairs.Case:
    peer = [str(peers.python("tensorflow")), str(TENSORFLOW)]
    return with_peer(kind, folder, program, peer, "tfdata", "tensorflow-2.21.0")


def dali(kind: str, folder: Path, program: str) -> pairs.Case:
    peer = [str(peers.installed_python("dali")), str(DALI)]
    return with_peer(kind, folder, program, peer, "dali", peers.version("dali", "nvidia-dali-cuda130"))


def limit(kind: str, folder: Path, program: str, limits: str) -> pairs.Case:
    """Our share of what a loop does that checks the same records and copies their bytes, without parsing them."""
    files = files_in(folder, program, kind)
    return pairs.Case(f"parse.{kind}.limit", pairs.number_from(*one_core(), program, "parse", kind, str(ROWS), *files),
                      pairs.number_from(*one_core(), limits, "copied", *files), peer_name="bare-read-crc-and-copy",
                      unit="records/cpu_s", settings={"rows": ROWS, "files": FILES, "cores": 1})
