"""A job says which share of their time its workers wait for records: most of it where storage is slow, and little where steps
take long."""

import json
import tempfile
import unittest
from pathlib import Path

import job
import networks
import tally
from checkpoints import InBucket
from interop import tensorflow_program
from support import machine, object_store

BUCKET = "bucket"
RECORDS = 20_000
machine.program("fake-gcs-server")  # skips this file if it is not built


class InputWait(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def shares(self, run: job.Run) -> list[float]:
        """What the status has said until the end, each figure once."""
        seen: list[float] = []

        def ended() -> bool:
            file = self.folder / "run/job.json"
            status = json.loads(file.read_text()).get("status", {}) if file.exists() else {}
            share = status.get("progress", {}).get("inputWait")
            if share is not None and seen[-1:] != [share]:
                seen.append(share)
            return run.process.poll() is not None

        run.expect(ended, 120, "it ends")
        run.finish()
        return seen

    def test_is_large_where_storage_is_slow(self):
        slow = {"seed": 1, "rules": [{"method": "GET", "slow": {"first_byte_ms": 100, "bytes_per_second": 100_000}}]}
        with object_store.fake_gcs(BUCKET) as server, object_store.fault_proxy(server) as proxy:
            tally.write_records(self.folder / "data", RECORDS)
            for file in (self.folder / "data").glob("*.tfrecord"):
                object_store.put(server, BUCKET, f"data/{file.name}", file.read_bytes())
            proxy.set(slow)
            spec = tally.Tally(f"gs://{BUCKET}/data", InBucket(server, BUCKET, "out", self.folder / "out").url, RECORDS, 1, 100, 1000)
            with job.Run(self.folder, spec.manifest(), environment={"STORAGE_EMULATOR_HOST": proxy.url}) as run:
                self.assertGreater(max(self.shares(run), default=0), 0.6)

    def test_is_small_where_steps_take_long(self):
        data = self.folder / "train.tfrecord"
        tensorflow_program.write(networks.WRITE, data)
        layers, loss = networks.NETWORKS["autoencoder"]
        manifest = networks.manifest(data, str(self.folder / "checkpoints"), layers, loss, epochs=400, every_steps=1_000_000,
                                     strategy=job.parameter_server(1, 1))
        with job.Run(self.folder, manifest) as run:
            shares = self.shares(run)
        self.assertTrue(shares)
        self.assertLess(max(shares), 0.4)


if __name__ == "__main__":
    unittest.main()
