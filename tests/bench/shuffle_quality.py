"""bench shuffle_quality: how well rows sorted by a label are shuffled, by our orders and by the buffer of the real tf.data.

No times, so any machine will do: docs/design/shuffling.md has the figures and says what they are.
"""
# builds: bench_shuffle_quality

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from bench import pairs
from interop import peers

PEER = Path(__file__).with_name("shuffle_quality_tensorflow.py")
ROW_BYTES = 10 << 10
ROWS = 256_000
SAME_MEMORY = (4 << 20) // ROW_BYTES * 16  # as many rows as a window of blocks has
BUFFERS = (SAME_MEMORY, 10_000)


def main(build: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        files = {f"tfdata.{buffer}": f"{folder}/{buffer}" for buffer in BUFFERS}
        for buffer, file in zip(BUFFERS, files.values()):
            subprocess.run([peers.python("tensorflow"), PEER, str(ROWS), str(buffer), file], check=True)
        named = [f"{name}={file}" for name, file in files.items()]
        lines = subprocess.run([build / "bin" / "bench_shuffle_quality", str(ROW_BYTES), *named], check=True, capture_output=True,
                               text=True).stdout
    print(lines, end="")
    report = {"benchmark": "shuffle_quality", "machine": pairs.machine(), "rows": ROWS, "row_bytes": ROW_BYTES,
              "lines": lines.splitlines()}
    into = pairs.REPOSITORY / "build" / "bench" / "shuffle_quality.json"
    into.parent.mkdir(parents=True, exist_ok=True)
    into.write_text(json.dumps(report, indent=2) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
