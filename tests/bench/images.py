"""bench images: JPEGs in tf.Examples from the page cache into batches of resized floats, on all cores, against tf.data."""
# builds: bench_images

import os
import subprocess
import sys
from pathlib import Path

from bench import pairs
from interop import peers

PEER = Path(__file__).with_name("images_tensorflow.py")
FILES = 16
IMAGES = 16  # in each file


def files_in(folder: Path, peer: list[str]) -> list[str]:
    """The same files in every run."""
    names = [str(folder / f"{IMAGES}-{number}.tfrecord") for number in range(FILES)]
    if not all(Path(name).exists() for name in names):
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run([*peer, "make", str(IMAGES), *names], check=True)
    return names


def output_of(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


if __name__ == "__main__":
    ours, peer = f"{sys.argv[1]}/bin/bench_images", [str(peers.python("tensorflow")), str(PEER)]
    files = files_in(Path(sys.argv[1]) / "bench" / "images", peer)
    threads = str(len(os.sched_getaffinity(0)))
    delivered = {output_of(ours, "checksum", threads, *files), output_of(*peer, "checksum", *files)}
    if len(delivered) > 1:
        sys.exit(f"bench images: we and the peer deliver different values: {delivered}")
    bytes_in_all = sum(Path(name).stat().st_size for name in files)
    settings = {"images": FILES * IMAGES, "files": FILES, "bytes": bytes_in_all, "threads": int(threads),
                "delivered": delivered.pop()}
    pairs.run("images", [
        pairs.Case(f"jpeg.resize224.{clock}.tfdata", pairs.number_from(ours, clock, threads, *files),
                   pairs.number_from(*peer, clock, *files), peer_name="tensorflow-2.21.0", unit=unit, settings=settings)
        for clock, unit in (("cpu", "images/cpu_s"), ("wall", "images/s"))])
