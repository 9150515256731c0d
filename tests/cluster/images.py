"""Makes images of one static program each, and loads image archives into the cluster's containerd."""

import subprocess
import tempfile
from pathlib import Path

from cluster import programs
from cluster.instance import Instance
from support import machine, one_file_image

COMPILED = {name: Path(__file__).resolve().parent / f"{name}.c" for name in ("pause", "member")}
BUSYBOX_ALIASES = "sh cat echo httpd nslookup sleep".split()
ONE_FILE = [*COMPILED, "coredns", "busybox", "kubectl", "fake-gcs-server"]


def reference(name: str) -> str:
    """The name of the image, for pods."""
    return f"docker.io/carrack/{name}:test"


def archive(name: str) -> Path:
    """The archive of one of ONE_FILE. Makes it if it is missing, damaged, or older than its sources."""
    source = COMPILED.get(name) or programs.path(name)
    # The name has the version if there is one: coredns-v1.15.0.tar.
    stem = source.parent.name if source.parent.name.startswith(name) else name
    result = machine.cache() / "images" / f"{stem}.tar"
    newest = max(Path(file).stat().st_mtime for file in (source, __file__, one_file_image.__file__))
    if result.exists() and result.stat().st_mtime >= newest and one_file_image.is_whole(result, reference(name)):
        return result
    if name in COMPILED:
        with tempfile.TemporaryDirectory() as work:
            program = Path(work, name)
            subprocess.run(["gcc", "-static", "-O2", "-o", program, source], check=True)
            one_file_image.write(result, reference(name), program, [])
    else:
        one_file_image.write(result, reference(name), source, BUSYBOX_ALIASES if name == "busybox" else [])
    return result


def load(instance: Instance, archives: list[Path]) -> None:
    """Imports archives made by `docker save`, `buildah push ... docker-archive:` or one_file_image.py."""
    for file in archives:
        result = subprocess.run(
            [programs.path("ctr"), "--address", instance.socket, "--namespace", "k8s.io", "images", "import", file],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if result.returncode != 0:
            raise RuntimeError(f"importing {file}: {result.stdout}")
