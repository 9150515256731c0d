"""What tests import to use the cluster: kubectl, waiting, images, and a namespace of one's own.

The cluster is the user's where KUBECONFIG is set, else instance 0 of our own.
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
RESPONSE_SECONDS = 120  # Longer than any wait that a test asks of kubectl.


def kubeconfig(instance: Instance = OWN) -> Path:
    """Of the cluster to test on, or a visible skip."""
    if instance.is_replaced_by_users_cluster():
        path, remedy = Path(os.environ["KUBECONFIG"]), "KUBECONFIG names it"
    else:
        path, remedy = instance.kubeconfig(), "`./dev cluster up` makes it, for root"
    return path if os.access(path, os.R_OK) else machine.skip(f"{path} cannot be read; {remedy}")


def kubectl(*arguments: str, input: str | None = None, instance: Instance = OWN) -> str:
    """What kubectl prints; its complaint becomes the error."""
    command = [machine.program("kubectl"), f"--kubeconfig={kubeconfig(instance)}"]
    environment = dict(os.environ)
    if not instance.is_replaced_by_users_cluster():
        # What kubectl remembers of a cluster must not outlive it: the next one has the same address.
        command.append(f"--cache-dir={instance.folder / 'kubectl'}")
        environment["NO_PROXY"] = "*"  # The cluster is on this machine, where no proxy leads.
    command += arguments
    result = subprocess.run(command, input=input, env=environment, capture_output=True, text=True,
                            timeout=RESPONSE_SECONDS)
    if result.returncode != 0:
        raise RuntimeError(f"kubectl {' '.join(arguments)}: {result.stderr.strip() or result.stdout.strip()}")
    return result.stdout


def eventually(what: str, seconds: float, attempt: Callable[[], Answer]) -> Answer:
    """The first true answer of `attempt`; a kubectl that fails is asked again too."""
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
    """Brings one of images.ONE_FILE into the cluster; returns what pods write as their image."""
    kubeconfig()  # Nothing is made for a cluster that is not there.
    load_archive(images.archive(name))
    return images.reference(name)


def load_archive(file: Path) -> None:
    """Brings images into the cluster, or skips visibly without one.

    Into a user's own cluster the user brings them; else pods that want them fail to start.
    """
    kubeconfig()
    if OWN.is_replaced_by_users_cluster():
        print(f"KUBECONFIG is set: that cluster must already hold the image in {file}", flush=True)
    else:
        images.load(OWN, [file])


@contextmanager
def namespace(purpose: str, enforce: str = "restricted", instance: Instance = OWN) -> Iterator[str]:
    """A fresh namespace that enforces a Pod Security Standard; it goes, with all that is in it, at the end."""
    name = f"{purpose}-{uuid.uuid4().hex[:6]}"
    kubectl("create", "namespace", name, instance=instance)
    try:
        kubectl("label", "namespace", name, f"pod-security.kubernetes.io/enforce={enforce}", instance=instance)
        # A pod made before its namespace's ServiceAccount is refused.
        kubectl("wait", "--for=create", "serviceaccount/default", "-n", name, "--timeout=30s", instance=instance)
        yield name
    finally:
        kubectl("delete", "namespace", name, "--timeout=90s", instance=instance)
