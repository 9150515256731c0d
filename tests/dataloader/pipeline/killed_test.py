"""Readers that are killed with -9 at any moment, again and again, and gone on for by 1, 3 or 8 others, give the sequence
of record ids that one undisturbed reader gives."""

import os
import random
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from dataloader.cli import records

PROGRAM = f"{os.environ['CARRACK_BUILD']}/bin/pipeline-reader"
FILES, IN_FILE = 3, 5000
DEADLINE = 120


class Readers:
    """As many processes as there are shares, from one step on."""

    def __init__(self, which: str, data: Path, folder: Path, count: int, step: int, state: bytes):
        self.folder, self.count, self.step = folder, count, step
        folder.mkdir()
        saved = []
        if state:
            (folder / "from").write_bytes(state)
            saved = [folder / "from"]
        self.running = [subprocess.Popen([PROGRAM, which, data / "x-*", str(share), str(count), folder, str(step), *saved],
                                         stderr=subprocess.PIPE, text=True) for share in range(count)]

    def has(self, step: int | str) -> bool:
        return all((self.folder / f"{step}.{share}").exists() for share in range(self.count))

    def wait_for(self, step: int | str) -> None:
        """Or for the end."""
        until = time.monotonic() + DEADLINE
        while not self.has(step) and not self.has("end"):
            failed = [one.stderr.read() for one in self.running if one.poll() not in (None, 0)]
            if failed or time.monotonic() > until:
                raise AssertionError(f"waiting for step {step}: {failed}")
            time.sleep(0.002)

    def kill(self) -> None:
        for one in self.running:
            one.kill()
        for one in self.running:
            one.wait()
            one.stderr.close()
        self.running = []

    def steps(self) -> tuple[list[list[int]], bytes]:
        """The ids of each step that all of them have done, and where all go on behind it."""
        steps, state = [], b""
        while self.has(self.step + len(steps)):
            ids, states = [], set()
            for share in range(self.count):
                content = (self.folder / f"{self.step + len(steps)}.{share}").read_bytes()
                size, rest = content.split(b"\n", 1)
                states.add(rest[:int(size)])
                ids += map(int, rest[int(size):].split())
            assert len(states) == 1, "readers of one batch have one state"
            steps.append(ids)
            state = states.pop()
        return steps, state


class Killed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.home = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.data = cls.home / "data"
        cls.data.mkdir()
        for file in range(FILES):
            ids = range(file * IN_FILE, (file + 1) * IN_FILE)
            (cls.data / f"x-{file}").write_bytes(records.file(*(records.example(id=[number]) for number in ids)))

    def readers(self, which: str, name: object, *more: object) -> Readers:
        readers = Readers(which, self.data, self.home / f"{which}-{name}", *more)
        self.addCleanup(readers.kill)
        return readers

    def go_on_as_if_nothing_had_been(self, which: str, all_records: int):
        undisturbed = self.readers(which, "undisturbed", 1, 0, b"")
        undisturbed.wait_for("end")
        expected, _ = undisturbed.steps()
        self.assertEqual(sum(map(len, expected)), 2 * all_records)
        seed = random.randrange(2**32)
        draw = random.Random(seed)
        given, state, kills = [], b"", 0
        while len(given) < len(expected):
            readers = self.readers(which, kills, (1, 3, 8)[kills % 3], len(given), state)
            readers.wait_for(len(given) + draw.randrange(20, 90))
            time.sleep(draw.random() * 0.002)  # Anywhere within a step.
            readers.kill()
            steps, behind = readers.steps()
            given += steps
            state = behind or state
            kills += 1
        self.assertEqual(given, expected, f"seed {seed}")
        self.assertGreaterEqual(kills, 4, f"seed {seed}")
        print(f"{which}: killed {kills} times, seed {seed}")

    def test_where_places_are_known(self):
        self.go_on_as_if_nothing_had_been("sequence", FILES * IN_FILE)

    def test_where_a_buffer_is_in_the_state(self):
        self.go_on_as_if_nothing_had_been("stream", sum(1 for number in range(FILES * IN_FILE) if number % 7))


if __name__ == "__main__":
    unittest.main()
