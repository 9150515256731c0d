"""The cluster's network: one link between host and cluster, with a route to all of the instance's addresses.

The link ends with the cluster's network namespace, and the host's route with the link.
"""

import subprocess
import time
from pathlib import Path

from cluster.instance import Instance

UPLINK = "eth0"  # The cluster's end.
WAIT_SECONDS = 10


def link_to_host(instance: Instance, init: int) -> None:
    """On the host: makes the link, its far end in the namespace of process `init`."""
    overlapping = [line for line in _ip("route", "show", "root", instance.network).splitlines()]
    if overlapping:
        raise RuntimeError(f"{instance.network} is in use here ({overlapping[0].strip()}); choose another --instance")
    _ip("link", "add", instance.interface, "type", "veth", "peer", "name", UPLINK, "netns", str(init))
    _ip("address", "add", f"{instance.host_address}/30", "dev", instance.interface)
    _ip("link", "set", instance.interface, "up")
    _ip("route", "add", instance.network, "via", instance.node_address)


def unlink(instance: Instance) -> None:
    """On the host: the kernel removes the link some time after the namespace's end; this waits for it."""
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
            raise TimeoutError("no link to the host appeared; whoever started this cluster ended before making it")
        time.sleep(0.01)
    _ip("link", "set", "lo", "up")
    _ip("address", "add", f"{instance.node_address}/30", "dev", UPLINK)
    _ip("link", "set", UPLINK, "up")
    _ip("route", "add", "default", "via", instance.host_address)
    # Else packets to fake pods would go back to the host, which would send them here again.
    _ip("route", "add", "unreachable", instance.fake_pods)
    Path("/proc/sys/net/ipv4/ip_forward").write_text("1")


def _ip(*arguments: str) -> str:
    return subprocess.run(["ip", *arguments], check=True, text=True, stdout=subprocess.PIPE).stdout
