"""Starts the supervisor as init of its own process, mount, network and cgroup namespaces.

When that process ends, for whatever reason, the kernel removes every process, mount, interface and packet filter rule in
them. So nothing has to be recorded in order to be undone.
"""

import ctypes
import os
import subprocess
import sys
from pathlib import Path

from cluster import cgroups
from cluster.instance import Instance

CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWPID, CLONE_NEWNET = 0x00020000, 0x02000000, 0x20000000, 0x40000000

# The kubelet sets these for the whole machine. In the cluster they are copies.
MACHINE_WIDE_SETTINGS = [
    "vm/overcommit_memory", "vm/panic_on_oom", "kernel/panic", "kernel/panic_on_oops", "kernel/keys/root_maxkeys",
    "kernel/keys/root_maxbytes"]


def start_init(instance: Instance, command: list[str], log: Path) -> int:
    """Runs `command` as init of new namespaces; returns its process id on the host."""
    cgroups.create(instance.name)
    reader, writer = os.pipe()
    starter = os.fork()
    if starter == 0:
        _become_starter(instance, command, log, writer)
    os.close(writer)
    os.waitpid(starter, 0)
    with os.fdopen(reader) as answer:
        text = answer.read()
    if not text:
        raise RuntimeError(f"the kernel refused the namespaces: {log.read_text()}")
    return int(text)


def _become_starter(instance: Instance, command: list[str], log: Path, writer: int) -> None:
    """In a forked process: enters the namespaces, forks init, writes its id into the pipe, and ends."""
    try:
        output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.setsid()
        cgroups.join(instance.name)
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.unshare(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWPID | CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), "unshare")
        init = os.fork()
        if init == 0:
            os.execv(command[0], command)
        os.write(writer, str(init).encode())
    except Exception as problem:  # The frames above this one must not run twice.
        print(problem, file=sys.stderr, flush=True)
    finally:
        os._exit(0)


def make_mounts_private(instance: Instance) -> None:
    """In init: makes its own mounts. Of the folders that parts write to, only the instance's is shared with the host."""
    groups = cgroups.of_this_machine()
    _mount("--make-rprivate", "/")
    _mount("-t", "proc", "proc", "/proc")
    _mount("-t", "sysfs", "sysfs", "/sys")
    cgroups.mount_as_root(groups)
    _mount("-t", "tmpfs", "tmpfs", "/run")
    _keep_writes_below("/var", instance.folder)
    for setting in MACHINE_WIDE_SETTINGS:
        copy = Path("/run/settings", setting)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(Path("/proc/sys", setting).read_text())
        _mount("--bind", copy, Path("/proc/sys", setting))


def _keep_writes_below(root: str, shared: Path) -> None:
    """Sends writes below `root`, where kubelet and CNI have hard-coded folders, to memory, but not those below `shared`."""
    held, upper, work = (Path("/run/overlay", name) for name in ("shared", "upper", "work"))
    for folder in (held, upper, work):
        folder.mkdir(parents=True)
    _mount("--bind", shared, held)
    _mount("-t", "overlay", "-o", f"lowerdir={root},upperdir={upper},workdir={work}", "overlay", root)
    _mount("--move", held, shared)


def _mount(*arguments: str | Path) -> None:
    subprocess.run(["mount", *arguments], check=True)
