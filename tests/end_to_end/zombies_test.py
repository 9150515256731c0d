"""A coordinator or a parameter server is stopped (SIGSTOP), replaced, and continued after its replacement has committed:
the zombie commits nothing, ends by itself, and the checkpoints are correct.

    zombies_test.py        stops at the points that matter most, each in Sync or Async
    zombies_test.py all    each in both
"""

import os
import signal
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import job
import tally
from checkpoints import InFiles

RECORDS, BATCH, EVERY_STEPS, EPOCHS = 10_000, 128, 40, 40
AT_ONCE = 4  # jobs; they mostly wait

# In the middle of a commit: before anything is written, before HEAD, after HEAD; and around a shard.
STOPPED_AT = [
    (job.Point("folder.write_index.before", "coordinator"), "Sync"),
    (job.Point("folder.commit.before", "coordinator"), "Sync"),
    (job.Point("folder.commit.before", "coordinator"), "Async"),
    (job.Point("folder.commit.after", "coordinator"), "Async"),
    (job.Point("folder.save_shard.before", "ps"), "Sync"),
    (job.Point("folder.save_shard.after", "ps"), "Async"),
    (job.Point("ps.advance.after", "ps"), "Sync"),
    (job.Point("ps.apply_batch.after", "ps"), "Async"),
]
ONE_CONSISTENCY = {"ps.advance.after", "ps.apply_batch.after"}


class Zombie:
    """One job with a zombie, and the owners of HEAD during it."""

    def __init__(self, point: job.Point, consistency: str, folder: Path, data: Path):
        self.name = f"{point.role} stopped at {point.name} in {consistency}"
        self.point = point
        self.checkpoints = InFiles(folder / "checkpoints")
        self.tally = tally.Tally(str(data), self.checkpoints.url, RECORDS, EPOCHS, BATCH, EVERY_STEPS, consistency=consistency)
        self.folder = folder
        self.owners: list[int] = []  # incarnations of coordinators, as HEAD names them

    def run(self) -> "Zombie":
        role = self.point.role
        with job.Run(self.folder, self.tally.manifest(), self.point) as run:
            self.expect(run, lambda: run.has_work_to_lose(self.checkpoints), 60, "the job gets under way")
            run.arm()
            self.expect(run, lambda: job.state_of(run.starts(role, 0)[0]) == "T", 60, "the member is stopped")
            zombie = run.starts(role, 0)[0]
            run.disarm()
            self.expect(run, lambda: len(run.starts(role, 0)) > 1, 30, "the member is replaced")
            before = self.checkpoints.committed_step()
            self.expect(run, lambda: self.checkpoints.committed_step() > before, 60, "the job commits without it")
            os.kill(zombie.pid, signal.SIGCONT)
            self.expect(run, lambda: job.state_of(zombie) == "", 30, "the zombie ends")
            run.finish()
            self.record_owner()
        return self

    def record_owner(self) -> None:
        if owner := self.checkpoints.owner():
            self.owners.append(owner)

    def expect(self, run: job.Run, happens, seconds: float, what: str) -> None:
        def happened() -> bool:
            self.record_owner()
            return happens()

        run.expect(happened, seconds, f"{what} ({self.name})")


class Zombies(unittest.TestCase):
    def test_commit_nothing(self):
        cases = [(point, one) for point, consistency in STOPPED_AT
                for one in (["Sync", "Async"] if ALL and point.name not in ONE_CONSISTENCY else [consistency])]
        with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(AT_ONCE) as pool:
            data = Path(folder, "data")
            tally.write_records(data, RECORDS)
            zombies = [Zombie(*one, Path(folder, str(number)), data) for number, one in enumerate(cases)]
            for zombie in pool.map(Zombie.run, zombies):
                print(f"{zombie.name}: HEAD was owned by {sorted(set(zombie.owners))}", flush=True)
                self.assertEqual(zombie.owners, sorted(zombie.owners), f"{zombie.name}: HEAD went back to the zombie")
                self.assertEqual(zombie.owners[-1], 2 if zombie.point.role == "coordinator" else 1, zombie.name)
            self.assertEqual(tally.problems({zombie.checkpoints.local(): zombie.tally for zombie in zombies}), [])


ALL = "all" in sys.argv[1:]

if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
