"""Gives tests access to the cluster: kubectl, waiting, images, and a namespace for each test.

If KUBECONFIG is set it is the user's cluster, otherwise our own instance 0.
"""

import os
import subprocess
import time
import uuid
from contextlib import contextmanager
from pathlib import Path
from typing import Callable, Iterator, TypeVar

from cluster import images
from cluster.instance import Instance
from support import machine

OWN = Instance(0)
Answer = TypeVar("Answer")
RESPONSE_SECONDS = 120  # longer than any timeout that a test gives to kubectl


def kubeconfig(instance: Instance = OWN) -> Path:
    """The kubeconfig of the cluster to test on; skips the test if there is none."""
    if instance.is_replaced_by_users_cluster():
        path, remedy = Path(os.environ["KUBECONFIG"]), "KUBECONFIG names it"
    else:
        path, remedy = instance.kubeconfig(), "`./dev cluster up` makes it, for root"
    return path if os.access(path, os.R_OK) else machine.skip(f"{path} cannot be read; {remedy}")


def kubectl(*arguments: str, input: str | None = None, instance: Instance = OWN) -> str:
    """Runs kubectl and returns its output; raises with its error message."""
    command = [machine.program("kubectl"), f"--kubeconfig={kubeconfig(instance)}"]
    environment = dict(os.environ)
    if not instance.is_replaced_by_users_cluster():
        # kubectl's cache must not outlive its cluster, because the next one has the same address.
        command.append(f"--cache-dir={instance.folder / 'kubectl'}")
        environment["NO_PROXY"] = "*"  # The cluster is on this machine, which no proxy can reach.
    command += arguments
    result = subprocess.run(command, input=input, env=environment, capture_output=True, text=True,
                            timeout=RESPONSE_SECONDS)
    if result.returncode != 0:
        raise RuntimeError(f"kubectl {' '.join(arguments)}: {result.stderr.strip() or result.stdout.strip()}")
    return result.stdout


def eventually(what: str, seconds: float, attempt: Callable[[], Answer]) -> Answer:
    """Repeats `attempt` until its result is true, and returns it. A kubectl that fails is repeated, too."""
    deadline = time.monotonic() + seconds
    while True:
        problem: object = "not yet"
        try:
            if answer := attempt():
                return answer
        except RuntimeError as error:
            problem = error
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what}: after {seconds} s, {problem}")
        time.sleep(0.2)


def load_image(name: str) -> str:
    """Loads one of images.ONE_FILE into the cluster; returns its name for pods."""
    kubeconfig()  # skips before an image is made for a cluster that does not exist
    load_archive(images.archive(name))
    return images.reference(name)


def load_archive(file: Path) -> None:
    """Loads images into the cluster; skips the test if there is none.

    A user's cluster must have them already, or pods that use them do not start.
    """
    kubeconfig()
    if OWN.is_replaced_by_users_cluster():
        print(f"KUBECONFIG is set: that cluster must already hold the image in {file}", flush=True)
    else:
        images.load(OWN, [file])


@contextmanager
def namespace(purpose: str, enforce: str = "restricted", instance: Instance = OWN) -> Iterator[str]:
    """A new namespace that enforces a Pod Security Standard; it is deleted at the end, with everything in it."""
    name = f"{purpose}-{uuid.uuid4().hex[:6]}"
    kubectl("create", "namespace", name, instance=instance)
    try:
        kubectl("label", "namespace", name, f"pod-security.kubernetes.io/enforce={enforce}", instance=instance)
        # A namespace without its ServiceAccount refuses pods.
        kubectl("wait", "--for=create", "serviceaccount/default", "-n", name, "--timeout=30s", instance=instance)
        yield name
    finally:
        kubectl("delete", "namespace", name, "--timeout=90s", instance=instance)
