"""A cluster of fake nodes for `bench operator`, and one measurement on it: many jobs at once, until all their pods run."""

import json
import subprocess
import threading
import time
import uuid
from collections import Counter, defaultdict
from contextlib import contextmanager
from pathlib import Path
from typing import Callable, Iterator

from bench.operators import Operator, cpu_seconds
from cluster import access, cgroups, fake_nodes, lifecycle
from cluster.instance import NODE, Instance
from support import machine

CLUSTER = Instance(6)  # Beside the developer's.
NODES = 20
JOBS, PODS = 200, 4  # PODS of each job.
RUNNING_SECONDS = 600
GONE_SECONDS = 400
SETTLED_SECONDS = 300


@contextmanager
def cluster() -> Iterator[None]:
    """Every pod goes to a fake node, without having to tolerate it."""
    lifecycle.up(CLUSTER, for_tests=False)
    try:
        fake_nodes.set_number(NODES, CLUSTER)
        taint = f"{fake_nodes.TAINT['key']}:{fake_nodes.TAINT['effect']}-"
        access.kubectl("taint", "nodes", "--selector", fake_nodes.SELECTOR, taint, instance=CLUSTER)
        access.kubectl("cordon", NODE, instance=CLUSTER)
        yield
    finally:
        lifecycle.down(CLUSTER, for_tests=False)


@contextmanager
def namespace() -> Iterator[str]:
    """A fresh one; at its end nothing is left of what was in it."""
    name = f"bench-{uuid.uuid4().hex[:6]}"
    access.kubectl("create", "namespace", name, instance=CLUSTER)
    try:
        access.kubectl("wait", "--for=create", "serviceaccount/default", "-n", name, "--timeout=30s", instance=CLUSTER)
        yield name
    finally:
        access.kubectl("delete", "namespace", name, "--wait=false", instance=CLUSTER)
        get = ("get", "namespace", name, "--ignore-not-found", "-o", "name")
        access.eventually(f"namespace {name} is gone", GONE_SECONDS,
                          lambda: not access.kubectl(*get, instance=CLUSTER).strip())


def cpu_of_parts() -> Counter[str]:
    """CPU seconds that each of the cluster's programs has used so far."""
    used: Counter[str] = Counter()
    for process in cgroups.processes(CLUSTER.name):
        used[Path(f"/proc/{process}/comm").read_text().strip()] += cpu_seconds(process)
    return used


def seconds_until_all_run(namespace: str, begin: Callable[[], object]) -> float:
    """From the beginning of `begin`, which has pods created, to when the last of them is seen Running."""
    command = [str(machine.program("kubectl")), f"--kubeconfig={CLUSTER.kubeconfig()}",
               f"--cache-dir={CLUSTER.folder / 'kubectl'}", "get", "pods", "-n", namespace, "--watch", "-o", "name",
               "--field-selector=status.phase=Running"]
    watch = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    too_long = threading.Timer(RUNNING_SECONDS, watch.kill)
    try:
        too_long.start()
        time.sleep(1)  # What it lists first would also be seen, only later.
        began = time.monotonic()
        begin()
        names: set[str] = set()
        for line in watch.stdout:
            names.add(line)
            if len(names) == JOBS * PODS:
                return time.monotonic() - began
        raise TimeoutError(f"after {RUNNING_SECONDS} s {len(names)} of {JOBS * PODS} pods run")
    finally:
        too_long.cancel()
        watch.kill()
        watch.wait()


def create_jobs(namespace: str, operator: Operator) -> None:
    jobs = {"apiVersion": "v1", "kind": "List", "items": [operator.job(f"job-{number}") for number in range(JOBS)]}
    access.kubectl("create", "--validate=false", "-n", namespace, "-f", "-", input=json.dumps(jobs), instance=CLUSTER)


def check_pods(namespace: str, operator: Operator) -> None:
    """Each job has its pods and no others, and all run."""
    found = items("pods", namespace)
    roles: dict[str, list[str]] = defaultdict(list)
    for pod in found:
        labels = pod["metadata"]["labels"]
        roles[labels[operator.job_label]].append(labels[operator.role_label])
    other = {job: has for job, has in roles.items() if sorted(has) != operator.roles}
    phases = Counter(pod["status"]["phase"] for pod in found)
    if len(roles) != JOBS or other or set(phases) != {"Running"}:
        raise AssertionError(f"{operator.name}: {len(roles)} jobs have pods, {phases}; unexpected: {other}")


def wait_until_told(namespace: str, operator: Operator) -> None:
    """Every job's status says that it runs."""
    def all_told() -> bool:
        told = [{(one["type"], one["status"]) for one in job.get("status", {}).get("conditions", [])}
                for job in items(operator.jobs, namespace)]
        return len(told) == JOBS and all(("Running", "True") in conditions for conditions in told)
    access.eventually(f"the status of each job of {operator.name} says that it runs", SETTLED_SECONDS, all_told)


def items(resource: str, namespace: str) -> list[dict]:
    return json.loads(access.kubectl("get", resource, "-n", namespace, "-o", "json", instance=CLUSTER))["items"]


def logs(build: Path) -> Path:
    folder = build / "bench" / "operator"
    folder.mkdir(parents=True, exist_ok=True)
    return folder
