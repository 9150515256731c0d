"""Indexes of the data are found in every place, or built by the members of a job together. The results are the same, and a
member that is killed while it builds one blocks nobody. TensorFlow writes the records and reads the checkpoints."""

import hashlib
import shutil
import struct
import tempfile
import unittest
from pathlib import Path

import job
import line
import tally
from checkpoints import InBucket, InFiles
from support import machine, object_store

TRAINING = "batch: 32, epochs: 3, seed: 11, deterministic: true, optimizer: {kind: Adam, learningRate: 0.01}"
INDEXING = "log: indexing "
BUCKET = "bucket"
RECORDS, BATCH, EPOCHS, EVERY_STEPS = 10_000, 256, 2, 15


def text_index(file: Path) -> str:
    """The index in the form that tfrecord2idx writes."""
    content, lines, offset = file.read_bytes(), [], 0
    while offset < len(content):
        size = struct.unpack_from("<Q", content, offset)[0] + 16
        lines.append(f"{offset} {size}\n")
        offset += size
    return "".join(lines)


class Indexes(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.data = self.folder / "data"
        self.data.mkdir()

    def train(self, name: str, strategy: str = job.parameter_server(1, 2), cache: str = "") -> tuple[list[str], str]:
        """Runs the job. Returns the last manifest's lines about data and bits, and the members' logs."""
        checkpoints = InFiles(self.folder / name / "checkpoints")
        manifest = line.manifest(strategy, f"{self.data}/line-*", checkpoints.url, TRAINING, every_steps=50)
        with job.Run(self.folder / name, manifest, environment={"CARRACK_INDEX_CACHE": cache}) as run:
            run.finish()
            logs = run.logs()
        lines = checkpoints.last("manifest")[0].read_text().splitlines()
        return [line for line in lines if line.startswith(("order ", "digest "))], logs

    def test_give_the_same_bits_wherever_they_are_found(self):
        line.write_line(self.data)
        cache = self.folder / "cache"
        bits, logs = self.train("built", cache=str(cache))
        self.assertIn(INDEXING, logs)
        self.assertEqual(len(bits), 2)
        built = sorted((self.folder / "built/checkpoints/indexes").iterdir())
        self.assertEqual(len(built), line.FILES)
        self.assertEqual([file.read_bytes() for file in sorted(cache.iterdir())], [file.read_bytes() for file in built])

        def assert_same(name: str, found: bool, **options) -> None:
            lines, logs = self.train(name, **options)
            self.assertEqual(lines, bits, name)
            self.assertEqual(INDEXING not in logs, found, logs)
            self.assertNotIn("passes over", logs)

        assert_same("cached", True, cache=str(cache))
        shutil.copytree(cache, self.folder / "kept/checkpoints/indexes")
        assert_same("kept", True)
        assert_same("one-process", False, strategy=job.SINGLE)
        files = sorted(self.data.iterdir())
        for file in files:
            Path(f"{file}.idx").write_text(text_index(file))
        assert_same("text", False)
        for file in files:
            name = hashlib.sha256(f"file://{file}".encode()).hexdigest()
            shutil.copy(self.folder / f"built/checkpoints/indexes/{name}.index", f"{file}.index")
        assert_same("beside", True)

    def test_are_built_by_the_others_where_a_worker_dies(self):
        machine.program("fake-gcs-server")  # skips the test if it is not built
        tally.write_records(self.data, RECORDS)
        with object_store.fake_gcs(BUCKET) as server, object_store.fault_proxy(server) as proxy:
            for file in self.data.iterdir():
                object_store.put(server, BUCKET, f"data/{file.name}", file.read_bytes())
            proxy.set({"rules": [{"method": "GET", "slow": {"bytes_per_second": 100_000}}]})  # some seconds for each file
            checkpoints = InBucket(server, BUCKET, "out", self.folder / "out")
            spec = tally.Tally(f"gs://{BUCKET}/data", checkpoints.url, RECORDS, EPOCHS, BATCH, EVERY_STEPS)
            with job.Run(self.folder, spec.manifest(), environment={"STORAGE_EMULATOR_HOST": proxy.url}) as run:
                logs = self.folder / "run/logs"
                run.expect(lambda: any(INDEXING in log.read_text() for log in logs.glob("*-worker-0-*")), 30,
                           "a worker builds an index")
                self.assertEqual(checkpoints.names(), [])
                job_file = self.folder / "run/job.json"
                run.expect(lambda: '"Indexing"' in job_file.read_text(), 30, "the job's condition says so")
                run.kill("worker", 0)
                run.expect(lambda: len(run.starts("worker", 0)) == 2, 30, "it is started again")
                proxy.set({})
                run.finish()
            self.assertEqual(len(checkpoints.indexes()), 2)
            self.assertEqual(tally.problems({checkpoints.local(): spec}), [])


if __name__ == "__main__":
    unittest.main()
