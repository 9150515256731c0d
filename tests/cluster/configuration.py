"""Writes the parts' configuration from the templates in config/, and creates the objects that every cluster has."""

from pathlib import Path
from string import Template

from cluster import access, images, programs
from cluster.instance import Instance

TEMPLATES = Path(__file__).resolve().parent / "config"
FOR_PARTS = ["containerd.toml", "kubelet.yaml", "kwok.yaml", "cni/pods.conflist"]
OBJECTS = ["roles.yaml", "coredns.yaml"]
CNI_PLUGINS = ["bridge", "loopback", "host-local"]


def write(instance: Instance) -> None:
    values = {
        "folder": instance.folder, "socket": instance.socket,
        "pods": instance.pods, "dns_service": instance.dns_service,
        "pause_image": images.reference("pause"), "coredns_image": images.reference("coredns")}
    for name in FOR_PARTS + OBJECTS:
        target = instance.folder / "config" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(Template((TEMPLATES / name).read_text()).substitute(values))
    # containerd needs the plugins in one folder; the cache has a folder for each program.
    plugins = instance.folder / "cni"
    plugins.mkdir()
    for name in CNI_PLUGINS:
        (plugins / name).symlink_to(programs.path(f"cni/{name}"))


def create_objects(instance: Instance) -> None:
    for name in OBJECTS:
        access.kubectl("create", "-f", str(instance.folder / "config" / name), instance=instance)
