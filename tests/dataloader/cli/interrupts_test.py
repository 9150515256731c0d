"""An interrupt ends `carrack data` wherever it waits, and programs that it reads end with it however it ends."""

import os
import signal
import socket
import subprocess
import time
import unittest
from collections.abc import Callable

import records

SILENT = "echo $$ >pid.new; sleep 1000 & echo $! >>pid.new; mv pid.new pids; wait\n"


def has_ended(pid: int) -> bool:
    """True if the process is gone, or is a zombie that its new parent has not reaped yet."""
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return ") Z " in stat.read()
    except (FileNotFoundError, ProcessLookupError):  # The latter if it ends between open() and read().
        return True


class Interrupts(records.Program, unittest.TestCase):
    def start(self, *arguments: str, environment: dict[str, str] | None = None) -> subprocess.Popen:
        running = subprocess.Popen([records.CARRACK, "data", *arguments], cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, env=os.environ | (environment or {}))
        self.addCleanup(running.wait)
        self.addCleanup(running.stdout.close)
        self.addCleanup(running.stderr.close)
        self.addCleanup(running.kill)
        return running

    def until(self, happened: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + 60
        while not happened():
            self.assertLess(time.monotonic(), deadline, what)
            time.sleep(0.01)

    def programs(self) -> list[int]:
        self.until((self.folder / "pids").exists, "the program runs")
        return [int(pid) for pid in (self.folder / "pids").read_text().split()]

    def assert_ends(self, running: subprocess.Popen, command: str, by: int = signal.SIGINT) -> None:
        running.send_signal(by)
        out, err = running.communicate(timeout=60)
        self.assertEqual((running.returncode, err), (130, f"carrack data {command}: interrupted\n"), out)

    def assert_ended(self, pids: list[int]) -> None:
        self.until(lambda: all(has_ended(pid) for pid in pids), "the program has ended")

    def test_end_the_wait_for_a_silent_program(self):
        self.write("silent.sh", SILENT.encode())
        for command in (["bench"], ["convert", "--to", "y.tfrecord"]):
            for by in (signal.SIGINT, signal.SIGTERM):
                running = self.start(*command, "exec:sh silent.sh")
                pids = self.programs()
                self.assert_ends(running, command[0], by)
                self.assert_ended(pids)
                (self.folder / "pids").unlink()
        self.assertEqual(self.names(), ["silent.sh"])

    def test_end_a_conversion_and_leave_no_file(self):
        self.write("one", records.file(bytes(1_000_000)))
        for name, goes_on in {"silent": SILENT, "garbage": SILENT.replace("wait", "exec tr '\\0' x </dev/zero")}.items():
            self.write(f"{name}.sh", f"cat one one one one; {goes_on}".encode())
            running = self.start("convert", f"exec:sh {name}.sh", "--to", "out/y.tfrecord", "--on-damage", "skip")
            pids = self.programs()
            self.until(lambda: any(path.stat().st_size > 0 for path in self.folder.glob("out/.*")), "it has begun to write")
            self.assert_ends(running, "convert")
            self.assert_ended(pids)
            (self.folder / "pids").unlink()
            self.assertEqual(list(self.folder.glob("out/*")) + list(self.folder.glob("out/.*")), [])

    def test_end_the_wait_for_a_silent_storage(self):
        with socket.create_server(("localhost", 0)) as server:
            server.settimeout(60)
            silent = {"STORAGE_EMULATOR_HOST": f"localhost:{server.getsockname()[1]}"}
            for command in ("explain", "stats", "head"):
                running = self.start(command, "gs://bucket/x.npz", environment=silent)
                connection, _ = server.accept()
                with connection:
                    self.assert_ends(running, command)

    def test_a_program_ends_with_a_carrack_that_is_killed(self):
        self.write("silent.sh", SILENT.encode())
        running = self.start("bench", "exec:sh silent.sh")
        pids = self.programs()
        running.kill()
        self.assert_ended(pids)


if __name__ == "__main__":
    unittest.main()
