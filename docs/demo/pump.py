"""The second part of the demo, `./dev demo`: a recurrent autoencoder learns what a healthy pump is like, and finds the windows
of readings in which a sensor is broken.

    pump.py CARRACK FOLDER      the program, and the folder for data, logs and checkpoints

Its files are those of docs/examples/sensors; docs/tutorials/find-anomalies.md explains them.
"""

import json
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

SENSORS = Path(__file__).resolve().parent.parent / "examples" / "sensors"
HEALTHY, TODAY, BROKEN = 2000, 300, 12


def main(carrack: str, folder: Path) -> int:
    began = time.monotonic()
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(SENSORS, folder)

    def output_of(*command: object) -> str:
        return subprocess.run([str(word) for word in command], cwd=folder, check=True, text=True, stdout=subprocess.PIPE).stdout

    def make(name: str, *arguments: int) -> None:
        (folder / f"{name}.jsonl").write_text(output_of(sys.executable, "machine.py", *arguments))
        output_of(carrack, "data", "convert", f"{name}.jsonl", "--to", f"{name}.tfrecord")

    print(f"writing {HEALTHY:,} healthy windows of a pump's readings, and {TODAY} with {BROKEN} broken ones, to {folder}", flush=True)
    make("healthy", HEALTHY, 1)
    make("today", TODAY, 2, BROKEN)
    print(f"in {folder}: carrack run job.yaml", flush=True)
    done = subprocess.run([carrack, "run", "job.yaml"], cwd=folder)
    if done.returncode != 0:
        return done.returncode
    if not sys.stdout.isatty():  # On a terminal carrack run has drawn it.
        print(output_of(carrack, "plot", "checkpoints", "--width", 76), end="")
    for name in "healthy", "today":
        (folder / f"{name}-predicted.jsonl").write_text(output_of(carrack, "predict", "checkpoints", f"{name}.tfrecord"))
    print(output_of(sys.executable, "draw.py", "healthy.jsonl", "today.jsonl", "today-predicted.jsonl"), end="")
    found = output_of(sys.executable, "find.py", "healthy-predicted.jsonl", "today-predicted.jsonl")
    numbers = [int(number) for number in re.findall(r"^window (\d+):", found, re.M)]
    windows = [json.loads(line) for line in (folder / "today.jsonl").read_text().splitlines()]
    broken = [number for number, window in enumerate(windows) if window["state"] != "healthy"]
    right = len(set(numbers) & set(broken))
    print(f"found {right} of {len(broken)} broken windows, and {len(numbers) - right} healthy ones; "
          f"trained and found in {time.monotonic() - began:.0f} s")
    return 0 if numbers == broken else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
