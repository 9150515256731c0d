"""Has the cluster know TrainingJobs for the time of a test, by what a user would type."""

from contextlib import contextmanager
from typing import Iterator

from cluster import access
from support import machine

CRDS = machine.REPOSITORY / "crds"
NAME = "customresourcedefinition.apiextensions.k8s.io/trainingjobs.carrack.dev"


def established() -> None:
    """Waits until the API server serves TrainingJobs. `kubectl wait` fails on a definition that has no conditions yet."""
    access.eventually("the definition is established", 30,
                      lambda: access.kubectl("wait", NAME, "--for=condition=Established", "--timeout=30s"))


@contextmanager
def applied() -> Iterator[None]:
    """Takes the definition away again if the cluster did not have it before: with it go all jobs."""
    there = access.kubectl("get", NAME, "--ignore-not-found", "-o", "name").strip()
    try:
        access.kubectl("apply", "-f", str(CRDS))
        established()
        yield
    finally:
        if not there:
            access.kubectl("delete", NAME, "--ignore-not-found", "--timeout=60s")


def refusals(complaint: str) -> list[str]:
    """What kubectl says of a manifest, a line each, in one order: the API server's changes from time to time."""
    head, _, rest = complaint.partition(" is invalid: ")
    if not rest:
        return [complaint]
    return sorted(line.removeprefix("* ") for line in rest.strip().splitlines() if line != UNCHECKED)


# Follows where a type or a bound is broken: rules are looked at only in what has the right shape.
UNCHECKED = ("* <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; "
             "correct the existing errors to complete validation")
