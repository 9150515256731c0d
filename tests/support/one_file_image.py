"""Packs one static program as a container image, an archive as `docker save` makes it, with no container engine.

The program lies at /bin/PROGRAM in the image and is its entrypoint; an alias is a symlink to it in /bin (for busybox).
The same program gives the same bytes. An archive is never seen half written; what has damaged it since is noticed.
"""

import hashlib
import io
import json
import os
import platform
import tarfile
from pathlib import Path

ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}  # As Linux and as container images name them.


def write(archive: Path, name: str, program: Path, aliases: list[str]) -> None:
    layer = _layer(program, aliases)
    digest = hashlib.sha256(layer).hexdigest()
    configuration = json.dumps({
        "architecture": ARCHITECTURES[platform.machine()], "os": "linux",
        "config": {"Entrypoint": [f"/bin/{program.name}"], "Env": ["PATH=/bin"]},
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest}"]}}).encode()
    configuration_name = hashlib.sha256(configuration).hexdigest() + ".json"
    manifest = json.dumps([{"Config": configuration_name, "RepoTags": [name], "Layers": [f"{digest}.tar"]}]).encode()
    archive.parent.mkdir(parents=True, exist_ok=True)
    partial = archive.with_suffix(f".{os.getpid()}")
    entries = {configuration_name: configuration, f"{digest}.tar": layer, "manifest.json": manifest}
    with tarfile.open(partial, "w") as out:
        for entry, content in entries.items():
            info = tarfile.TarInfo(entry)
            info.size = len(content)
            out.addfile(info, io.BytesIO(content))
    partial.rename(archive)


def is_whole(archive: Path, name: str) -> bool:
    """Whether the archive holds the image `name`, all of it as its digests say."""
    try:
        with tarfile.open(archive) as held:
            (manifest,) = json.load(held.extractfile("manifest.json"))
            parts = [manifest["Config"], *manifest["Layers"]]
            digests = [hashlib.sha256(held.extractfile(part).read()).hexdigest() for part in parts]
        return manifest["RepoTags"] == [name] and [part.split(".")[0] for part in parts] == digests
    except (OSError, tarfile.TarError, KeyError, ValueError, TypeError, AttributeError):
        return False


def _layer(program: Path, aliases: list[str]) -> bytes:
    content = program.read_bytes()
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as layer:
        folder = tarfile.TarInfo("bin")
        folder.type, folder.mode = tarfile.DIRTYPE, 0o755
        layer.addfile(folder)
        file = tarfile.TarInfo(f"bin/{program.name}")
        file.size, file.mode = len(content), 0o755
        layer.addfile(file, io.BytesIO(content))
        for alias in aliases:
            link = tarfile.TarInfo(f"bin/{alias}")
            link.type, link.linkname = tarfile.SYMTYPE, program.name
            layer.addfile(link)
    return buffer.getvalue()
