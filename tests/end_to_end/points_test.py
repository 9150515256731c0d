"""Every member that passes a named point of the protocol (trainer/points.h) is killed before and after it, in real
processes: the job still ends, and every committed checkpoint is exact.

    points_test.py        each point once, in the consistency that passes it
    points_test.py all    each point in Sync and Async
    points_test.py gs     each point once, with checkpoints in a bucket that fails now and then

The points come from the code, so a new one is tried without a change here, or fails until it is listed. A kill counts only
if it happens within a commit or while there is work that is not committed; otherwise it is tried again.
"""

import contextlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import job
import tally
from checkpoints import Checkpoints, InBucket, InFiles
from support import machine, object_store

RECORDS, BATCH, EVERY_STEPS = 10_000, 128, 40  # three blocks of parameters
EPOCHS = 6
AT_ONCE = 2  # jobs
TRIES = 4

BUCKET = "bucket"
FAULTS = {"seed": 3, "rules": [
    {"slow": {"first_byte_ms": 2}},
    {"share": 0.02, "answer": {"status": 503}},
    {"share": 0.02, "lose_reply": {}},
    {"method": "GET", "share": 0.02, "cut": {"after_bytes": 100}},
]}

# Which roles send a kind of frame. Parameter servers send `refused`, too, but only to a worker that means another server at
# the same address, which does not happen here. The protocol's simulation covers it.
SENDERS = {
    "hello": ["ps", "worker"], "refused": ["coordinator"], "load": ["coordinator"], "loaded": ["ps"],
    "assignment": ["coordinator"], "grant": ["coordinator"], "finished": ["worker"], "cut": ["coordinator"],
    "saved": ["ps"], "want": ["worker"], "parameters": ["ps"], "push": ["worker"], "applied": ["ps"],
    "alive": ["ps", "worker"], "end": ["coordinator"], "leaving": ["worker"], "limit": ["coordinator"],
    "snapshotted": ["ps"], "norm": ["ps"], "norm_total": ["coordinator"],
}
ONLY_ASYNC = {"coordinator.grant", "coordinator.finished", "coordinator.snapshotted", "ps.apply_batch", "worker.granted",
              "worker.applied", "worker.finished", "send.grant", "send.finished", "send.snapshotted"}
ONLY_SYNC = {"coordinator.applied", "ps.want", "ps.add_part", "ps.advance", "ps.raise_limit", "send.limit"}

# What has to happen first, so that a job that is under way passes a point again.
AFTER_A_WORKER_DIED = {"coordinator.admit", "coordinator.remove_member", "coordinator.assign", "ps.admit", "ps.closed",
                       "send.assignment", "send.want"}
AFTER_A_SERVER_DIED = {"coordinator.load_last_commit", "coordinator.loaded", "coordinator.start_training", "ps.load", "ps.loaded",
                       "worker.assigned", "worker.connected", "worker.closed", "send.load", "send.loaded"}
AFTER_THE_COORDINATOR_DIED = {"folder.claim", "ps.coordinator_is", "worker.coordinator_is", "send.hello"}
AFTER_A_WORKER_WAS_STOPPED = {"send.refused"}  # once another has taken its place
AFTER_WORKERS_WERE_ASKED_TO_LEAVE = {"worker.leave", "send.leaving", "coordinator.leaving", "coordinator.enter_idle",
                                    "coordinator.leave_idle"}
AFTER_A_SECOND = {"send.alive"}
EPOCHS_IF_LATE = 60
LATE = (AFTER_A_WORKER_DIED | AFTER_A_SERVER_DIED | AFTER_THE_COORDINATOR_DIED | AFTER_A_WORKER_WAS_STOPPED
        | AFTER_WORKERS_WERE_ASKED_TO_LEAVE | AFTER_A_SECOND)

# Passed only by jobs that remove old checkpoints, so only what is left is read in the end.
AFTER_A_COMMIT_WAS_REPLACED = {"folder.remove"}

# Needs a worker that dies between its pushes to two servers while a cut is taken. No test can cause that reliably; the
# protocol's simulation covers it.
BY_CHANCE = {"coordinator.adopt_snapshots"}

