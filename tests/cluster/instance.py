"""A cluster's number, and every name and address that follows from it.

Several instances can run side by side: number 0 is the developer's, the others belong to tests that start their own.
Instance N owns 10.(200+N).0.0/16, one folder, one cgroup and, on the host, one network interface.
"""

import os
from pathlib import Path
from typing import NamedTuple

NODE = "node-1"
COUNT_MAX = 50  # 10.200 to 10.249


class Instance(NamedTuple):
    number: int

    @property
    def folder(self) -> Path:
        """The folder for everything that this cluster writes."""
        return Path("/var/lib/carrack-cluster" + (f"-{self.number}" if self.number else ""))

    @property
    def name(self) -> str:
        """The name of its cgroup, and of the lock that each `up` and `down` takes."""
        return f"carrack-cluster-{self.number}"

    @property
    def interface(self) -> str:
        """The host's end of the link into the cluster."""
        return f"carrack-{self.number}"

    @property
    def network(self) -> str:
        return self._address(0, 0) + "/16"

    @property
    def host_address(self) -> str:
        """The address at which pods reach servers on the host."""
        return self._address(0, 1)

    @property
    def node_address(self) -> str:
        """The address at which host and pods reach the API server and the kubelet."""
        return self._address(0, 2)

    @property
    def services(self) -> str:
        return self._address(64, 0) + "/18"

    @property
    def kubernetes_service(self) -> str:
        """The API server gives its own Service the first address of the range."""
        return self._address(64, 1)

    @property
    def dns_service(self) -> str:
        return self._address(64, 10)

    @property
    def pods(self) -> str:
        return self._address(128, 0) + "/18"

    @property
    def fake_pods(self) -> str:
        """The addresses that kwok writes into the status of fake pods; nothing answers there."""
        return self._address(192, 0) + "/18"

    @property
    def server(self) -> str:
        return f"https://{self.node_address}:6443"

    @property
    def socket(self) -> Path:
        """The socket of containerd."""
        return self.folder / "containerd.sock"

    @property
    def status_file(self) -> Path:
        """The file in which the supervisor says which parts are ready."""
        return self.folder / "parts.json"

    def certificate(self, identity: str) -> Path:
        return self.folder / "certificates" / f"{identity}.crt"

    def key(self, identity: str) -> Path:
        return self.folder / "certificates" / f"{identity}.key"

    def kubeconfig(self, identity: str = "admin") -> Path:
        return self.folder / "kubeconfigs" / f"{identity}.yaml"

    def log(self, part: str) -> Path:
        return self.folder / "logs" / f"{part}.log"

    def is_replaced_by_users_cluster(self) -> bool:
        """Whether KUBECONFIG names another cluster, which tests then use instead of the developer's."""
        named = os.environ.get("KUBECONFIG")
        return self.number == 0 and bool(named) and Path(named) != self.kubeconfig()

    def _address(self, third: int, fourth: int) -> str:
        return f"10.{200 + self.number}.{third}.{fourth}"
