"""A case of bench gcs: a job over a terabyte of records that nobody has indexed, from its start to the end of its first
step, against the time that this may take."""

import sys
import tempfile
import time
from pathlib import Path

from bench import pairs
from interop import tensorflow_program
from support import object_store, sparse_store

sys.path.append(str(Path(__file__).parent.parent / "end_to_end"))
import job  # noqa: E402  It is found there.

MAY_TAKE_S = 2
OBJECTS, RECORDS = 6_700, 1_500  # in each
ONE_RECORD = tensorflow_program.EXAMPLES + """
write(sys.argv[1], [{"x": [1.0], "y": [1.0], "ballast": [0.5] * 25_000}])
"""
MANIFEST = """
apiVersion: carrack.dev/v1alpha1
kind: TrainingJob
metadata: {{name: line}}
spec:
  {strategy}
  model: {{kind: LinearRegression, input: x, target: "y"}}
  data: {{train: {{files: ["gs://bucket/data/x-*"]}}, features: {{x: {{type: float32}}, "y": {{type: float32}}}}}}
  training: {{batch: 32, optimizer: {{kind: SGD, learningRate: 0.01}}}}
  checkpoint: {{folder: {folder}/checkpoints}}
"""


def terabyte() -> sparse_store.SparseStore:
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder, "record")
        tensorflow_program.run(ONE_RECORD, record)
        return sparse_store.SparseStore("data/x-", record.read_bytes(), OBJECTS, RECORDS)


def seconds_to_a_step(store: sparse_store.SparseStore, proxy: object_store.FaultProxy, network: list[dict], seed: int) -> pairs.Figure:
    proxy.set({"seed": seed, "rules": network})
    sent_before = store.sent
    with tempfile.TemporaryDirectory() as folder:
        manifest = MANIFEST.format(strategy=job.parameter_server(1, 2), folder=folder)
        begun = time.perf_counter()
        with job.Run(Path(folder), manifest, environment={"STORAGE_EMULATOR_HOST": proxy.url}) as run:
            run.expect(lambda: run.step() > 0, 120, "it has done a step")
            passed = time.perf_counter() - begun
    gets = proxy.state()["counters"]["methods"]["GET"]
    return pairs.Figure(passed, {"gets": gets, "mb": (store.sent - sent_before) / 1e6})


def case(store: sparse_store.SparseStore, proxy: object_store.FaultProxy, network: list[dict]) -> pairs.Case:
    seeds = iter(range(1_000_000))
    return pairs.Case("first_batch.unindexed", lambda: seconds_to_a_step(store, proxy, network, next(seeds)),
                      lambda: MAY_TAKE_S, peer_name="bound", unit="s", more_is_better=False,
                      settings={"bytes": store.bytes_in_all(), "objects": OBJECTS, "network": network, "workers": 2})
