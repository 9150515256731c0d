"""Waits for a cluster, prints its progress, and says which part is not ready and where its log is."""

import json
import time
from pathlib import Path
from typing import Callable

from cluster import access, cgroups, programs
from cluster.instance import NODE, Instance
from cluster.parts import parts

UP_SECONDS = 60
RECOVER_SECONDS = 30
LOG_LINES = 20


class NotReady(Exception):
    """The cluster, or a part of it, was not ready in time. The text has the end of its log."""


def wait(instance: Instance, seconds: float, then: dict[str, Callable[[], None]]) -> None:
    """Waits for every part, then for the node and for the names of Services.

    `then` has functions to call as soon as a part is ready, by its name.
    """
    began = time.monotonic()
    known: set[str] = set()
    while len(known) < len(names()):
        status = read_parts_status(instance)
        for name in names():
            if name not in known and status.get(name, {}).get("ready"):
                known.add(name)
                say(began, f"{name} is ready")
                then.get(name, lambda: None)()
        if not cgroups.processes(instance.name):
            raise NotReady(f"the supervisor ended\n{tail(instance.log('supervisor'))}")
        if time.monotonic() - began > seconds:
            first, *others = [name for name in names() if name not in known]
            nor = f", nor are {', '.join(others)}" if others else ""
            raise NotReady(f"{first} is not ready after {seconds} s{nor}\n{tail(instance.log(first))}")
        time.sleep(0.05)
    left = f"--timeout={max(1, seconds - (time.monotonic() - began)):.0f}s"
    kubectl_or_not_ready(instance, "kubelet", "wait", "--for=create", f"node/{NODE}", left)
    kubectl_or_not_ready(instance, "kubelet", "wait", "--for=condition=Ready", f"node/{NODE}", left)
    say(began, f"{NODE} is Ready")
    kubectl_or_not_ready(instance, "kubelet", "rollout", "status", "deployment/coredns", "--namespace=kube-system", left)
    say(began, "names of Services resolve")


def names() -> list[str]:
    return [part.name for part in parts(Instance(0), Path)]


def read_parts_status(instance: Instance) -> dict[str, dict]:
    """The supervisor's last report for each part: whether it is ready, and how often it was started."""
    try:
        return json.loads(instance.status_file.read_text())
    except FileNotFoundError:
        return {}


def print_status(instance: Instance) -> bool:
    """Prints which parts are ready. Returns whether all are."""
    if not cgroups.processes(instance.name):
        print("the cluster is down")
        return False
    status = read_parts_status(instance)
    for name in names():
        ready, starts = (status.get(name, {}).get(key, 0) for key in ("ready", "starts"))
        print(f"{name:26}{'ready' if ready else 'NOT READY':12}started {starts} time(s)   {instance.log(name)}")
    try:
        print(access.kubectl("get", "nodes", instance=instance), end="")
    except RuntimeError as problem:
        print(problem)
        return False
    print(f"to use it: KUBECONFIG={instance.kubeconfig()} {programs.path('kubectl')} get pods --all-namespaces")
    return all(part["ready"] for part in status.values())


def kubectl_or_not_ready(instance: Instance, part: str, *arguments: str) -> None:
    try:
        access.kubectl(*arguments, instance=instance)
    except RuntimeError as problem:
        raise NotReady(f"{problem}\n{tail(instance.log(part))}") from None


def say(began: float, what: str) -> None:
    print(f"{time.monotonic() - began:5.1f} s  {what}", flush=True)


def tail(log: Path) -> str:
    lines = log.read_text(errors="replace").splitlines()[-LOG_LINES:] if log.exists() else []
    return "\n".join([f"the end of {log}:", *lines])
