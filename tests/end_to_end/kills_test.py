"""Tally jobs on this machine: without faults for any number of members, and with ten random kills in one job.

    kills_test.py        each number of members once, and the kills with three of them
    kills_test.py all    the kills with every number of members
"""

import itertools
import os
import random
import signal
import sys
import tempfile
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import job
import tally
from checkpoints import InFiles

AT_ONCE = 2  # jobs
KILLS = 10
BLOCK_SHUFFLE = "[interleave: {cycle: 2, block: 3}, shuffle: {kind: Block, block: 100, window: 4}]"
BLOCK_BYTES = 4096 * 4
MEMBERS = list(itertools.product([1, 2], [1, 2, 3], ["Sync", "Async"]))


class Kills(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.data = self.folder / "data"

    def test_holds_for_any_number_of_members(self):
        tally.write_records(self.data, 10_000)

        def train(members: tuple[int, int, str]) -> tally.Tally:
            ps, workers, consistency = members
            folder = self.folder / f"{ps}-{workers}-{consistency}"
            spec = tally.Tally(str(self.data), str(folder / "checkpoints"), 10_000, 3, 64, 50,
                             job.parameter_server(ps, workers), consistency)
            with job.Run(folder, spec.manifest()) as run:
                run.finish()
            return spec

        with ThreadPoolExecutor(AT_ONCE) as pool:
            jobs = {Path(spec.checkpoints): spec for spec in pool.map(train, MEMBERS)}
        self.assertEqual(tally.problems(jobs), [])

    def test_every_server_applies_blocks_of_its_own(self):
        records = 50_000
        tally.write_records(self.data, records)
        checkpoints = InFiles(self.folder / "checkpoints")
        spec = tally.Tally(str(self.data), checkpoints.url, records, 2, 64, 500)
        with job.Run(self.folder, spec.manifest()) as run:
            run.finish()
        self.assertEqual(tally.problems({checkpoints.folder: spec}), [])
        # Every parameter is 2, so each server has applied its whole shard.
        shards = checkpoints.last("data-*")
        self.assertEqual(len(shards), 2)
        for shard in shards:
            self.assertGreaterEqual(shard.stat().st_size, 2 * BLOCK_BYTES, shard)

    def test_holds_through_ten_random_kills(self):
        tally.write_records(self.data, 10_000)
        members = MEMBERS if "all" in ARGUMENTS else [(2, 2, "Sync"), (2, 3, "Async")]
        cases = [(*case, "[shuffle: {}]") for case in members] + [(2, 3, "Sync", BLOCK_SHUFFLE)]

        def train(case: tuple[int, int, str, str]) -> tally.Tally:
            ps, workers, consistency, stages = case
            folder = self.folder / str(cases.index(case))
            spec = tally.Tally(str(self.data), str(folder / "checkpoints"), 10_000, 120, 128, 40,
                             job.parameter_server(ps, workers), consistency, stages=stages)
            with job.Run(folder, spec.manifest()) as run:
                killed = self.kill_at_random(run, InFiles(folder / "checkpoints"))
                run.finish(timeout=300)
            print(f"{case}: killed {' '.join(killed)}", flush=True)
            self.assertEqual(len(killed), KILLS, f"{case}: the job ended before")
            return spec

        with ThreadPoolExecutor(AT_ONCE) as pool:
            jobs = {Path(spec.checkpoints): spec for spec in pool.map(train, cases)}
        self.assertEqual(tally.problems(jobs), [])

    def kill_at_random(self, run: job.Run, checkpoints: InFiles) -> list[str]:
        """Kills when the job has committed since the last kill and has work that is not committed. Returns the victims."""
        killed: list[str] = []
        before = 0
        while len(killed) < KILLS and run.until(lambda: checkpoints.committed_step() > before, 60):
            time.sleep(random.uniform(0, 0.05))
            if not run.until(lambda: run.has_work_to_lose(checkpoints, before), 60):
                break
            before = checkpoints.committed_step()
            victim = random.choice(run.running())
            os.kill(victim.pid, signal.SIGKILL)
            killed.append(f"{victim.role}-{victim.index}")
        return killed


ARGUMENTS = sys.argv[1:]

if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
