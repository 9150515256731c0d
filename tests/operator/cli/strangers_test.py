"""Processes that do not know a job's key, at the sockets of its coordinator and of its parameter server: they learn nothing,
and end nothing. The key is nowhere but in its file."""

import contextlib
import os
import signal
import socket
import struct
import time
import unittest
from pathlib import Path

from line_run import ENDLESS, LineRun

OPENING = b"carrack\x02"
CHALLENGE_BYTES, RESPONSE_BYTES = 56, 88
HTTP2 = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])
AT_ONCE, CONNECTIONS = 400, 10_000


class Member:
    def __init__(self, pid: int):
        self.pid = pid
        variables = Path(f"/proc/{pid}/environ").read_text().split("\0")
        self.environment = dict(variable.split("=", 1) for variable in variables if variable)
        self.name = f"{self.environment['CARRACK_ROLE']}-{self.environment['CARRACK_INDEX']}"

    def connect(self) -> socket.socket:
        made = socket.socket(socket.AF_UNIX)
        made.settimeout(10)
        made.connect(self.environment["CARRACK_LISTEN"].removeprefix("shm:"))
        return made

    def answer_to(self, sent: bytes) -> bytes:
        """All that the member says until it ends the connection."""
        with self.connect() as connection:
            said = b""
            with contextlib.suppress(ConnectionResetError, BrokenPipeError):
                connection.sendall(sent)
            with contextlib.suppress(ConnectionResetError):
                while part := connection.recv(4096):
                    said += part
            return said


def members_of(folder: Path) -> dict[str, Member]:
    """The processes whose configuration is in this folder."""
    found = {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            member = Member(int(process.name))
        except (OSError, ValueError, KeyError):
            continue  # It has ended, is somebody else's, or is no member.
        if Path(member.environment.get("CARRACK_CONFIG", "/")).is_relative_to(folder):
            found[member.name] = member
    return found


class Strangers(LineRun, unittest.TestCase):
    command = "explain"

    def setUp(self):
        super().setUp()
        self.job = self.run_job(epochs=ENDLESS)
        self.wait_until_it("trains: step")
        self.members = members_of(self.folder)
        self.assertLessEqual({"coordinator-0", "ps-0", "worker-0", "worker-1"}, set(self.members))
        self.key = Path(self.members["ps-0"].environment["CARRACK_KEYS"], "key").read_bytes()

    def listeners(self) -> list[Member]:
        return [self.members["coordinator-0"], self.members["ps-0"]]

    def pids(self) -> dict[str, int]:
        return {name: member.pid for name, member in members_of(self.folder).items()}

    def step(self) -> int:
        return int(self.explained()["progress"].split()[1].replace(",", ""))

    def goes_on(self, pids: dict[str, int]) -> None:
        before = self.step()
        deadline = time.monotonic() + 30
        while self.step() <= before:
            self.assertLess(time.monotonic(), deadline, "the job makes no steps")
            time.sleep(0.1)
        self.assertEqual(self.pids(), pids, "a process has ended")

    def test_learn_nothing_and_end_nothing(self):
        pids = self.pids()
        uid = self.members["ps-0"].environment["CARRACK_JOB_UID"].encode()
        worker = struct.pack("<4I", 2, 0, 0, 2**31 - 1)
        sent = {
            "nothing that is one of our messages": os.urandom(RESPONSE_BYTES),
            "the request of an earlier release": HTTP2 + b"/carrack.train/Stream carrack-key " + uid + bytes(100),
            "a response without a MAC": OPENING + os.urandom(32) + worker + bytes(32),
            "the newest worker there may be": OPENING + os.urandom(32) + worker + os.urandom(32),
            "much": os.urandom(1 << 20),
        }
        for member in self.listeners():
            for what, message in sent.items():
                with self.subTest(member=member.name, what=what):
                    said = member.answer_to(message)
                    self.assertEqual((len(said), said[:8]), (CHALLENGE_BYTES, OPENING))
                    self.assertNotIn(uid, said)
        said = [member.answer_to(sent["much"]) for member in self.listeners() for _ in range(2)]
        self.assertEqual(len(set(said)), len(said), "each connection gets a challenge of its own")
        self.goes_on(pids)

    def test_keep_no_member_out_however_many_they_are(self):
        open_ones: list[socket.socket] = []
        killed = self.members["worker-1"]
        for number in range(CONNECTIONS):
            if len(open_ones) == AT_ONCE:
                open_ones.pop(0).close()
            open_ones.append(self.listeners()[number % 2].connect())
            if number == CONNECTIONS // 10:
                os.kill(killed.pid, signal.SIGKILL)
        deadline = time.monotonic() + 30
        while (again := members_of(self.folder).get("worker-1", killed)).pid == killed.pid:
            self.assertLess(time.monotonic(), deadline, "the worker is not replaced")
            time.sleep(0.1)
        self.goes_on(self.pids() | {"worker-1": again.pid})
        for connection in open_ones:
            connection.close()
        for member in self.listeners():
            log = next(Path(self.folder, "run/logs").glob(f"*-{member.name}-0-1.log")).read_text()
            self.assertIn(log.count("a connection was closed: "), (1, 2), "one line a minute")

    def test_find_the_key_nowhere(self):
        self.members["ps-0"].answer_to(os.urandom(RESPONSE_BYTES))
        self.assertRegex(self.key, rb"^[0-9a-f]{64}$")
        raw = bytes.fromhex(self.key.decode())
        for member in self.members.values():
            for file in ("environ", "cmdline"):
                shown = Path(f"/proc/{member.pid}/{file}").read_bytes()
                self.assertNotIn(self.key, shown, f"{member.name}: {file}")
        os.kill(self.job.pid, signal.SIGTERM)
        printed, _ = self.job.communicate(timeout=60)
        self.assertNotIn(self.key.decode(), printed)
        files = [file for file in Path(self.folder).rglob("*") if file.is_file()]
        self.assertTrue(any(file.suffix == ".log" for file in files))
        for file in files:
            content = file.read_bytes()
            self.assertFalse(self.key in content or raw in content, f"{file} has the key")


if __name__ == "__main__":
    unittest.main()
