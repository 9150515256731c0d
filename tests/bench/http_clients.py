"""bench http: our HTTP client against cpp-httplib's, which is compiled as Debian does it: ranges of 8 MiB from a server on the same
machine, plain and over TLS, into memory. What counts is the CPU time of the client's process."""
# builds: bench_http

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench import pairs

STREAMS = [1, 8, 32]
RANGES = 192  # 1.6 GB.


@contextmanager
def serving(program: str, *certificate_and_key: str) -> Iterator[str]:
    server = subprocess.Popen([program, "serve", *certificate_and_key], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield f"{'https' if certificate_and_key[0] else 'http'}://127.0.0.1:{server.stdout.readline().strip()}"
    finally:
        server.communicate()


def certificate(folder: Path) -> tuple[str, str]:
    files = str(folder / "certificate"), str(folder / "key")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=bench", "-addext",
                    "subjectAltName=IP:127.0.0.1", "-keyout", files[1], "-out", files[0]], check=True, stderr=subprocess.DEVNULL)
    return files


def case(name: str, program: str, url: str, streams: int, trusted: str) -> pairs.Case:
    def side(client: str):
        return pairs.number_from("env", f"SSL_CERT_FILE={trusted}", program, client, url, str(streams), str(RANGES))
    return pairs.Case(f"{name}.{streams}", side("ours"), side("httplib"), peer_name="cpp-httplib-0.11.4", unit="bytes/cpu_s",
                      settings={"range": 8 << 20, "ranges": RANGES, "streams": streams})


def main(build: Path) -> None:
    program = str(build / "bin/bench_http")
    with tempfile.TemporaryDirectory() as folder:
        trusted, key = certificate(Path(folder))
        with serving(program, "", "") as plain, serving(program, trusted, key) as tls:
            pairs.run("http", [case(name, program, url, streams, trusted)
                               for name, url in [("plain", plain), ("tls", tls)] for streams in STREAMS])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
