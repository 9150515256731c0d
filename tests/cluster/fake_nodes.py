"""Nodes without machines, for tests of scale: kwok reports them, and the pods on them, as healthy.

A taint keeps ordinary pods away. Pods that shall run there have TOLERATION and select LABEL.
If a fake node is removed, the cluster's garbage collector removes its pods within a minute.
"""

import json

from cluster import access
from cluster.instance import Instance

LABEL = {"carrack.dev/fake": "true"}
TAINT = {"key": "carrack.dev/fake", "value": "true", "effect": "NoSchedule"}
TOLERATION = {"key": TAINT["key"], "operator": "Exists"}
SELECTOR = "carrack.dev/fake=true"
READY_SECONDS = 60


def names(instance: Instance) -> list[str]:
    path = "jsonpath={.items[*].metadata.name}"
    return access.kubectl("get", "nodes", "-l", SELECTOR, "-o", path, instance=instance).split()


def set_number(number: int, instance: Instance) -> None:
    """Adds or takes away fake nodes until there are `number`, and waits until they are Ready."""
    wanted = [f"fake-{index}" for index in range(number)]
    existing = set(names(instance))
    if surplus := sorted(existing - set(wanted)):
        # By selector: kubectl looks up each name that it is given, which takes minutes for a thousand.
        selector = f"{SELECTOR},kubernetes.io/hostname in ({','.join(surplus)})"
        access.kubectl("delete", "node", "--selector", selector, "--wait=false", instance=instance)
    if missing := [name for name in wanted if name not in existing]:
        nodes = {"apiVersion": "v1", "kind": "List", "items": [_node(name) for name in missing]}
        access.kubectl("create", "-f", "-", input=json.dumps(nodes), instance=instance)
    # `kubectl wait` takes a tenth of a second for each of them; this asks once for all.
    access.eventually(f"{number} fake nodes are Ready", READY_SECONDS, lambda: _ready(instance) == set(wanted))


def _ready(instance: Instance) -> set[str]:
    path = "jsonpath={range .items[*]}{.metadata.name}={.status.conditions[?(@.type==\"Ready\")].status} {end}"
    states = access.kubectl("get", "nodes", "-l", SELECTOR, "-o", path, instance=instance).split()
    return {state.removesuffix("=True") for state in states}


def _node(name: str) -> dict:
    return {
        "apiVersion": "v1", "kind": "Node",
        "metadata": {"name": name, "annotations": {"kwok.x-k8s.io/node": "fake"},
                     "labels": LABEL | {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux"}},
        "spec": {"taints": [TAINT]}}
