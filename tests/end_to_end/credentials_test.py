"""A job in a bucket that requires tokens: fake-gcs-server behind the fault proxy, which checks the bearer token. The processes
get theirs from a simulated metadata server, and continue when the bucket requires another token."""

import tempfile
import unittest
from pathlib import Path

import job
import tally
from checkpoints import InBucket
from support import machine, object_store
from support.token_services import CLOSED, Service, metadata_token

BUCKET = "bucket"
RECORDS, BATCH, EPOCHS, EVERY_STEPS = 10_000, 64, 40, 25  # In a bucket there is at most one commit a second.
machine.program("fake-gcs-server")  # skips this file if it is not built


class Credentials(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def environment(self, proxy: object_store.FaultProxy, **variables: str) -> dict[str, str]:
        """Without the credentials of the user who runs the tests."""
        no_credentials = {"GOOGLE_APPLICATION_CREDENTIALS": "", "CLOUDSDK_CONFIG": str(self.folder), "STORAGE_EMULATOR_HOST": ""}
        return no_credentials | {"CLOUDSDK_API_ENDPOINT_OVERRIDES_STORAGE": proxy.url} | variables

    def test_a_token_that_ends_in_the_middle_is_followed_by_another(self):
        with (object_store.fake_gcs(BUCKET) as server, object_store.fault_proxy(server) as proxy,
              Service(CLOSED, metadata_token("first")) as metadata):
            tally.write_records(self.folder, RECORDS)
            for file in self.folder.glob("*.tfrecord"):
                object_store.put(server, BUCKET, f"data/{file.name}", file.read_bytes())
            proxy.set({"bearer": "first"})
            checkpoints = InBucket(server, BUCKET, "out", self.folder / "out")
            spec = tally.Tally(f"gs://{BUCKET}/data", checkpoints.url, RECORDS, EPOCHS, BATCH, EVERY_STEPS)
            with job.Run(self.folder, spec.manifest(),
                         environment=self.environment(proxy, GCE_METADATA_HOST=metadata.host)) as run:
                run.expect(lambda: checkpoints.committed_step() > 0, 60, "there is a commit with the first token")
                refused = proxy.state()["counters"]["faults"].get("bearer", 0)
                metadata.replies = [metadata_token("second")]
                proxy.set({"bearer": "second"})
                run.finish(timeout=120)
                logs = run.logs()
                processes = len(run.starts())
            self.assertEqual(refused, 0)
            self.assertGreater(proxy.state()["counters"]["faults"]["bearer"], 0)
            # `carrack run` itself reads HEAD in the end.
            self.assertLessEqual(len(metadata.requests), 2 * (processes + 1))
            self.assertNotIn("second", logs)
            self.assertEqual(tally.problems({checkpoints.local(): spec}), [])

    def test_who_has_no_credentials_is_told_by_the_job(self):
        with object_store.fake_gcs(BUCKET) as server, object_store.fault_proxy(server) as proxy:
            spec = tally.Tally(f"gs://{BUCKET}/data", f"gs://{BUCKET}/out", RECORDS, EPOCHS, BATCH, EVERY_STEPS)
            missing = f"{self.folder}/missing.json"
            with job.Run(self.folder, spec.manifest(),
                         environment=self.environment(proxy, GOOGLE_APPLICATION_CREDENTIALS=missing)) as run:
                printed = run.finish(exit_code=1)
            self.assertIn(f"GOOGLE_APPLICATION_CREDENTIALS: there is no file {missing}", printed)
            self.assertIn("UserError", printed)
            self.assertEqual(proxy.state()["counters"]["requests"], 0)


if __name__ == "__main__":
    unittest.main()
