"""What the tests of google-token share: a folder with credentials, services that end with the test, and what the program
prints."""

import json
import os
import subprocess
import tempfile
from pathlib import Path

from support.token_services import Reply, Service

PROGRAM = Path(os.environ["CARRACK_BUILD"]) / "bin/google-token"
REFUSED, FAILED = 1, 2
NOBODY = "127.0.0.1:1"  # Nobody listens there.


def openssl(*arguments: object, given: bytes = b"") -> bytes:
    return subprocess.run(["openssl", *arguments], input=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=True).stdout


class Asking:
    """A part of a test case."""

    maxDiff = None

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.file = self.folder / "credentials.json"

    def service(self, *replies: Reply | str, **more: object) -> Service:
        return self.enterContext(Service(*replies, **more))

    def outcome(self, environment: dict[str, object], maker: str = "", metadata: str = NOBODY,
                *more: object) -> tuple[int, str]:
        """The exit code, and what was printed: never a secret of this test, but for the token that it asks for."""
        (self.folder / "maker").write_text(maker)
        done = subprocess.run([PROGRAM, self.folder / "maker", metadata, *map(str, more)], stdout=subprocess.PIPE,
                              env={name: str(value) for name, value in environment.items()}, timeout=30)
        printed = done.stdout.decode().removesuffix("\n")
        if done.returncode != 0:
            self.assertNotIn("SECRET", printed)
        return done.returncode, printed

    def told_by(self, credentials: dict, **more: object) -> tuple[int, str]:
        self.file.write_text(json.dumps(credentials))
        return self.outcome({"GOOGLE_APPLICATION_CREDENTIALS": self.file} | more)

    def user(self, service: Service) -> dict:
        return {"type": "authorized_user", "client_id": "client", "client_secret": "SECRET-client",
                "refresh_token": "1//SECRET-refresh", "token_uri": f"{service.url}/token"}

    def certificate(self, name: str) -> Path:
        file = self.folder / f"{name}.pem"
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", f"/CN={name}", "-addext",
                f"subjectAltName=DNS:{name}", "-keyout", f"{file}.key", "-out", file)
        file.write_text(file.read_text() + Path(f"{file}.key").read_text())
        return file
