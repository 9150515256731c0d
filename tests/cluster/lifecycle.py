"""Brings a cluster up and takes it down, from any state that an earlier run has left, however it ended."""

import contextlib
import shutil
import socket
import sys
import time
from pathlib import Path
from typing import Iterator

from cluster import certificates, cgroups, configuration, images, namespaces, network, programs, readiness
from cluster.instance import Instance

SUPERVISOR = Path(__file__).resolve().parent / "supervisor.py"
LOCK_SECONDS = 120


def up(instance: Instance, for_tests: bool) -> None:
    programs.require_all()
    with _locked(instance):
        if not (cgroups.processes(instance.name) and _recovers(instance)):
            _remove(instance)
            _start(instance, for_tests)
        if not for_tests:
            _mark(instance).unlink(missing_ok=True)
        print(f"the cluster is up; KUBECONFIG={instance.kubeconfig()}")


def down(instance: Instance, for_tests: bool) -> None:
    with _locked(instance):
        if for_tests and not _mark(instance).exists():
            print("the tests did not start the cluster, so it stays up")
            return
        _remove(instance)
        print("the cluster is down")


def _recovers(instance: Instance) -> bool:
    """Whether a running cluster is ready, or becomes ready because its supervisor restarts parts."""
    try:
        readiness.wait(instance, readiness.RECOVER_SECONDS, {})
        return True
    except readiness.NotReady as problem:
        print(f"starting a new cluster: {problem}")
        return False


def _start(instance: Instance, for_tests: bool) -> None:
    began = time.monotonic()
    instance.log("supervisor").parent.mkdir(parents=True)
    if for_tests:
        _mark(instance).touch()
    certificates.create(instance)
    configuration.write(instance)
    archives = [images.archive("pause"), images.archive("coredns")]
    supervisor = [sys.executable, str(SUPERVISOR), str(instance.number)]
    try:
        init = namespaces.start_init(instance, supervisor, instance.log("supervisor"))
        network.link_to_host(instance, init)
        readiness.wait(instance, readiness.UP_SECONDS, {
            "containerd": lambda: images.load(instance, archives),
            "kube-apiserver": lambda: configuration.create_objects(instance)})
    except BaseException as problem:
        # Ends the incomplete cluster and keeps its logs.
        cgroups.end_processes(instance.name)
        if isinstance(problem, readiness.NotReady):
            sys.exit(f"the cluster does not start: {problem}\nall logs: {instance.log('supervisor').parent}")
        raise
    print(f"started in {time.monotonic() - began:.1f} s")


def _remove(instance: Instance) -> None:
    """Ends all processes; then removes the link, the empty cgroups and the folder."""
    cgroups.end_processes(instance.name)
    network.unlink(instance)
    cgroups.remove(instance.name)
    if instance.folder.exists():
        shutil.rmtree(instance.folder)


def _mark(instance: Instance) -> Path:
    return instance.folder / "started-for-tests"


@contextlib.contextmanager
def _locked(instance: Instance) -> Iterator[None]:
    """Admits one `up` or `down` at a time. The lock is a socket name, which the kernel frees when its holder ends."""
    deadline = time.monotonic() + LOCK_SECONDS
    with socket.socket(socket.AF_UNIX) as lock:
        while True:
            try:
                lock.bind(f"\0{instance.name}")
                break
            except OSError:
                if time.monotonic() > deadline:
                    sys.exit(f"another `up` or `down` of {instance.name} has run for {LOCK_SECONDS} s; wait for it, or end it")
                time.sleep(0.1)
        yield
