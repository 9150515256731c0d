"""Images of one static program each, and bringing image archives into the cluster's containerd."""

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
    """What pods write as their image."""
    return f"docker.io/carrack/{name}:test"


def archive(name: str) -> Path:
    """The archive of one of ONE_FILE, made if it is missing, damaged, or older than what makes it."""
    made_from = COMPILED.get(name) or programs.path(name)
    # Named by version where there is one: coredns-v1.15.0.tar.
    stem = made_from.parent.name if made_from.parent.name.startswith(name) else name
    result = machine.cache() / "images" / f"{stem}.tar"
    newest = max(Path(file).stat().st_mtime for file in (made_from, __file__, one_file_image.__file__))
    if result.exists() and result.stat().st_mtime >= newest and one_file_image.is_whole(result, reference(name)):
        return result
    if name in COMPILED:
        with tempfile.TemporaryDirectory() as work:
            program = Path(work, name)
            subprocess.run(["gcc", "-static", "-O2", "-o", program, made_from], check=True)
            one_file_image.write(result, reference(name), program, [])
    else:
        one_file_image.write(result, reference(name), made_from, BUSYBOX_ALIASES if name == "busybox" else [])
    return result


def load(instance: Instance, archives: list[Path]) -> None:
    """Imports archives made by `docker save`, `buildah push ... docker-archive:` or one_file_image.py."""
    for file in archives:
        result = subprocess.run(
            [programs.path("ctr"), "--address", instance.socket, "--namespace", "k8s.io", "images", "import", file],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if result.returncode != 0:
            raise RuntimeError(f"importing {file}: {result.stdout}")
