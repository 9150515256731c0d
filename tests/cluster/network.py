"""The cluster's network: one link between host and cluster, with a route to all of the instance's addresses.

The kernel removes the link with the cluster's network namespace, and the host's route with the link.
"""

import subprocess
import time
from pathlib import Path

from cluster.instance import Instance

UPLINK = "eth0"  # the cluster's end
WAIT_SECONDS = 10


def link_to_host(instance: Instance, init: int) -> None:
    """On the host: makes the link; its other end is in the namespace of process `init`."""
    overlapping = [line for line in _ip("route", "show", "root", instance.network).splitlines()]
    if overlapping:
        raise RuntimeError(f"{instance.network} is in use here ({overlapping[0].strip()}); choose another --instance")
    _ip("link", "add", instance.interface, "type", "veth", "peer", "name", UPLINK, "netns", str(init))
    _ip("address", "add", f"{instance.host_address}/30", "dev", instance.interface)
    _ip("link", "set", instance.interface, "up")
    _ip("route", "add", instance.network, "via", instance.node_address)


def unlink(instance: Instance) -> None:
    """On the host: removes the link, which the kernel would do only some time after the namespace ends."""
    deadline = time.monotonic() + WAIT_SECONDS
    while Path("/sys/class/net", instance.interface).exists():
        subprocess.run(["ip", "link", "delete", instance.interface], stderr=subprocess.DEVNULL)
        if time.monotonic() > deadline:
            raise TimeoutError(f"network interface {instance.interface} cannot be removed")
        time.sleep(0.02)


def configure(instance: Instance) -> None:
    """In the cluster: waits for the link, then sets addresses and routes."""
    deadline = time.monotonic() + WAIT_SECONDS
    while not Path("/sys/class/net", UPLINK).exists():
        if time.monotonic() > deadline:
            raise TimeoutError("no link to the host appeared, because the `up` of this cluster ended before it made one")
        time.sleep(0.01)
    _ip("link", "set", "lo", "up")
    _ip("address", "add", f"{instance.node_address}/30", "dev", UPLINK)
    _ip("link", "set", UPLINK, "up")
    _ip("route", "add", "default", "via", instance.host_address)
    # Otherwise packets to fake pods would circle between cluster and host.
    _ip("route", "add", "unreachable", instance.fake_pods)
    Path("/proc/sys/net/ipv4/ip_forward").write_text("1")


def _ip(*arguments: str) -> str:
    return subprocess.run(["ip", *arguments], check=True, text=True, stdout=subprocess.PIPE).stdout
