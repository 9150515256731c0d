"""`carrack plan` counts the requests that a checkpoint in a bucket takes. The proxy in front of the store counts those of a
job."""

import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import job
import tally
from checkpoints import InBucket
from support import machine, object_store

RECORDS, BATCH, EPOCHS, EVERY_STEPS = 2000, 100, 8, 20
PARAMETERS = 5_000_000  # 10 MB for each of two servers, more than a chunk of an upload
BUCKET = "bucket"
machine.program("fake-gcs-server")  # skips this file if it is not built


class Plan(unittest.TestCase):
    def test_counts_the_requests_of_checkpoints(self):
        with (tempfile.TemporaryDirectory() as temporary, object_store.fake_gcs(BUCKET) as server,
              object_store.fault_proxy(server) as proxy):
            folder = Path(temporary)
            tally.write_records(folder, RECORDS)
            subprocess.run([job.BIN / "carrack", "data", "index", *folder.glob("*.tfrecord")], check=True, capture_output=True)
            checkpoints = InBucket(server, BUCKET, "out", folder / "out")
            spec = tally.Tally(str(folder), checkpoints.url, PARAMETERS, EPOCHS, BATCH, EVERY_STEPS, keep="keepLast: 1")
            with job.Run(folder, spec.manifest(), environment={"STORAGE_EMULATOR_HOST": proxy.url}) as run:
                run.finish(timeout=300)
            methods = proxy.state()["counters"]["methods"]
            # Each time the history is written, that is one event file and metrics.jsonl, both with a POST and a PUT.
            histories = sum("tfevents" in name for name in checkpoints.all_names())
            self.assertGreater(histories, 0)
            posts, puts = methods["POST"] - 2 * histories, methods["PUT"] - 2 * histories
            planned = subprocess.run([job.BIN / "carrack", "plan", folder / "job.yaml"], check=True, capture_output=True,
                                     text=True).stdout
        files, to_write, to_remove = map(int, re.search(
            r"in (\d+) files, .*; (\d+) requests to storage to write it, (\d+) to remove it", planned).groups())
        heads = 1  # HEAD is claimed, and then replaced by each commit. Each other file is begun by a POST, too.
        commits, rest = divmod(posts - heads, files + 1)
        self.assertEqual(rest, 0, methods)
        self.assertGreater(commits, 1, "there is something to remove")
        to_read_head = 2
        self.assertEqual(posts - heads + puts, commits * (to_write - to_read_head), methods)
        to_list = 1
        self.assertEqual(methods["DELETE"], (commits - 1) * (to_remove - to_list), methods)


if __name__ == "__main__":
    unittest.main()
