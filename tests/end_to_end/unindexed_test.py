"""Jobs that begin before their data is indexed: each record counts once whoever is killed, stopped or gone on from in the first
pass, and what was read is indexed. Records are written and checkpoints read by TensorFlow."""

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
        kept = tempfile.TemporaryDirectory()
        cls.addClassCleanup(kept.cleanup)
        cls.data = Path(kept.name, "data")
        tally.write_records(cls.data, RECORDS, FILES)
        (cls.data / "tally-empty.tfrecord").touch()

    def setUp(self):
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.folder = Path(kept.name)

    def it_called(self, name: str, **fields) -> tally.Tally:
        it = tally.Tally(str(self.data), str(self.folder / name / "checkpoints"), RECORDS, EPOCHS, BATCH, EVERY_STEPS,
                         first_pass=True)
        return it._replace(**fields)

    def run_of(self, it: tally.Tally, point: job.Point | None = None) -> job.Run:
        return job.Run(Path(it.checkpoints).parent, it.manifest(), point)

    def lines(self, it: tally.Tally) -> list[dict[str, str]]:
        """Of all manifests, in the order of their steps."""
        manifests = [dict(line.split(" ", 1) for line in file.read_text().splitlines())
                     for file in Path(it.checkpoints).glob("*.manifest")]
        return sorted(manifests, key=lambda one: int(one["step"]))

    def is_in_first_pass(self, it: tally.Tally) -> bool:
        manifests = self.lines(it)
        return bool(manifests) and manifests[-1]["epoch"] == "0"

    def assert_right(self, *jobs: tally.Tally) -> None:
        self.assertEqual(tally.problems({Path(it.checkpoints): it for it in jobs}), [])
        for it in jobs:
            orders = {one["order"].rsplit(", bytes", 1)[0] for one in self.lines(it)}
            self.assertEqual(orders, {f"first pass in 8 lanes, files {FILES}"} if it.first_pass else {f"files {FILES}, records {RECORDS}"})
            self.assertEqual("pass first" in InFiles(Path(it.checkpoints)).head(), it.first_pass)

    def get_into_first_pass(self, run: job.Run, it: tally.Tally) -> None:
        run.expect(lambda: run.has_work_to_lose(InFiles(Path(it.checkpoints))), 60, "it is under way")
        self.assertTrue(self.is_in_first_pass(it))

    def test_count_each_record_once_whoever_is_killed(self):
        jobs = []
        for workers in (1, 2, 3):
            it = self.it_called(f"workers-{workers}", strategy=job.parameter_server(2, workers))
            with self.run_of(it) as run:
                run.kill_in_turn(["worker", "ps", "worker", "coordinator"], InFiles(Path(it.checkpoints)))
                self.assertTrue(self.is_in_first_pass(it))
                run.finish()
                self.assertNotIn("log: indexing", run.logs())
                self.assertNotIn('"Indexing"', (Path(it.checkpoints).parent / "run/job.json").read_text())
            self.assertEqual(len(list(Path(it.checkpoints, "indexes").iterdir())), FILES)
            jobs.append(it)
        self.assert_right(*jobs)

    def test_hold_where_a_member_is_killed_at_their_own_points(self):
        jobs = []
        for role, name in POINTS:
            it = self.it_called(name, epochs=1)
            with self.run_of(it, job.Point(name, role)) as run:
                self.get_into_first_pass(run, it)
                run.arm()
                run.expect(lambda: any(job.state_of(start) == "T" for start in run.starts(role, 0)), 60, f"it is at {name}")
                run.disarm()
                for start in run.starts(role, 0):
                    if job.state_of(start) == "T":
                        os.kill(start.pid, signal.SIGKILL)
                run.finish()
            jobs.append(it)
        self.assert_right(*jobs)

    def test_keep_their_order_where_all_is_indexed_by_then_and_others_have_the_usual(self):
        own = self.folder / "data"
        shutil.copytree(self.data, own)
        it, other = self.it_called("it", data=str(own)), self.it_called("other", data=str(own), first_pass=False)
        with self.run_of(it) as run:
            self.get_into_first_pass(run, it)
        subprocess.run([job.BIN / "carrack", "data", "index", *own.glob("tally-*")], check=True, capture_output=True)
        with self.run_of(it) as run:
            run.finish()
        with self.run_of(other) as run:
            run.finish()
        self.assert_right(it, other)

    def test_are_stopped_in_order_and_gone_on_with(self):
        jobs = []
        for name, strategy in (("many", job.parameter_server(2, 2)), ("single", job.SINGLE)):
            it = self.it_called(name, strategy=strategy, every_steps=100)
            with self.run_of(it) as run:
                run.expect(lambda: run.step() > 20, 60, "it is under way")
                run.process.send_signal(signal.SIGTERM)
                run.finish(exit_code=130)
            self.assertTrue(self.is_in_first_pass(it))
            with self.run_of(it) as run:
                run.finish()
            jobs.append(it)
        self.assert_right(*jobs)

    def test_are_gone_on_from_by_others_in_their_order(self):
        first, second = self.it_called("first"), self.it_called("second", epochs=3)
        with self.run_of(first) as run:
            self.get_into_first_pass(run, first)
        with self.run_of(second._replace(resume=first.checkpoints)) as run:
            run.finish()
        with self.run_of(first) as run:
            run.finish()
        third = self.it_called("third", epochs=3)
        with self.run_of(third._replace(resume=first.checkpoints)) as run:
            run.finish()
        self.assert_right(first, second, third)
        refused = self.it_called("refused", resume=first.checkpoints, consistency="Async")
        with self.run_of(refused) as run:
            self.assertIn("began before its data was indexed, in an order that takes consistency: Sync", run.finish(1))

    def test_begin_at_once_with_a_terabyte(self):
        store = terabyte.store()
        self.assertGreater(store.bytes_in_all(), 10**12)
        with sparse_store.serving(store) as url:
            print(f"a step after {terabyte.seconds_to_a_step(url):.1f} s, and {store.sent:,} bytes", flush=True)
        self.assertLess(store.sent, store.bytes_in_all() // 100)

    def test_fail_for_a_record_that_is_damaged_and_say_what_to_do_which_helps(self):
        own = self.folder / "data"
        shutil.copytree(self.data, own)
        whole = (own / "tally-7.tfrecord").read_bytes()
        (own / "tally-7.tfrecord").write_bytes(whole[:-10] + bytes([whole[-10] ^ 1]) + whole[-9:])
        it = self.it_called("damaged", data=str(own))
        with self.run_of(it) as run:
            printed = run.finish(exit_code=1)
        self.assertRegex(printed, (
            r"tally-7.tfrecord: record 3332 at byte \d+: the data does not match its checksum; mend the file \(`carrack data convert` "
            r"with --skip-corrupt leaves out what is damaged\) and begin another job, with another checkpoint.folder: this one began "
            r"before its data was indexed, and what it has committed goes on with these very files alone\n"))
        (own / "tally-7.tfrecord").write_bytes(whole)
        with self.run_of(it) as run:
            self.assertRegex(run.finish(exit_code=1), r"spec.data.train: the data has changed since step \d+: it was first pass")
        another = self.it_called("another", data=str(own))
        with self.run_of(another) as run:
            run.finish()
        self.assert_right(another)


if __name__ == "__main__":
    unittest.main()
