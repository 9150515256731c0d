"""The object store for Python tests and benchmarks: fake-gcs-server, and the fault proxy in front of it.

    with object_store.fake_gcs("bucket") as server, object_store.fault_proxy(server) as proxy:
        proxy.set({"rules": [{"slow": {"first_byte_ms": 30, "bytes_per_second": 100_000_000}}]})
        ... proxy.url ...; proxy.state()["counters"]

Both listen on loopback, keep everything in memory, and end with the block or with this process, however that ends.
"""

import ctypes
import json
import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator, NamedTuple

from support import machine

START_DEADLINE_S = 20
PORT_ATTEMPTS = 5
_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None)
_loopback = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # Whatever proxy the environment names.


class FaultProxy(NamedTuple):
    url: str

    def set(self, faults: dict) -> None:
        """Sets the faults (README.md says which there are) and begins all counts anew."""
        call("PUT", f"{self.url}/_faults", json.dumps(faults).encode())

    def state(self) -> dict:
        """The faults and the counters."""
        return json.loads(call("GET", f"{self.url}/_faults"))


def call(method: str, url: str, body: bytes | None = None, headers: dict[str, str] | None = None,
         timeout: float = 60) -> bytes:
    """One HTTP request; raises urllib.error.HTTPError for a status of 400 or more."""
    request = urllib.request.Request(url, data=body, method=method, headers=headers or {})
    with _loopback.open(request, timeout=timeout) as reply:
        return reply.read()


def put(url: str, bucket: str, name: str, content: bytes) -> None:
    """Writes an object."""
    query = urllib.parse.urlencode({"uploadType": "media", "name": name})
    call("POST", f"{url}/upload/storage/v1/b/{bucket}/o?{query}", content, {"Content-Type": "text/plain"})


@contextmanager
def fake_gcs(*buckets: str) -> Iterator[str]:
    """A fake-gcs-server with these buckets; gives its URL. Skips the test if it is not built."""
    program = machine.program("fake-gcs-server")
    server, url = _start_server(program)
    with _ended(server):
        for bucket in buckets:
            call("POST", f"{url}/storage/v1/b?project=test", json.dumps({"name": bucket}).encode(),
                 {"Content-Type": "application/json"})
        yield url


@contextmanager
def fault_proxy(upstream: str, host: str = "127.0.0.1", *options: str) -> Iterator[FaultProxy]:
    """A fault-proxy in front of that URL. Skips the test if it is not built."""
    program = Path(os.environ.get("CARRACK_BUILD", "build/dev")) / "bin" / "fault-proxy"
    if not program.exists():
        machine.skip(f"{program} is not built; `./dev test` builds it")
    process = _start([program, "--upstream", upstream, "--host", host, *options], stdout=subprocess.PIPE)
    with _ended(process):
        assert process.stdout is not None
        url = process.stdout.readline().decode().strip()  # The first it prints, or nothing if it ended.
        if not url:
            raise RuntimeError(f"fault-proxy ended with {process.wait()}")
        yield FaultProxy(url)


def _start_server(program: Path) -> tuple[subprocess.Popen, str]:
    for _ in range(PORT_ATTEMPTS):  # Another process may take the port before the server does.
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        server = _start([program, "-backend", "memory", "-scheme", "http", "-host", "127.0.0.1", "-port", str(port),
                         "-public-host", "127.0.0.1", "-log-level", "error"])
        if _answers(server, f"http://127.0.0.1:{port}"):
            return server, f"http://127.0.0.1:{port}"
    raise RuntimeError(f"{program} does not answer")


def _answers(server: subprocess.Popen, url: str) -> bool:
    deadline = time.monotonic() + START_DEADLINE_S
    while time.monotonic() < deadline and server.poll() is None:
        try:
            call("GET", f"{url}/_internal/healthcheck")
            return True
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.005)
    with _ended(server):
        return False


def _start(command: list, stdout: int | None = None) -> subprocess.Popen:
    return subprocess.Popen(command, stdout=stdout, preexec_fn=lambda: _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL))


@contextmanager
def _ended(process: subprocess.Popen) -> Iterator[None]:
    try:
        yield
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()
