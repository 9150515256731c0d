"""bench images: JPEGs in tf.Examples from the page cache into batches of resized floats, on all cores, against tf.data and DALI."""
# builds: bench_images bench_image_limits

import os
import subprocess
import sys
from pathlib import Path

from bench import pairs
from interop import peers

TENSORFLOW = Path(__file__).with_name("images_tensorflow.py")
DALI = Path(__file__).with_name("images_dali.py")
FILES = 16
IMAGES = 16  # in each file
THREADS = str(len(os.sched_getaffinity(0)))
CLOCKS = (("cpu", "images/cpu_s"), ("wall", "images/s"))


def files_in(folder: Path, peer: list[str]) -> list[str]:
    """The same files in every run."""
    names = [str(folder / f"{IMAGES}-{number}.tfrecord") for number in range(FILES)]
    if not all(Path(name).exists() for name in names):
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run([*peer, "make", str(IMAGES), *names], check=True)
    return names


def output_of(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def settings_with(files: list[str], delivered: str) -> dict:
    return {"images": FILES * IMAGES, "files": FILES, "bytes": sum(Path(name).stat().st_size for name in files),
            "threads": int(THREADS), "delivered": delivered}


def tfdata(ours: str, peer: list[str], files: list[str]) -> list[pairs.Case]:
    delivered = {output_of(ours, "checksum", THREADS, *files), output_of(*peer, "checksum", *files)}
    if len(delivered) > 1:
        sys.exit(f"bench images: we and the peer deliver different values: {delivered}")
    settings = settings_with(files, delivered.pop())
    return [pairs.Case(f"jpeg.resize224.{clock}.tfdata", pairs.number_from(ours, clock, THREADS, *files),
                       pairs.number_from(*peer, clock, *files), peer_name="tensorflow-2.21.0", unit=unit, settings=settings)
            for clock, unit in CLOCKS]


def dali(ours: str, files: list[str]) -> list[pairs.Case]:
    """DALI rounds the last bits differently, so only the number of images and the mean of all values are compared."""
    peer = [str(peers.installed_python("dali")), str(DALI)]
    our_mean, its_mean = output_of(ours, "mean", THREADS, *files), output_of(*peer, "mean", THREADS, *files)
    images, mean = our_mean.split()
    its_images, its_value = its_mean.split()
    if images != its_images or abs(float(mean) - float(its_value)) > 0.1:
        sys.exit(f"bench images: we and DALI deliver different images: {our_mean} and {its_mean}")
    settings = settings_with(files, our_mean)
    return [pairs.Case(f"jpeg.resize224.{clock}.dali", pairs.number_from(ours, clock, THREADS, *files),
                       pairs.number_from(*peer, clock, THREADS, *files),
                       peer_name=peers.version("dali", "nvidia-dali-cuda130"), unit=unit, settings=settings)
            for clock, unit in CLOCKS]


def limits(ours: str, program: str, files: list[str]) -> list[pairs.Case]:
    """Our share of what libjpeg-turbo decodes alone."""
    return [pairs.Case(f"jpeg.resize224.{clock}.limit", pairs.number_from(ours, clock, THREADS, *files),
                       pairs.number_from(program, clock, THREADS, *files), peer_name="bare-libjpeg-turbo", unit=unit,
                       settings={"images": FILES * IMAGES, "files": FILES, "threads": int(THREADS)})
            for clock, unit in CLOCKS]


if __name__ == "__main__":
    program, tensorflow = f"{sys.argv[1]}/bin/bench_images", [str(peers.python("tensorflow")), str(TENSORFLOW)]
    encoded = files_in(Path(sys.argv[1]) / "bench" / "images", tensorflow)
    pairs.run("images", [*tfdata(program, tensorflow, encoded), *dali(program, encoded),
                         *limits(program, f"{sys.argv[1]}/bin/bench_image_limits", encoded)])
