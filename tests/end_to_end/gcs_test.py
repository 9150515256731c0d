"""A tally job whose records and checkpoints are in a bucket: fake-gcs-server behind the fault proxy, which is slow, refuses,
loses replies and cuts bodies short, while members are killed. TensorFlow finds every checkpoint exact."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import job
import tally
from checkpoints import InBucket
from support import machine, object_store

RECORDS, BATCH, EPOCHS, EVERY_STEPS = 10_000, 256, 120, 15  # In a bucket there is at most one commit a second.
BUCKET = "bucket"
VICTIMS = ["worker", "ps", "coordinator"]
machine.program("fake-gcs-server")  # skips this file if it is not built

FAULTS = {"seed": 5, "rules": [
    {"slow": {"first_byte_ms": 5, "bytes_per_second": 50_000_000}},
    {"share": 0.03, "answer": {"status": 503}},
    {"share": 0.02, "answer": {"status": 429}},
    {"share": 0.02, "lose_reply": {}},
    {"share": 0.01, "lose_request": {}},
    {"method": "GET", "share": 0.03, "cut": {"after_bytes": 100}},
]}


class Gcs(unittest.TestCase):
    def train(self, consistency: str) -> None:
        with (tempfile.TemporaryDirectory() as temporary, object_store.fake_gcs(BUCKET) as server,
              object_store.fault_proxy(server) as proxy):
            folder = Path(temporary)
            tally.write_records(folder, RECORDS)
            for file in folder.glob("*.tfrecord"):
                object_store.put(server, BUCKET, f"data/{file.name}", file.read_bytes())
            proxy.set(FAULTS)
            checkpoints = InBucket(server, BUCKET, "out", folder / "out")
            spec = tally.Tally(f"gs://{BUCKET}/data", checkpoints.url, RECORDS, EPOCHS, BATCH, EVERY_STEPS,
                             consistency=consistency)
            with job.Run(folder, spec.manifest(), environment={"STORAGE_EMULATOR_HOST": proxy.url}) as run:
                run.kill_in_turn(VICTIMS, checkpoints)
                run.finish(timeout=300)
                for role in VICTIMS:
                    self.assertEqual(len(run.starts(role, 0)), 2, role)
            faults = proxy.state()["counters"]["faults"]
            print(f"{consistency}: {faults}", flush=True)
            for fault in ["answer.503", "answer.429", "lose_reply", "lose_request", "cut"]:
                self.assertIn(fault, faults)
            self.assertEqual(tally.problems({checkpoints.local(): spec}), [])

    def test_is_validated_before_it_starts(self):
        with tempfile.TemporaryDirectory() as temporary, object_store.fake_gcs(BUCKET) as server:
            folder = Path(temporary)
            tally.write_records(folder, RECORDS)
            for file in folder.glob("*.tfrecord"):
                object_store.put(server, BUCKET, f"data/{file.name}", file.read_bytes())
            spec = tally.Tally(f"gs://{BUCKET}/data", f"gs://{BUCKET}/out", RECORDS, EPOCHS, BATCH, EVERY_STEPS)
            (folder / "job.yaml").write_text(spec.manifest())

            def validate(*options: str) -> tuple[int, str]:
                done = subprocess.run([job.BIN / "carrack", "validate", "job.yaml", *options], cwd=folder, capture_output=True, text=True,
                                      timeout=60, env=os.environ | {"STORAGE_EMULATOR_HOST": server})
                return done.returncode, done.stdout + done.stderr

            self.assertEqual(validate(), (0, "job.yaml: is valid; 2 files, features id (int64)\n"))
            code, said = validate("--set", "spec.data.train.files.0=gs://bucket/date/*", "--set", "spec.checkpoint.resume=gs://bucket/none")
            self.assertEqual((code, said), (2, (
                "job.yaml: spec.data.train.files[0]: no object matches gs://bucket/date/* (--set spec.data.train.files.0)\n"
                "job.yaml: spec.checkpoint.resume: gs://bucket/none: holds no HEAD; name the checkpoint folder of a job (--set "
                "spec.checkpoint.resume)\n")))

    def test_holds_in_sync(self):
        self.train("Sync")

    def test_holds_in_async(self):
        self.train("Async")


if __name__ == "__main__":
    unittest.main()
