"""Init of the cluster's namespaces: starts each part when the parts before it are ready, and restarts it when it ends.

    supervisor.py NUMBER    (run by `up`, in new namespaces)

It runs until it is killed, or until a part ends FAILURES_MAX times in a row without having been ready. Everything else in
the namespaces ends with it.
"""

import json
import os
import socket
import ssl
import sys
import time
import urllib.request
from pathlib import Path

sys.path.insert(1, str(Path(__file__).resolve().parent.parent))

from cluster import namespaces, network, programs
from cluster.instance import Instance
from cluster.parts import Part, parts
from cluster.readiness import tail

FAILURES_MAX = 3
PAUSE_SECONDS = 0.05
RESTART_SECONDS = 1
PROBE_SECONDS = 1
# Health checks go over loopback: without a proxy, and without verifying certificates, which some parts sign themselves.
LOOPBACK = urllib.request.build_opener(
    urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=ssl._create_unverified_context()))


class Running:
    """One part and its current state."""

    def __init__(self, part: Part):
        self.part = part
        self.pid = 0        # 0: not running
        self.ready = False
        self.starts = 0
        self.failures = 0   # ends in a row without having been ready
        self.not_before = 0.0

    def start(self, log: Path, environment: dict[str, str]) -> None:
        command = [str(word) for word in self.part.command]
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        self.pid = os.posix_spawn(command[0], command, environment, setsid=True, file_actions=[
            (os.POSIX_SPAWN_OPEN, 1, str(log), flags, 0o644), (os.POSIX_SPAWN_DUP2, 1, 2)])
        self.starts += 1

    def probe(self) -> None:
        if is_ready(self.part.ready):
            self.ready, self.failures = True, 0

    def ended(self) -> None:
        self.failures += not self.ready
        self.pid, self.ready = 0, False
        self.not_before = time.monotonic() + RESTART_SECONDS


def is_ready(address: str) -> bool:
    """Whether a part is ready: the URL answers 200, or the socket accepts a connection."""
    try:
        if address.startswith("/"):
            with socket.socket(socket.AF_UNIX) as client:
                client.settimeout(PROBE_SECONDS)
                client.connect(address)
            return True
        with LOOPBACK.open(address, timeout=PROBE_SECONDS) as answer:
            return answer.status == 200
    except OSError:
        return False


def environment_of(instance: Instance) -> dict[str, str]:
    """The environment of the parts, without variables of the process that started the cluster."""
    temporary = instance.folder / "temporary"
    temporary.mkdir(exist_ok=True)
    return {"PATH": programs.SYSTEM_PATH, "HOME": str(instance.folder), "TMPDIR": str(temporary)}


def reap(all_parts: dict[str, Running]) -> None:
    """Collects processes that have ended: parts, and orphans, whose parent is init."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        for running in all_parts.values():
            if running.pid == pid:
                print(f"{running.part.name} ended: {os.waitstatus_to_exitcode(status)}", flush=True)
                running.ended()


def write_status(instance: Instance, all_parts: dict[str, Running]) -> None:
    status = {name: {"ready": running.ready, "starts": running.starts} for name, running in all_parts.items()}
    partial = instance.status_file.with_suffix(".partial")
    partial.write_text(json.dumps(status))
    partial.rename(instance.status_file)


def supervise(instance: Instance) -> None:
    all_parts = {part.name: Running(part) for part in parts(instance, programs.path)}
    environment = environment_of(instance)
    while True:
        reap(all_parts)
        for name, running in all_parts.items():
            if running.failures >= FAILURES_MAX:
                sys.exit(f"{name} ended {FAILURES_MAX} times without becoming ready; {tail(instance.log(name))}")
            if running.pid and not running.ready:
                running.probe()
            elif not running.pid and time.monotonic() >= running.not_before:
                if all(all_parts[earlier].ready for earlier in running.part.after):
                    running.start(instance.log(name), environment)
        write_status(instance, all_parts)
        time.sleep(PAUSE_SECONDS)


if __name__ == "__main__":
    this = Instance(int(sys.argv[1]))
    namespaces.make_mounts_private(this)
    network.configure(this)
    supervise(this)
