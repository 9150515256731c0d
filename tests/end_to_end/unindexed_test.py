"""Jobs that start before their data is indexed: each record counts once, whoever is killed, stopped or continued in the first
pass, and what was read is indexed. TensorFlow writes the records and reads the checkpoints."""

import os
import shutil
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

import job
import tally
import terabyte
from checkpoints import InFiles
from support import sparse_store

FILES, RECORDS, BATCH, EPOCHS, EVERY_STEPS = 12, 40_000, 64, 2, 40
POINTS = [("worker", "worker.read_first_pass.before"), ("worker", "worker.read_first_pass.after"),
          ("coordinator", "coordinator.total_known.before"), ("coordinator", "coordinator.total_known.after"),
          ("worker", "worker.ended.before"), ("worker", "worker.ended.after")]


class Unindexed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.data = Path(cls.enterClassContext(tempfile.TemporaryDirectory()), "data")
        tally.write_records(cls.data, RECORDS, FILES)
        (cls.data / "tally-empty.tfrecord").touch()

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def spec_named(self, name: str, **fields) -> tally.Tally:
        spec = tally.Tally(str(self.data), str(self.folder / name / "checkpoints"), RECORDS, EPOCHS, BATCH, EVERY_STEPS,
                         first_pass=True)
        return spec._replace(**fields)

    def run_job(self, spec: tally.Tally, point: job.Point | None = None) -> job.Run:
        return job.Run(Path(spec.checkpoints).parent, spec.manifest(), point)

    def manifests(self, spec: tally.Tally) -> list[dict[str, str]]:
        """The lines of all manifests, in the order of their steps."""
        manifests = [dict(line.split(" ", 1) for line in file.read_text().splitlines())
                     for file in Path(spec.checkpoints).glob("*.manifest")]
        return sorted(manifests, key=lambda manifest: int(manifest["step"]))

    def is_in_first_pass(self, spec: tally.Tally) -> bool:
        manifests = self.manifests(spec)
        return bool(manifests) and manifests[-1]["epoch"] == "0"

    def assert_right(self, *jobs: tally.Tally) -> None:
        self.assertEqual(tally.problems({Path(spec.checkpoints): spec for spec in jobs}), [])
        for spec in jobs:
            orders = {manifest["order"].rsplit(" bytes=", 1)[0] for manifest in self.manifests(spec)}
            self.assertEqual(orders, {f"carrack-order v2 pass=first lanes=8 files={FILES}" if spec.first_pass
                                      else f"carrack-order v2 files={FILES} records={RECORDS}"})
            self.assertEqual("pass first" in InFiles(Path(spec.checkpoints)).head(), spec.first_pass)

    def wait_for_first_pass(self, run: job.Run, spec: tally.Tally) -> None:
        run.expect(lambda: run.has_work_to_lose(InFiles(Path(spec.checkpoints))), 60, "it is under way")
        self.assertTrue(self.is_in_first_pass(spec))

    def test_count_each_record_once_whoever_is_killed(self):
        jobs = []
        for workers in (1, 2, 3):
            spec = self.spec_named(f"workers-{workers}", strategy=job.parameter_server(2, workers))
            with self.run_job(spec) as run:
                run.kill_in_turn(["worker", "ps", "worker", "coordinator"], InFiles(Path(spec.checkpoints)))
                self.assertTrue(self.is_in_first_pass(spec))
                run.finish()
                self.assertNotIn("log: indexing", run.logs())
                self.assertNotIn('"Indexing"', (Path(spec.checkpoints).parent / "run/job.json").read_text())
            self.assertEqual(len(list(Path(spec.checkpoints, "indexes").iterdir())), FILES)
            jobs.append(spec)
        self.assert_right(*jobs)

    def test_hold_where_a_member_is_killed_at_their_own_points(self):
        jobs = []
        for role, name in POINTS:
            spec = self.spec_named(name, epochs=1)
            with self.run_job(spec, job.Point(name, role)) as run:
                self.wait_for_first_pass(run, spec)
                run.arm()
                run.expect(lambda: any(job.state_of(start) == "T" for start in run.starts(role, 0)), 60, f"it is at {name}")
                run.disarm()
                for start in run.starts(role, 0):
                    if job.state_of(start) == "T":
                        os.kill(start.pid, signal.SIGKILL)
                run.finish()
            jobs.append(spec)
        self.assert_right(*jobs)

    def test_keep_their_order_where_all_is_indexed_by_then_and_others_have_the_usual(self):
        data = self.folder / "data"
        shutil.copytree(self.data, data)
        spec, other = self.spec_named("it", data=str(data)), self.spec_named("other", data=str(data), first_pass=False)
        with self.run_job(spec) as run:
            self.wait_for_first_pass(run, spec)
        subprocess.run([job.BIN / "carrack", "data", "index", *data.glob("tally-*")], check=True, capture_output=True)
        with self.run_job(spec) as run:
            run.finish()
        with self.run_job(other) as run:
            run.finish()
        self.assert_right(spec, other)

    def test_are_stopped_in_order_and_gone_on_with(self):
        jobs = []
        # One process does 600 steps within the time that it takes to see the first ones and to stop it.
        for name, strategy, batch in (("many", job.parameter_server(2, 2), BATCH), ("single", job.SINGLE, 8)):
            spec = self.spec_named(name, strategy=strategy, batch=batch, every_steps=100)
            with self.run_job(spec) as run:
                run.expect(lambda: run.step() > 20, 60, "it is under way")
                run.process.send_signal(signal.SIGTERM)
                run.finish(exit_code=130)
            self.assertTrue(self.is_in_first_pass(spec))
            with self.run_job(spec) as run:
                run.finish()
            jobs.append(spec)
        self.assert_right(*jobs)

    def test_are_gone_on_from_by_others_in_their_order(self):
        first, second = self.spec_named("first"), self.spec_named("second", epochs=3)
        with self.run_job(first) as run:
            self.wait_for_first_pass(run, first)
        with self.run_job(second._replace(resume=first.checkpoints)) as run:
            run.finish()
        with self.run_job(first) as run:
            run.finish()
        third = self.spec_named("third", epochs=3)
        with self.run_job(third._replace(resume=first.checkpoints)) as run:
            run.finish()
        self.assert_right(first, second, third)
        refused = self.spec_named("refused", resume=first.checkpoints, consistency="Async")
        with self.run_job(refused) as run:
            self.assertIn("began before its data was indexed, in an order that takes consistency: Sync", run.finish(1))

    def test_begin_at_once_with_a_terabyte(self):
        store = terabyte.store()
        self.assertGreater(store.bytes_in_all(), 10**12)
        with sparse_store.serving(store) as url:
            print(f"a step after {terabyte.seconds_to_a_step(url):.1f} s, and {store.sent:,} bytes", flush=True)
        self.assertLess(store.sent, store.bytes_in_all() // 100)

    def test_fail_for_a_record_that_is_damaged_and_say_what_to_do_which_helps(self):
        data = self.folder / "data"
        shutil.copytree(self.data, data)
        whole = (data / "tally-7.tfrecord").read_bytes()
        (data / "tally-7.tfrecord").write_bytes(whole[:-10] + bytes([whole[-10] ^ 1]) + whole[-9:])
        spec = self.spec_named("damaged", data=str(data))
        with self.run_job(spec) as run:
            printed = run.finish(exit_code=1)
        self.assertRegex(printed, (
            r"tally-7.tfrecord: record 3332 at byte \d+: the data does not match its checksum; "
            r"set spec.data.onDamage: skip to go on without it, or mend the file \(`carrack data convert` "
            r"with --on-damage skip leaves out what is damaged\) and begin another job, with another checkpoint.folder: this one began "
            r"before its data was indexed, and what it has committed goes on with these very files alone\n"))
        (data / "tally-7.tfrecord").write_bytes(whole)
        with self.run_job(spec) as run:
            self.assertRegex(run.finish(exit_code=1), r"spec.data.train: the data has changed since step \d+: it was pass first")
        another = self.spec_named("another", data=str(data))
        with self.run_job(another) as run:
            run.finish()
        self.assert_right(another)


if __name__ == "__main__":
    unittest.main()
