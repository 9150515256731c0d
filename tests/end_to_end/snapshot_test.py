"""The result of a filter is written down once, by all members of a job together, even if members are killed meanwhile. Then
each of its records is used exactly once an epoch, by any number of workers and by other jobs. TensorFlow writes the records
and reads the checkpoints."""

import gzip
import os
import tempfile
import unittest
from pathlib import Path

import job
import tally
from checkpoints import InBucket, InFiles
from support import machine, object_store

RECORDS, KEPT, FILES = 12_000, 5_000, 6
BATCH, EPOCHS, EVERY_STEPS = 128, 2, 25
BUCKET = "bucket"
WRITES = "log: snapshot: "


def stages(folder: str, id_max: int = KEPT - 1) -> str:
    return f'[filter: {{feature: id, min: 0, max: {id_max}}}, snapshot: {{folder: "{folder}"}}, shuffle: {{}}]'


def files_below(folder: Path) -> dict[Path, tuple[int, int]]:
    """Each file with its inode and time, which change if it is written again."""
    return {file: (file.stat().st_ino, file.stat().st_mtime_ns) for file in folder.rglob("*") if file.is_file()}


class Snapshots(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.data, self.prepared = self.folder / "data", self.folder / "prepared"
        tally.write_records(self.data, RECORDS, FILES)
        self.done: dict[Path, tally.Tally] = {}

    def train(self, name: str, strategy: str, id_max: int = KEPT - 1, **fields) -> str:
        """Runs the job and returns its members' logs."""
        checkpoints = InFiles(self.folder / name / "checkpoints")
        spec = tally.Tally(str(self.data), checkpoints.url, id_max + 1, EPOCHS, BATCH, EVERY_STEPS, strategy,
                         stages=stages(str(self.prepared), id_max), **fields)
        with job.Run(self.folder / name, spec.manifest()) as run:
            run.finish()
            logs = run.logs()
        self.assertFalse((checkpoints.folder / "indexes").exists(), "no index of a source is built")
        self.done[checkpoints.local()] = spec
        return logs

    def test_are_made_once_for_any_number_of_workers(self):
        source_files = files_below(self.data)
        compressed = self.data / "tally-0.tfrecord"
        compressed.write_bytes(gzip.compress(compressed.read_bytes()))
        source_files[compressed] = files_below(self.data)[compressed]
        self.assertIn(WRITES, self.train("three", job.parameter_server(1, 3)))
        written = files_below(self.prepared)
        self.assertEqual(len(written), 3 * FILES + 1)
        for workers in (1, 2):
            self.assertNotIn(WRITES, self.train(f"with-{workers}", job.parameter_server(1, workers), seed=workers))
        self.assertNotIn(WRITES, self.train("in-one-process", job.SINGLE))
        self.assertNotIn(WRITES, self.train("async", job.parameter_server(2, 2), consistency="Async"))
        self.assertEqual(files_below(self.prepared), written)
        self.assertEqual(files_below(self.data), source_files)
        self.assertEqual(tally.problems(self.done), [])

    def test_of_another_filter_or_another_file_are_others(self):
        self.train("first", job.SINGLE)
        self.assertIn(f"and \"records of each file > filter(id int64, from 0 to {KEPT}) > snapshot(file by file)\" is asked "
                      "for", self.train("other-filter", job.SINGLE, KEPT))
        os.utime(self.data / "tally-2.tfrecord", (1, 1))
        self.assertIn(f"manifest: file://{self.data}/tally-2.tfrecord has changed", self.train("other-file", job.SINGLE))
        self.assertEqual(len(list(self.prepared.iterdir())), 3)
        self.assertEqual(tally.problems(self.done), [])

    def test_are_finished_by_the_next_starts_where_all_who_write_are_killed(self):
        machine.program("fake-gcs-server")  # skips the test if it is not built
        with object_store.fake_gcs(BUCKET) as server, object_store.fault_proxy(server) as proxy:
            for file in self.data.iterdir():
                object_store.put(server, BUCKET, f"data/{file.name}", file.read_bytes())
            object_store.put(server, BUCKET, "data/tally-none.tfrecord", b"")
            # The last file of each worker's share takes most of a minute.
            slow = [f"tally-{file}.tfrecord" for file in (FILES // 2 - 1, FILES - 1)]
            proxy.set({"rules": [{"method": "GET", "target": name, "slow": {"bytes_per_second": 1500}} for name in slow]})
            checkpoints = InBucket(server, BUCKET, "out", self.folder / "out")
            prepared = InBucket(server, BUCKET, "prepared", self.folder / "prepared")
            parts = lambda: [name for name in prepared.all_names() if name.endswith(".part")]
            spec = tally.Tally(f"gs://{BUCKET}/data", checkpoints.url, KEPT, EPOCHS, BATCH, EVERY_STEPS,
                             stages=stages(f"gs://{BUCKET}/prepared"))
            with job.Run(self.folder, spec.manifest(), environment={"STORAGE_EMULATOR_HOST": proxy.url}) as run:
                run.expect(lambda: len(parts()) == FILES + 1 - len(slow), 60, "all but the slow files are written")
                job_file = self.folder / "run/job.json"
                run.expect(lambda: '"Preparing"' in job_file.read_text(), 30, "the job's condition says so")
                before = parts()
                members = [("worker", 0), ("coordinator", 0), ("worker", 1)]
                for role, index in members:
                    run.kill(role, index)
                for role, index in members:
                    run.expect(lambda: len(run.starts(role, index)) == 2, 30, "it is started again")
                self.assertEqual(parts(), before)
                self.assertEqual(checkpoints.names(), [])
                proxy.set({})
                run.finish()
            self.assertEqual(len(parts()), FILES + 1)
            self.assertEqual(tally.problems({checkpoints.local(): spec}), [])


if __name__ == "__main__":
    unittest.main()