# Passed only by a worker for which others wait for a minute. The protocol's simulation covers it.
ONLY_IF_HUNG = {"worker.refused"}

# Passed only by jobs that start before their data is indexed: unindexed_test.py kills at these.
ONLY_IN_A_FIRST_PASS = {"worker.read_first_pass", "worker.ended", "coordinator.total_known"}

# Passed only by jobs that clip gradients by norm, which a tally cannot: deterministic_test.py kills at these.
ONLY_IF_CLIPPED = {"ps.report_norm", "ps.norm_total", "coordinator.add_norm", "send.norm", "send.norm_total"}

# Passed only by jobs that evaluate their checkpoints, which a tally cannot: evaluation_test.py kills at these.
ONLY_IF_EVALUATED = {"folder.write_best", "coordinator.stop_early"}

# Passed only by jobs that standardize features, before their first step: standardize_test.py kills at these.
ONLY_IF_STANDARDIZED = {"folder.write_statistics"}

# Passed only where a job takes the checkpoint folder over from another one: taken_test.py kills at these.
ONLY_IF_TAKEN_OVER = {"folder.take_over", "folder.request_answer", "folder.answer_request", "folder.withdraw_request",
                      "folder.remove_best"}

# Everything is committed when these are passed.
NOTHING_LEFT_TO_LOSE = {"coordinator.end", "send.end", "history.write"}

# Passed between the change of HEAD and the next grant, so within a commit although HEAD no longer shows it. In Async,
# nothing is granted during a cut, so there is no other work to lose then.
WITHIN_A_COMMIT_IN_ASYNC = {"folder.commit", "coordinator.committed"}


class Strike(NamedTuple):
    point: job.Point
    consistency: str

    def __str__(self) -> str:
        return f"{self.point.role} at {self.point.name} in {self.consistency}"

    def base(self) -> str:
        return self.point.name.rpartition(".")[0]


def point_names() -> list[str]:
    listing = [sys.executable, machine.REPOSITORY / "tests" / "tidy" / "points.py", "--list"]
    return subprocess.check_output(listing, text=True).split()


def roles_at(name: str) -> list[str]:
    part, _, event = name.partition(".")
    if part == "send":
        return SENDERS[event]
    if part == "history":
        return ["coordinator"]
    if part == "folder":
        return ["ps"] if event == "save_shard" else ["coordinator"]
    return [part]


def strikes(all_of_them: bool) -> list[Strike]:
    found = []
    for name in point_names():
        if name in (BY_CHANCE | ONLY_IN_A_FIRST_PASS | ONLY_IF_CLIPPED | ONLY_IF_EVALUATED | ONLY_IF_STANDARDIZED
                    | ONLY_IF_TAKEN_OVER | ONLY_IF_HUNG):
            continue
        if name in ONLY_ASYNC:
            consistencies = ["Async"]
        elif name in ONLY_SYNC or not all_of_them:
            consistencies = ["Sync"]
        else:
            consistencies = ["Sync", "Async"]
        found += [Strike(job.Point(f"{name}.{side}", role), consistency)
                  for side in ("before", "after") for role in roles_at(name) for consistency in consistencies]
    return found


def provoke(run: job.Run, strike: Strike) -> bool:
    """Makes the job pass the point, if it does not do so by itself. False if there is nothing to do."""
    name = strike.base()
    if name in AFTER_A_WORKER_DIED:
        run.kill("worker", 1)
    elif name in AFTER_A_SERVER_DIED:
        # In Async only the replacement loads.
        run.kill("ps", 0 if strike.consistency == "Async" and strike.point.role == "ps" else 1)
    elif name in AFTER_THE_COORDINATOR_DIED:
        run.kill("coordinator")
    elif name in AFTER_A_WORKER_WAS_STOPPED:
        os.kill(run.running("worker", 1)[-1].pid, signal.SIGSTOP)
    elif name in AFTER_WORKERS_WERE_ASKED_TO_LEAVE:
        for worker in run.running("worker"):
            os.kill(worker.pid, signal.SIGTERM)
    else:
        return False
    return True


class Outcome(NamedTuple):
    """What there was to lose at the kill, or before what provoked it."""
    struck: bool = False
    within_a_commit: bool = False
    steps_uncommitted: int = 0

    def counts(self) -> bool:
        return self.struck and (self.within_a_commit or self.steps_uncommitted > 0)


