"""Makes the cluster's certificate authority, a certificate for each identity and a kubeconfig for each client."""

import base64
import subprocess
from pathlib import Path
from string import Template
from typing import NamedTuple

from cluster.instance import NODE, Instance

CONFIG = Path(__file__).resolve().parent / "config"
DAYS = 365


class Identity(NamedTuple):
    name: str           # of its files
    subject: str        # CN is the user and O the group, for RBAC
    names: str = ""     # subjectAltName, if it serves TLS


def identities(instance: Instance) -> list[Identity]:
    service = "kubernetes.default.svc.cluster.local"
    services = ["localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc", service]
    addresses = [instance.node_address, instance.kubernetes_service, "127.0.0.1"]
    served = ",".join([f"DNS:{name}" for name in services] + [f"IP:{address}" for address in addresses])
    return [
        Identity("kube-apiserver", "/CN=kube-apiserver", served),
        Identity("kubelet", f"/O=system:nodes/CN=system:node:{NODE}", f"DNS:{NODE},IP:{instance.node_address}"),
        Identity("kube-controller-manager", "/CN=system:kube-controller-manager"),
        Identity("kube-scheduler", "/CN=system:kube-scheduler"),
        Identity("kube-proxy", "/CN=system:kube-proxy"),
        Identity("kwok", "/CN=kwok"),
        Identity("admin", "/O=system:masters/CN=admin"),
    ]


def create(instance: Instance) -> None:
    """Makes all certificates and kubeconfigs in the instance's folder."""
    for folder in (instance.key("ca").parent, instance.kubeconfig().parent):
        folder.mkdir(mode=0o700)
    _certificate(instance, Identity("ca", "/CN=carrack-cluster"), ["-extensions", "authority"])
    signed = ["-CA", instance.certificate("ca"), "-CAkey", instance.key("ca"), "-extensions", "identity"]
    for identity in identities(instance):
        _certificate(instance, identity, signed)
        if identity.name != "kube-apiserver":
            instance.kubeconfig(identity.name).write_text(_kubeconfig(instance, identity.name))
    key = instance.key("service-accounts")
    _openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", key)
    _openssl("pkey", "-in", key, "-pubout", "-out", instance.certificate("service-accounts"))


def _certificate(instance: Instance, identity: Identity, options: list[str | Path]) -> None:
    names = ["-addext", f"subjectAltName={identity.names}"] if identity.names else []
    _openssl("req", "-x509", "-config", CONFIG / "openssl.cnf", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
             "-noenc", "-days", str(DAYS), "-subj", identity.subject, "-keyout", instance.key(identity.name),
             "-out", instance.certificate(identity.name), *options, *names)


def _kubeconfig(instance: Instance, identity: str) -> str:
    def encoded(path: Path) -> str:
        return base64.b64encode(path.read_bytes()).decode()
    return Template((CONFIG / "kubeconfig.yaml").read_text()).substitute(
        server=instance.server, authority=encoded(instance.certificate("ca")), user=identity,
        certificate=encoded(instance.certificate(identity)), key=encoded(instance.key(identity)))


def _openssl(*arguments: str | Path) -> None:
    result = subprocess.run(["openssl", *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode != 0:
        raise RuntimeError(f"openssl {' '.join(map(str, arguments))}: {result.stdout}")
