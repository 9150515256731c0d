"""Reads a job's checkpoint folder while the job runs: HEAD, and the names of its files; in files or in a bucket
(docs/formats/head.md, docs/formats/checkpoint.md)."""

import json
import urllib.error
import urllib.parse
from pathlib import Path

from support import object_store


class Checkpoints:
    """The common part; `url` is the folder as the manifest names it."""

    url: str

    def head(self) -> str:
        """The text of HEAD, or nothing before the first claim."""
        raise NotImplementedError

    def names(self) -> list[str]:
        """The names of complete checkpoint files and of those that are being written."""
        raise NotImplementedError

    def local(self) -> Path:
        """A folder on this machine with all of these files."""
        raise NotImplementedError

    def committed_step(self) -> int:
        """The step of the commit that HEAD names; 0 before the first."""
        for line in self.head().splitlines():
            if line.startswith("manifest "):
                return step_of(line.split(" ")[1])
        return 0

    def owner(self) -> int:
        """The incarnation of the coordinator that owns HEAD; 0 before the first."""
        for line in self.head().splitlines():
            if line.startswith("incarnation "):
                return int(line.split(" ")[1])
        return 0

    def is_within_a_commit(self) -> bool:
        """Whether files of a cut exist that HEAD does not name yet."""
        return max(map(step_of, self.names()), default=0) > self.committed_step()


class InFiles(Checkpoints):
    def __init__(self, folder: Path):
        self.folder = folder
        self.url = str(folder)

    def head(self) -> str:
        while True:
            heads = sorted((int(head.suffix[1:]), head) for head in self.folder.glob("HEAD.*"))
            if not heads:
                return ""
            try:
                return heads[-1][1].read_text()
            except FileNotFoundError:
                continue  # Replaced meanwhile.

    def names(self) -> list[str]:
        return [file.name for file in self.folder.glob("*checkpoint-*")]

    def local(self) -> Path:
        return self.folder

    def last(self, ending: str) -> list[Path]:
        """The files of the last checkpoint with that ending."""
        files = list(self.folder.glob(f"checkpoint-*.{ending}"))
        step = max(step_of(file.name) for file in files)
        return sorted(file for file in files if step_of(file.name) == step)


class InBucket(Checkpoints):
    """Reads from the server directly, without the proxy that injects faults."""

    def __init__(self, server: str, bucket: str, folder: str, copies: Path):
        self._server, self._bucket, self._prefix, self._copies = server, bucket, f"{folder}/", copies
        self.url = f"gs://{bucket}/{folder}"

    def head(self) -> str:
        try:
            return self._get("HEAD").decode()
        except urllib.error.HTTPError as error:
            error.close()
            return ""

    def names(self) -> list[str]:
        return [name for name in self.all_names() if name.startswith("checkpoint-")]

    def indexes(self) -> list[str]:
        return [name for name in self.all_names() if name.startswith("indexes/")]

    def local(self) -> Path:
        self._copies.mkdir(exist_ok=True)
        for name in ["HEAD", *self.names()]:
            (self._copies / name).write_bytes(self._get(name))
        return self._copies

    def _get(self, name: str) -> bytes:
        quoted = urllib.parse.quote(self._prefix + name, safe="")
        return object_store.call("GET", f"{self._server}/storage/v1/b/{self._bucket}/o/{quoted}?alt=media")

    def all_names(self) -> list[str]:
        query = urllib.parse.urlencode({"maxResults": 10_000, "prefix": self._prefix})
        listed = json.loads(object_store.call("GET", f"{self._server}/storage/v1/b/{self._bucket}/o?{query}"))
        return [item["name"].removeprefix(self._prefix) for item in listed.get("items", [])]


def step_of(name: str) -> int:
    """The step in the name of a checkpoint's file, also while it is being written."""
    return int(name.partition("checkpoint-")[2].split("-")[0])
