"""The parts of a cluster: each one's command line, the parts that it waits for, and how to ask whether it is ready."""

from pathlib import Path
from typing import Callable, NamedTuple

from cluster.instance import NODE, Instance

GATES = "--feature-gates=GenericWorkload=true,GangScheduling=true"
# With the default of 20 requests a second the first start takes 4 s longer, and tests of scale would measure that limit.
FAST = ["--kube-api-qps=500", "--kube-api-burst=1000"]
ETCD = "http://127.0.0.1:2379"


class Part(NamedTuple):
    name: str
    command: list[str | Path]
    after: tuple[str, ...]
    ready: str  # a URL that answers 200, or the path of a socket that accepts connections


def parts(instance: Instance, program: Callable[[str], Path]) -> list[Part]:
    """All parts. `program` returns the path of an executable."""
    return [
        Part("etcd", _etcd(instance, program), (), f"{ETCD}/readyz"),
        Part("containerd", _containerd(instance, program), (), str(instance.socket)),
        Part("kube-apiserver", _apiserver(instance, program), ("etcd",), "https://127.0.0.1:6443/readyz"),
        Part("kube-controller-manager", _controller_manager(instance, program), ("kube-apiserver",),
             "https://127.0.0.1:10257/healthz"),
        Part("kube-scheduler", _scheduler(instance, program), ("kube-apiserver",), "https://127.0.0.1:10259/readyz"),
        Part("kubelet", _kubelet(instance, program), ("kube-apiserver", "containerd"),
             "http://127.0.0.1:10248/healthz"),
        Part("kube-proxy", _proxy(instance, program), ("kube-apiserver",), "http://127.0.0.1:10256/healthz"),
        Part("kwok", _kwok(instance, program), ("kube-apiserver",), "http://127.0.0.1:10247/healthz"),
    ]


def _etcd(instance: Instance, program: Callable[[str], Path]) -> list[str | Path]:
    peer = "http://127.0.0.1:2380"
    return [
        program("etcd"), f"--data-dir={instance.folder / 'etcd'}", f"--listen-client-urls={ETCD}",
        f"--advertise-client-urls={ETCD}", f"--listen-peer-urls={peer}", f"--initial-advertise-peer-urls={peer}",
        f"--initial-cluster=default={peer}", "--unsafe-no-fsync", "--log-level=warn"]


def _containerd(instance: Instance, program: Callable[[str], Path]) -> list[str | Path]:
    return [program("containerd"), "--config", instance.folder / "config" / "containerd.toml"]


def _apiserver(instance: Instance, program: Callable[[str], Path]) -> list[str | Path]:
    issuer = "https://kubernetes.default.svc"
    return [
        program("kube-apiserver"), GATES, "--runtime-config=scheduling.k8s.io/v1alpha2=true",
        f"--etcd-servers={ETCD}", "--secure-port=6443", f"--advertise-address={instance.node_address}",
        f"--service-cluster-ip-range={instance.services}",
        "--authorization-mode=Node,RBAC", "--enable-admission-plugins=NodeRestriction", "--allow-privileged=true",
        f"--client-ca-file={instance.certificate('ca')}",
        f"--tls-cert-file={instance.certificate('kube-apiserver')}",
        f"--tls-private-key-file={instance.key('kube-apiserver')}",
        f"--service-account-issuer={issuer}", f"--service-account-jwks-uri={issuer}/openid/v1/jwks",
        f"--service-account-key-file={instance.certificate('service-accounts')}",
        f"--service-account-signing-key-file={instance.key('service-accounts')}",
        f"--kubelet-certificate-authority={instance.certificate('ca')}",
        f"--kubelet-client-certificate={instance.certificate('kube-apiserver')}",
        f"--kubelet-client-key={instance.key('kube-apiserver')}",
        "--kubelet-preferred-address-types=InternalIP"]


def _controller_manager(instance: Instance, program: Callable[[str], Path]) -> list[str | Path]:
    return [
        program("kube-controller-manager"), GATES, *FAST,
        f"--kubeconfig={instance.kubeconfig('kube-controller-manager')}",
        "--leader-elect=false", "--use-service-account-credentials=true", "--bind-address=127.0.0.1",
        f"--flex-volume-plugin-dir={instance.folder / 'volume-plugins'}",
        f"--service-account-private-key-file={instance.key('service-accounts')}",
        f"--root-ca-file={instance.certificate('ca')}"]


def _scheduler(instance: Instance, program: Callable[[str], Path]) -> list[str | Path]:
    return [
        program("kube-scheduler"), GATES, *FAST, f"--kubeconfig={instance.kubeconfig('kube-scheduler')}",
        "--leader-elect=false", "--bind-address=127.0.0.1"]


def _kubelet(instance: Instance, program: Callable[[str], Path]) -> list[str | Path]:
    return [
        program("kubelet"), f"--config={instance.folder / 'config' / 'kubelet.yaml'}",
        f"--kubeconfig={instance.kubeconfig('kubelet')}", f"--root-dir={instance.folder / 'kubelet'}",
        f"--hostname-override={NODE}", f"--node-ip={instance.node_address}"]


def _proxy(instance: Instance, program: Callable[[str], Path]) -> list[str | Path]:
    return [
        program("kube-proxy"), f"--kubeconfig={instance.kubeconfig('kube-proxy')}", f"--hostname-override={NODE}",
        "--proxy-mode=nftables", f"--cluster-cidr={instance.pods}",
        # The table of connections belongs to the whole machine, so its size stays.
        "--conntrack-max-per-core=0"]


def _kwok(instance: Instance, program: Callable[[str], Path]) -> list[str | Path]:
    return [
        program("kwok"), f"--kubeconfig={instance.kubeconfig('kwok')}",
        f"--config={instance.folder / 'config' / 'kwok.yaml'}",
        "--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake",
        f"--cidr={instance.fake_pods}", f"--node-ip={instance.node_address}", "--node-lease-duration-seconds=40",
        "--server-address=127.0.0.1:10247"]
