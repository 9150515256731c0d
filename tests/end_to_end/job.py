"""Runs a TrainingJob with `carrack run`, as a user would. A test can observe its processes and its progress, and stop and
kill them, also at a named point (trainer/points.h)."""

import json
import os
import signal
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Callable, NamedTuple

from checkpoints import Checkpoints

BIN = Path(os.environ["CARRACK_BUILD"]) / "bin"
POLL_SECONDS = 0.005
_loopback = urllib.request.build_opener(urllib.request.ProxyHandler({}))

# The lines of a manifest's spec about its members.
SINGLE = "strategy: Single"

# The option of `carrack run` with which the processes of the job find out what a look at the data would have found.
WITHOUT_LOOK = ["--no-data"]


def parameter_server(ps: int, workers: int, requests: str = "{}", of_worker: str = "") -> str:
    """`of_worker` is what the resources of workers have besides."""
    ps = f"{{count: {ps}, resources: {{requests: {requests}}}}}"
    workers = f"{{count: {workers}, resources: {{requests: {requests}{of_worker and ', ' + of_worker}}}}}"
    return f"strategy: ParameterServer\n  replicas: {{ps: {ps}, worker: {workers}}}"


class Start(NamedTuple):
    """One process start of a member."""
    pid: int
    role: str
    index: int
    incarnation: int
    progress: str  # the address of its /progress; empty if it has none


class Point(NamedTuple):
    """What happens to a member when it first passes this point after Run.arm(): PointAction of trainer/points.h."""
    name: str
    role: str
    index: int = 0
    action: str = "stop"
    variable: str = ""  # NAME=VALUE, which this member has in its environment


# Takes the place of the trainer's program: records every start, and arms the starts of one member.
TRAINER = """#!/bin/sh
echo $$ $CARRACK_ROLE $CARRACK_INDEX $CARRACK_INCARNATION $CARRACK_PROGRESS >> '{folder}/starts'
if [ "$CARRACK_ROLE-$CARRACK_INDEX" = '{member}' ]; then export CARRACK_TEST_POINT='{point}:1:{action}:{folder}/armed' {variable}; fi
exec '{trainer}'
"""


class Run:
    """One `carrack run`. Another one in the same folder continues the job, or is refused."""

    def __init__(self, folder: Path, manifest: str, point: Point | None = None, environment: dict[str, str] | None = None,
                 options: list[str] | None = None, trainer: str = "carrack-trainer"):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._starts = folder / "starts"
        self._starts.touch()
        name, role, index, action, variable = point or Point("", "", 0, "")
        member = f"{role}-{index}"
        program = folder / "trainer"
        program.write_text(TRAINER.format(folder=folder, member=member, point=name, action=action, variable=variable, trainer=BIN / trainer))
        program.chmod(0o755)
        (folder / "job.yaml").write_text(manifest)
        self.arguments = [f"{folder}/job.yaml", "--folder", f"{folder}/run", "--trainer", f"{program}", *(options or [])]
        self.process = subprocess.Popen([BIN / "carrack", "run", *self.arguments], stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True, env=os.environ | (environment or {}))
        self._last_step = 0

    def __enter__(self) -> "Run":
        return self

    def __exit__(self, *_) -> None:
        self.kill_all()

    def kill_all(self) -> str:
        """Kills `carrack run`, and its members with it. Returns its output."""
        self.process.kill()
        return self.process.communicate(timeout=10)[0]

    def ended(self) -> bool:
        return self.process.poll() is not None

    def finish(self, exit_code: int = 0, timeout: float = 120) -> str:
        """Waits for the end and returns the output. Raises unless the exit code is the expected one."""
        printed, _ = self.process.communicate(timeout=timeout)
        if self.process.returncode != exit_code:
            raise AssertionError(f"{self.folder}: carrack run ended with {self.process.returncode}\n{printed}{self.logs()}")
        return printed

    def logs(self) -> str:
        return "".join(f"--- {log.name}\n{log.read_text()}" for log in sorted((self.folder / "run/logs").glob("*")))

    def starts(self, role: str | None = None, index: int | None = None) -> list[Start]:
        """All starts so far, in order, or those of one role or member."""
        all_starts = []
        for line in self._starts.read_text().splitlines():
            pid, start_role, start_index, incarnation, *progress = line.split(" ")
            all_starts.append(Start(int(pid), start_role, int(start_index), int(incarnation), "".join(progress)))
        return [start for start in all_starts if role in (None, start.role) and index in (None, start.index)]

    def running(self, role: str | None = None, index: int | None = None) -> list[Start]:
        """The starts whose processes run, without those that are stopped or have ended."""
        return [start for start in self.starts(role, index) if state_of(start) in ("R", "S", "D")]

    def until(self, happened: Callable[[], bool], seconds: float) -> bool:
        """Waits until it happens. False if the job ends or the time is over first."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and not self.ended():
            if happened():
                return True
            time.sleep(POLL_SECONDS)
        return happened()

    def expect(self, happens: Callable[[], bool], seconds: float, what: str) -> None:
        """Waits until it happens. Raises if the job ends or the time is over first."""
        if not self.until(happens, seconds):
            raise AssertionError(f"{self.folder}: timed out waiting until {what}\n{self.kill_all()}{self.logs()}")

    def kill(self, role: str, index: int = 0) -> None:
        """Kills the member's running process with SIGKILL, if there is one."""
        for start in self.running(role, index)[-1:]:
            os.kill(start.pid, signal.SIGKILL)

    def kill_in_turn(self, roles: list[str], checkpoints: Checkpoints) -> None:
        """Kills the first member of each role in turn, each when there is new work to lose since the last kill."""
        before = 0
        for role in roles:
            self.expect(lambda: self.has_work_to_lose(checkpoints, before), 60, f"killing the {role} loses work")
            self.kill(role)
            before = checkpoints.committed_step()

    def has_work_to_lose(self, checkpoints: Checkpoints, after: int = 0) -> bool:
        """Whether there is a commit after step `after`, and work beyond it that is not committed."""
        return self.step() > checkpoints.committed_step() > after

    def arm(self) -> None:
        (self.folder / "armed").touch()

    def disarm(self) -> None:
        (self.folder / "armed").unlink()

    def progress(self) -> dict:
        """What the coordinator reports; empty while it is starting, stopped or gone."""
        for coordinator in [start for start in self.starts() if start.progress][-1:]:
            try:
                with _loopback.open(f"http://{coordinator.progress}/progress", timeout=0.1) as reply:
                    return json.loads(reply.read())
            except (urllib.error.URLError, OSError, ValueError):
                pass
        return {}

    def step(self) -> int:
        """The step that the job last reported."""
        self._last_step = self.progress().get("step", self._last_step)
        return self._last_step


def state_of(start: Start) -> str:
    """The process state as one letter of proc(5); empty if the process is gone."""
    try:
        stat = Path(f"/proc/{start.pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""
    return stat.rpartition(")")[2].split()[0]
