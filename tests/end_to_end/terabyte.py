"""A job over a simulated terabyte of records without an index."""

import tempfile
import time
from pathlib import Path

import job
import line
from interop import tensorflow_program
from support import sparse_store

ONE_RECORD = tensorflow_program.EXAMPLES + """
write(sys.argv[1], [{"x": [1.0], "y": [1.0], "ballast": [0.5] * 25_000}])
"""


def store() -> sparse_store.SparseStore:
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder, "record")
        tensorflow_program.run(ONE_RECORD, record)
        return sparse_store.SparseStore("data/x-", record.read_bytes(), objects=6_700, records=1_500)


def seconds_to_a_step(url: str) -> float:
    """The time from the start of a job with two workers, which reads the store at the URL, to its first step."""
    with tempfile.TemporaryDirectory() as folder:
        manifest = line.manifest(job.parameter_server(1, 2), "gs://bucket/data/x-*", f"{folder}/checkpoints",
                                 "batch: 32, optimizer: {kind: SGD, learningRate: 0.01}")
        start = time.perf_counter()
        with job.Run(Path(folder), manifest, environment={"STORAGE_EMULATOR_HOST": url}) as run:
            run.expect(lambda: run.step() > 0, 120, "it has done a step")
            return time.perf_counter() - start
