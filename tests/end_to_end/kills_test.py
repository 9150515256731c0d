"""Tally jobs on this machine: without faults for any number of members, and through ten random kills in one job.

    voyage_test.py        each number of members once, and the kills with 2 parameter servers and 2 workers
    voyage_test.py all    the kills too with any number of members
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

AT_ONCE = 2  # Jobs.
KILLS = 10
IN_BLOCKS = "[interleave: {cycle: 2, block: 3}, shuffle: {kind: Block, block: 100, window: 4}]"
BLOCK_BYTES = 4096 * 4
MEMBERS = list(itertools.product([1, 2], [1, 2, 3], ["Sync", "Async"]))


class Voyage(unittest.TestCase):
    def setUp(self):
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.folder = Path(kept.name)
        self.data = self.folder / "data"

    def test_holds_for_any_number_of_members(self):
        tally.write_records(self.data, 10_000)

        def sail(members: tuple[int, int, str]) -> tally.Tally:
            ps, workers, consistency = members
            place = self.folder / f"{ps}-{workers}-{consistency}"
            it = tally.Tally(str(self.data), str(place / "checkpoints"), 10_000, 3, 64, 50,
                             job.parameter_server(ps, workers), consistency)
            with job.Run(place, it.manifest()) as run:
                run.finish()
            return it

        with ThreadPoolExecutor(AT_ONCE) as together:
            jobs = {Path(it.checkpoints): it for it in together.map(sail, MEMBERS)}
        self.assertEqual(tally.problems(jobs), [])

    def test_every_server_applies_blocks_of_its_own(self):
        records = 50_000
        tally.write_records(self.data, records)
        checkpoints = InFiles(self.folder / "checkpoints")
        it = tally.Tally(str(self.data), checkpoints.url, records, 2, 64, 500)
        with job.Run(self.folder, it.manifest()) as run:
            run.finish()
        self.assertEqual(tally.problems({checkpoints.folder: it}), [])
        # Every parameter holds 2, so each server has applied all that its shard holds.
        shards = checkpoints.last("data-*")
        self.assertEqual(len(shards), 2)
        for shard in shards:
            self.assertGreaterEqual(shard.stat().st_size, 2 * BLOCK_BYTES, shard)

    def test_holds_through_ten_random_kills(self):
        tally.write_records(self.data, 10_000)
        members = MEMBERS if "all" in ARGUMENTS else [(2, 2, "Sync"), (2, 3, "Async")]
        voyages = [(*one, "[shuffle: {}]") for one in members] + [(2, 3, "Sync", IN_BLOCKS)]

        def sail(one: tuple[int, int, str, str]) -> tally.Tally:
            ps, workers, consistency, stages = one
            place = self.folder / str(voyages.index(one))
            it = tally.Tally(str(self.data), str(place / "checkpoints"), 10_000, 120, 128, 40,
                             job.parameter_server(ps, workers), consistency, stages=stages)
            with job.Run(place, it.manifest()) as run:
                killed = self.kill_at_random(run, InFiles(place / "checkpoints"))
                run.finish(timeout=300)
            print(f"{one}: killed {' '.join(killed)}", flush=True)
            self.assertEqual(len(killed), KILLS, f"{one}: the job ended before")
            return it

        with ThreadPoolExecutor(AT_ONCE) as together:
            jobs = {Path(it.checkpoints): it for it in together.map(sail, voyages)}
        self.assertEqual(tally.problems(jobs), [])

    def kill_at_random(self, run: job.Run, checkpoints: InFiles) -> list[str]:
        """Each kill hits a job that has committed since the one before, and has done work that no commit holds."""
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
