"""Starts the processes of a job as a cluster would, by docs/formats/launch.md: coordinator and parameter servers of Carrack, and a
program of the test as workers. A process that ends before the job does is started again, as a further incarnation."""

import os
import signal
import socket
import subprocess
import time
from pathlib import Path
from typing import Callable, NamedTuple

TRAINER = Path(os.environ["CARRACK_BUILD"]) / "bin" / "carrack-trainer"
SUCCEEDED, DRAINED = 0, 80

CONFIG = """carrack-launch {version}
strategy ParameterServer
replicas.ps {servers} {servers}
replicas.worker 1 {workers}
model.kind Own
{tensors}{files}data.stage {stage}
data.onDamage stop
{features}training.batch {batch}
training.lanes 8
training.epochs {epochs}
optimizer.kind SGD
optimizer.learningRate {learning_rate}
optimizer.momentum {momentum}
optimizer.nesterov false
training.seed 0
training.consistency {consistency}
training.reduction {reduction}
training.deterministic false
training.schedule Constant
training.schedule.steps 0
training.schedule.final 0
training.schedule.warmupSteps 0
training.clip.value -
training.clip.norm {clip_norm}
training.patience -
training.maxStaleness -
training.initialWeights.from {initial_weights}
{patterns}checkpoint.folder {checkpoints}
checkpoint.everySeconds 300
checkpoint.everySteps {every_steps}
checkpoint.keepLast 1000000
checkpoint.keepEverySteps -
checkpoint.resume {resume}
checkpoint.onTaken Fail
{security}"""


class Spec(NamedTuple):
    """Of a job with a model of kind Own. A tensor is its initial kind and scale, whether it is trained, its shape and its name, and
    a feature its type, its size or shape and its name, both as lines of the launch file."""
    tensors: list[str]
    features: list[str]
    files: list[Path]
    checkpoints: Path
    batch: int
    epochs: int
    learning_rate: float
    every_steps: int = 1_000_000
    momentum: float = 0
    reduction: str = "Mean"
    consistency: str = "Sync"
    clip_norm: str = "-"
    initial_weights: str = ""
    resume: str = ""
    stage: str = "shuffle Full 0 16"
    servers: int = 2
    workers: int = 2
    encrypts: bool = False

    def config(self) -> str:
        fields = self._asdict() | {
            "tensors": "".join(f"model.tensor {tensor}\n" for tensor in self.tensors),
            "features": "".join(f"data.feature {feature}\n" for feature in self.features),
            "files": "".join(f"data.file {file}\n" for file in self.files),
            "version": 12 if self.encrypts else 11, "security": "security.tls true\n" if self.encrypts else "",
            "patterns": "training.initialWeights.tensor *\n" if self.initial_weights else ""}
        return CONFIG.format(**fields)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Member:
    def __init__(self, role: str, index: int):
        self.role, self.index, self.incarnation = role, index, 0
        self.process: subprocess.Popen | None = None

    def name(self) -> str:
        return f"{self.role}-{self.index}"


class Launched:
    """One job, whose processes run in this context. `worker` is the command of the workers. The coordinator listens at the address
    from which `through` makes the one at which the others reach it."""

    def __init__(self, folder: Path, spec: Spec, worker: list[str | Path], environment: dict[str, str] | None = None,
                 through: Callable[[str], str] = str):
        self.folder, self.spec, self.worker = folder, spec, worker
        self._environment = os.environ | (environment or {})
        (folder / "key").write_bytes(os.urandom(32))
        (folder / "config").write_text(spec.config())
        self._listen = f"127.0.0.1:{free_port()}"
        self._address = through(self._listen)
        self.members = [Member("coordinator", 0)]
        self.members += [Member("ps", index) for index in range(spec.servers)]
        self.members += [Member("worker", index) for index in range(spec.workers)]

    def __enter__(self) -> "Launched":
        for member in self.members:
            self.start(member)
        return self

    def __exit__(self, *_) -> None:
        for member in self.members:
            member.process.kill()
            member.process.wait()

    def member(self, role: str, index: int = 0) -> Member:
        return next(one for one in self.members if (one.role, one.index) == (role, index))

    def start(self, member: Member) -> None:
        member.incarnation += 1
        environment = self._environment | {
            "CARRACK_CONFIG": f"{self.folder}/config", "CARRACK_JOB": "job", "CARRACK_JOB_UID": "uid", "CARRACK_ROLE": member.role,
            "CARRACK_INDEX": str(member.index), "CARRACK_ATTEMPT": "0", "CARRACK_INCARNATION": str(member.incarnation),
            "CARRACK_COORDINATOR": self._address, "CARRACK_KEYS": str(self.folder), "CARRACK_PROGRESS": "", "CARRACK_FINAL_REPORT": "",
            "CARRACK_LISTEN": self._listen if member.role == "coordinator" else "127.0.0.1:0"}
        command = self.worker if member.role == "worker" else [TRAINER]
        with open(self.folder / f"{member.name()}.log", "a") as log:
            member.process = subprocess.Popen(command, env=environment, stdout=log, stderr=log, cwd=self.folder)

    def log(self, member: Member) -> str:
        return (self.folder / f"{member.name()}.log").read_text()

    def logs(self) -> str:
        return "".join(f"--- {member.name()}\n{self.log(member)[-4000:]}" for member in self.members)

    def ended(self, *roles: str) -> bool:
        """Whether all of these roles have ended with success."""
        return all(member.process.poll() == SUCCEEDED for member in self.members if member.role in roles)

    def failed(self) -> list[str]:
        """The members that have ended by themselves, neither with success nor on request."""
        return [member.name() for member in self.members if (code := member.process.poll() or 0) > 0 and code != DRAINED]

    def start_again(self) -> None:
        """Those that were killed."""
        for member in self.members:
            if (member.process.poll() or 0) < 0:
                self.start(member)

    def expect(self, happens: Callable[[], bool], seconds: float, what: str) -> None:
        """Waits until it happens, and meanwhile starts members again that were killed. Raises if the time is over first, or a process fails."""
        deadline = time.monotonic() + seconds
        while not happens():
            failed = self.failed()
            if failed or time.monotonic() > deadline:
                raise AssertionError(f"waiting until {what}: {', '.join(failed) or 'the time'} ended\n{self.logs()}")
            self.start_again()
            time.sleep(0.01)

    def finish(self, seconds: float = 240) -> None:
        """Waits until the job is done. A worker that was too late to join it waits for a coordinator for ever, as a cluster would
        remove it now."""
        self.expect(lambda: self.ended("coordinator", "ps"), seconds, "coordinator and servers have ended")
        late = time.monotonic() + 5
        while not self.ended("worker") and time.monotonic() < late:
            time.sleep(0.01)
        if failed := self.failed():
            raise AssertionError(f"{', '.join(failed)} failed\n{self.logs()}")

    def kill(self, role: str, index: int = 0) -> None:
        os.kill(self.member(role, index).process.pid, signal.SIGKILL)