class Injection:
    """Runs all strikes of a test, in one folder or one bucket."""

    def __init__(self, folder: Path, server: str | None = None, proxy: str | None = None):
        self.folder, self.server = folder, server
        self.environment = {"STORAGE_EMULATOR_HOST": proxy} if proxy else {}
        self.data = folder / "data"
        tally.write_records(self.data, RECORDS)
        self.jobs: dict[Path, tally.Tally] = {}

    def strike_until_it_counts(self, numbered: tuple[int, Strike]) -> str:
        """The error, or nothing."""
        number, strike = numbered
        for attempt in range(TRIES):
            name = f"{number}-{attempt}"
            job_folder = self.folder / name
            checkpoints = InFiles(job_folder / "checkpoints")
            if self.server:
                checkpoints = InBucket(self.server, BUCKET, name, job_folder / "checkpoints")
            outcome = self.strike_once(strike, job_folder, checkpoints)
            print(f"{strike}: {outcome}", flush=True)
            if outcome.counts() or (outcome.struck and strike.base() in NOTHING_LEFT_TO_LOSE):
                return ""
        return f"{strike}: no kill counted in {TRIES} jobs"

    def strike_once(self, strike: Strike, job_folder: Path, checkpoints: Checkpoints) -> Outcome:
        epochs = EPOCHS_IF_LATE if strike.base() in LATE else EPOCHS
        if self.server:
            epochs *= 10  # In a bucket there is at most one commit a second.
        spec = tally.Tally(str(self.data), checkpoints.url, RECORDS, epochs, BATCH, EVERY_STEPS, consistency=strike.consistency)
        if strike.base() in AFTER_A_COMMIT_WAS_REPLACED:
            spec = spec._replace(keep="keepLast: 1")

        def outcome_now() -> Outcome:
            within = checkpoints.is_within_a_commit() or (
                strike.consistency == "Async" and strike.base() in WITHIN_A_COMMIT_IN_ASYNC)
            return Outcome(True, within, run.step() - checkpoints.committed_step())

        with job.Run(job_folder, spec.manifest(), strike.point, self.environment) as run:
            run.expect(lambda: run.has_work_to_lose(checkpoints), 60, f"the job gets under way ({strike})")
            run.arm()
            outcome_before = outcome_now()
            is_provoked = provoke(run, strike)

            def stopped() -> list[job.Start]:
                run.step()
                return [start for start in run.starts(strike.point.role, strike.point.index) if job.state_of(start) == "T"]

            run.until(lambda: bool(stopped()), 60)
            outcome = Outcome()
            for victim in stopped():
                outcome = outcome_now()
                if is_provoked and not outcome.counts():
                    outcome = outcome_before
                run.disarm()
                os.kill(victim.pid, signal.SIGKILL)
            run.finish(timeout=300)
        self.jobs[checkpoints.local()] = spec
        return outcome


class Points(unittest.TestCase):
    def test_every_job_holds_whoever_is_killed_where(self):
        with contextlib.ExitStack() as temporary:
            folder = Path(temporary.enter_context(tempfile.TemporaryDirectory()))
            server = proxy = None
            if "gs" in ARGUMENTS:
                server = temporary.enter_context(object_store.fake_gcs(BUCKET))
                failing = temporary.enter_context(object_store.fault_proxy(server))
                failing.set(FAULTS)
                proxy = failing.url
            injection = Injection(folder, server, proxy)
            cases = [one for one in strikes("all" in ARGUMENTS) if ONLY in str(one)]
            random.shuffle(cases)
            with ThreadPoolExecutor(AT_ONCE) as pool:
                wrong = [problem for problem in pool.map(injection.strike_until_it_counts, enumerate(cases)) if problem]
            print(f"{len(cases)} kills at {len(point_names())} points, {len(injection.jobs)} jobs", flush=True)
            self.assertEqual(wrong + tally.problems(injection.jobs), [])


ARGUMENTS = sys.argv[1:]
ONLY = os.environ.get("CARRACK_POINT", "")  # run only the strikes whose text contains this

if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
