"""Finds the cluster's executables, built from source (programs.txt) or in the machine's packages."""

import os
import shutil
from pathlib import Path

from support import machine

# Command -> the Debian package that has it.
FROM_PACKAGES = {
    "containerd": "containerd", "ctr": "containerd", "runc": "runc", "ip": "iproute2", "nft": "nftables",
    "conntrack": "conntrack", "mount": "mount", "openssl": "openssl", "gcc": "gcc", "busybox": "busybox-static"}
BUILT = ["kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy", "kubelet", "kubectl", "etcd",
         "coredns", "kwok", "cni/bridge", "cni/loopback", "cni/host-local"]
SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def path(name: str) -> Path:
    """The path of `name`; skips the test, with a message how to get it, if it is missing."""
    if name not in FROM_PACKAGES:
        return machine.program(name)
    found = shutil.which(name, path=os.environ.get("PATH", "") + ":" + SYSTEM_PATH)
    return Path(found) if found else machine.skip(f"{name} is missing; apt-get install {FROM_PACKAGES[name]}")


def require_all() -> None:
    """Skips the test and names the missing program, unless everything for a cluster is there."""
    for name in [*FROM_PACKAGES, *BUILT]:
        path(name)
