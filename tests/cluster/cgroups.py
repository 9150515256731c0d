"""The cluster's own cgroup. Its processes are found through it, so there is no list of process ids to lose.

The group is at the top of every hierarchy (v1, also in systemd's hybrid layout) or of the single tree (v2).
In the cluster's namespaces it is the root, so kubelet and runc see a machine of their own.
"""

import contextlib
import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path("/sys/fs/cgroup")
END_SECONDS = 30
PIDFDS_MAX = 256  # one open file for each process
GENERAL_MOUNT_OPTIONS = {"rw", "ro", "nosuid", "nodev", "noexec", "relatime", "xattr", "clone_children",
                         "release_agent"}


class Hierarchy(NamedTuple):
    mount: Path
    kind: str     # cgroup (v1) or cgroup2
    options: str  # v1: the controllers that it is mounted with


def hierarchies(mounts: str) -> list[Hierarchy]:
    """The hierarchies of v1 if there are any, otherwise the tree of v2. `mounts` is the text of /proc/mounts."""
    found = []
    for _, mount, kind, options, *_ in (line.split() for line in mounts.splitlines()):
        if kind in ("cgroup", "cgroup2") and Path(mount).is_relative_to(ROOT):
            own = [option for option in options.split(",") if option.split("=")[0] not in GENERAL_MOUNT_OPTIONS]
            if all(option.startswith("name=") for option in own):
                own.insert(0, "none")
            found.append(Hierarchy(Path(mount), kind, ",".join(own)))
    return [h for h in found if h.kind == "cgroup"] or found


def of_this_machine() -> list[Hierarchy]:
    return hierarchies(Path("/proc/mounts").read_text())


def create(name: str) -> None:
    for hierarchy in of_this_machine():
        group = hierarchy.mount / name
        if hierarchy.kind == "cgroup2":
            enable_controllers(hierarchy.mount)
        group.mkdir(exist_ok=True)
        # A new cpuset is empty, and an empty one accepts no process.
        for setting in ("cpuset.cpus", "cpuset.mems"):
            if hierarchy.kind == "cgroup" and (group / setting).exists():
                (group / setting).write_text((hierarchy.mount / setting).read_text())


def join(name: str) -> None:
    """Moves the calling process into the group."""
    for hierarchy in of_this_machine():
        (hierarchy.mount / name / "cgroup.procs").write_text("0")


def mount_as_root(before: list[Hierarchy]) -> None:
    """Mounts the host's hierarchies, `before`, in new namespaces, with the calling process's group as the root."""
    if before[0].kind == "cgroup2":
        subprocess.run(["mount", "-t", "cgroup2", "cgroup2", ROOT], check=True)
        # In v2 only a group without own processes can pass controllers down.
        leaf = ROOT / "supervisor"
        leaf.mkdir()
        (leaf / "cgroup.procs").write_text("0")
        enable_controllers(ROOT)
        return
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", ROOT], check=True)
    for hierarchy in before:
        hierarchy.mount.mkdir()
        subprocess.run(["mount", "-t", "cgroup", "-o", hierarchy.options, "cgroup", hierarchy.mount], check=True)
        for controller in hierarchy.mount.name.split(","):
            if controller != hierarchy.mount.name:
                (ROOT / controller).symlink_to(hierarchy.mount.name)


def enable_controllers(group: Path) -> None:
    for controller in (group / "cgroup.controllers").read_text().split():
        try:
            (group / "cgroup.subtree_control").write_text(f"+{controller}")
        except OSError as problem:
            if problem.errno != errno.EBUSY:
                raise
            # This rule does not hold for a machine's root group, but it does for the top group of a container.
            sys.exit(f"{group} contains processes, so cgroup v2 passes no controllers down from it; create the group "
                     f"{group / 'init'} and move the processes in {group / 'cgroup.procs'} there first")


def processes(name: str) -> set[int]:
    """The host's ids of all processes of the cluster, including those in pods."""
    found = set()
    for hierarchy in of_this_machine():
        for folder, _, _ in os.walk(hierarchy.mount / name):
            with contextlib.suppress(OSError):  # a group may disappear meanwhile
                found.update(map(int, Path(folder, "cgroup.procs").read_text().split()))
    return found


def end_processes(name: str) -> None:
    """Ends all processes. When init ends, the kernel first ends the others in its namespace."""
    deadline = time.monotonic() + END_SECONDS
    while left := processes(name):
        _kill(sorted(left)[:PIDFDS_MAX], name)
        if time.monotonic() > deadline:
            raise TimeoutError(f"processes {sorted(left)} of {name} outlived SIGKILL by {END_SECONDS} s")
        time.sleep(0.02)


def _kill(pids: list[int], name: str) -> None:
    """Opens each process and then kills it if it still belongs to the cluster: an id alone may have been reused."""
    handles = {}
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            handles[pid] = os.pidfd_open(pid)
    members = processes(name)
    for pid, handle in handles.items():
        if pid in members:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(handle, signal.SIGKILL)
        os.close(handle)


def remove(name: str) -> None:
    """Removes the empty groups. The kernel may keep one for a moment after its last process."""
    deadline = time.monotonic() + END_SECONDS
    while left := [h.mount / name for h in of_this_machine() if (h.mount / name).exists()]:
        for group in left:
            for folder, _, _ in os.walk(group, topdown=False):
                with contextlib.suppress(OSError):
                    os.rmdir(folder)
        if time.monotonic() > deadline:
            raise TimeoutError(f"cgroups {', '.join(map(str, left))} cannot be removed")
        time.sleep(0.02)
