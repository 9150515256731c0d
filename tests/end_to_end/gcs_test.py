"""A tally job whose records and checkpoints are in a bucket: fake-gcs-server behind the fault proxy, which is slow, refuses,
loses replies and cuts bodies short, while members are killed. The checkpoints hold, read by TensorFlow."""

import json
import tempfile
import unittest
import urllib.error
import urllib.parse
from pathlib import Path

import job
import tally
from support import machine, object_store

RECORDS, BATCH, EPOCHS, EVERY_STEPS = 10_000, 256, 3, 15
BUCKET = "bucket"
machine.program("fake-gcs-server")  # Where it is not built, this is skipped.

FAULTS = {"seed": 5, "rules": [
    {"slow": {"first_byte_ms": 5, "bytes_per_second": 50_000_000}},
    {"share": 0.03, "answer": {"status": 503}},
    {"share": 0.02, "answer": {"status": 429}},
    {"share": 0.02, "lose_reply": {}},
    {"share": 0.01, "lose_request": {}},
    {"method": "GET", "share": 0.03, "cut": {"after_bytes": 100}},
]}


def put(url: str, name: str, content: bytes) -> None:
    query = urllib.parse.urlencode({"uploadType": "media", "name": name})
    object_store.call("POST", f"{url}/upload/storage/v1/b/{BUCKET}/o?{query}", content, {"Content-Type": "text/plain"})


def get(url: str, name: str) -> bytes:
    return object_store.call("GET", f"{url}/{BUCKET}/{name}")


def names(url: str) -> list[str]:
    listed = json.loads(object_store.call("GET", f"{url}/storage/v1/b/{BUCKET}/o?maxResults=10000"))
    return [item["name"] for item in listed.get("items", [])]


class Gcs(unittest.TestCase):
    def sail(self, consistency: str) -> None:
        with (tempfile.TemporaryDirectory() as kept, object_store.fake_gcs(BUCKET) as server,
              object_store.fault_proxy(server) as proxy):
            folder = Path(kept)
            tally.write_records(folder, RECORDS)
            for file in folder.glob("*.tfrecord"):
                put(server, f"data/{file.name}", file.read_bytes())
            proxy.set(FAULTS)
            it = tally.Tally(f"gs://{BUCKET}/data", f"gs://{BUCKET}/out", RECORDS, EPOCHS, BATCH, EVERY_STEPS,
                             consistency=consistency)

            def committed() -> int:
                try:
                    return job.committed_in(get(server, "out/HEAD").decode())
                except urllib.error.HTTPError:
                    return 0

            with job.Run(folder, it.manifest(), environment={"STORAGE_EMULATOR_HOST": proxy.url}) as run:
                before = 0
                for role in ["worker", "ps", "coordinator"]:
                    hit = run.until(lambda: committed() > before, 60) and run.until(lambda: run.step() > committed(), 60)
                    self.assertTrue(hit, f"the job ended before the {role} was killed")
                    before = committed()
                    run.kill(role)
                run.finish(timeout=300)
                for role in ["worker", "ps", "coordinator"]:
                    self.assertEqual(len(run.starts(role, 0)), 2, role)
            faults = proxy.state()["counters"]["faults"]
            print(f"{consistency}: {faults}", flush=True)
            for fault in ["answer.503", "answer.429", "lose_reply", "lose_request", "cut"]:
                self.assertIn(fault, faults)
            left = folder / "checkpoints"
            left.mkdir()
            for name in names(server):
                if name.startswith("out/"):
                    (left / name.removeprefix("out/")).write_bytes(get(server, name))
            self.assertEqual(tally.problems({left: it}), [])

    def test_holds_in_sync(self):
        self.sail("Sync")

    def test_holds_in_async(self):
        self.sail("Async")


if __name__ == "__main__":
    unittest.main()
