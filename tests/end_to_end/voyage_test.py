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
from checkpoints import InFiles, step_of

AT_ONCE = 2  # Jobs.
KILLS = 10
BLOCK_BYTES = 4096 * 4
MEMBERS = list(itertools.product([1, 2], [1, 2, 3], ["Sync", "Async"]))


class Voyage(unittest.TestCase):
    def setUp(self):
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.folder = Path(kept.name)

    def write_records(self, records: int) -> Path:
        data = self.folder / "data"
        data.mkdir()
        tally.write_records(data, records)
        return data

    def place(self, name: str) -> Path:
        place = self.folder / name
        place.mkdir()
        return place

    def test_holds_for_any_number_of_members(self):
        data = self.write_records(10_000)

        def sail(members: tuple[int, int, str]) -> tally.Tally:
            ps, workers, consistency = members
            place = self.place(f"{ps}-{workers}-{consistency}")
            it = tally.Tally(str(data), str(place / "checkpoints"), 10_000, 3, 64, 50, ps, workers, consistency)
            with job.Run(place, it.manifest()) as run:
                run.finish()
            return it

        with ThreadPoolExecutor(AT_ONCE) as together:
            jobs = {Path(it.checkpoints): it for it in together.map(sail, MEMBERS)}
        self.assertEqual(tally.problems(jobs), [])

    def test_every_server_applies_blocks_of_its_own(self):
        records = 50_000
        data, place = self.write_records(records), self.place("job")
        it = tally.Tally(str(data), str(place / "checkpoints"), records, 2, 64, 500)
        with job.Run(place, it.manifest()) as run:
            run.finish()
        self.assertEqual(tally.problems({Path(it.checkpoints): it}), [])
        # Every parameter holds 2, so each server has applied all that its shard holds.
        last = max(Path(it.checkpoints).glob("*.index"), key=lambda index: step_of(index.name))
        shards = sorted(last.parent.glob(f"{last.stem}.data-*"))
        self.assertEqual(len(shards), it.ps)
        for shard in shards:
            self.assertGreaterEqual(shard.stat().st_size, 2 * BLOCK_BYTES, shard)

    def test_holds_through_ten_random_kills(self):
        data = self.write_records(10_000)
        members = MEMBERS if "all" in ARGUMENTS else [(2, 2, "Sync"), (2, 3, "Async")]

        def sail(one: tuple[int, int, str]) -> tally.Tally:
            ps, workers, consistency = one
            place = self.place(f"{ps}-{workers}-{consistency}")
            it = tally.Tally(str(data), str(place / "checkpoints"), 10_000, 120, 128, 40, ps, workers, consistency)
            with job.Run(place, it.manifest()) as run:
                killed = self.kill_at_random(run, InFiles(place / "checkpoints"))
                run.finish(timeout=300)
            print(f"{one}: killed {' '.join(killed)}", flush=True)
            self.assertEqual(len(killed), KILLS, f"{one}: the job ended before")
            return it

        with ThreadPoolExecutor(AT_ONCE) as together:
            jobs = {Path(it.checkpoints): it for it in together.map(sail, members)}
        self.assertEqual(tally.problems(jobs), [])

    def kill_at_random(self, run: job.Run, checkpoints: InFiles) -> list[str]:
        """Each kill hits a job that has committed since the one before, and has done work that no commit holds."""
        killed: list[str] = []
        before = 0
        while len(killed) < KILLS and run.until(lambda: checkpoints.committed_step() > before, 60):
            time.sleep(random.uniform(0, 0.05))
            if not run.until(lambda: run.step() > checkpoints.committed_step(), 60):
                break
            before = checkpoints.committed_step()
            victims = [start for role in ("coordinator", "ps", "worker") for start in run.running(role)]
            victim = random.choice(victims)
            os.kill(victim.pid, signal.SIGKILL)
            killed.append(f"{victim.role}-{victim.index}")
        return killed


ARGUMENTS = sys.argv[1:]

if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
