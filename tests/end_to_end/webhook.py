"""Admission webhooks for the pods of one namespace, served by this machine: one that denies, and one that nobody serves."""

import base64
import http.server
import json
import socket
import ssl
import subprocess
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator

from cluster import access

ADDRESS = access.OWN.host_address
NAME = "pods.carrack.test"
WORDS = "pods need the label cost-center"


class Deny(http.server.BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        response = {"uid": review["request"]["uid"], "allowed": False, "status": {"code": 403, "message": WORDS}}
        body = json.dumps({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_) -> None:
        pass


@contextmanager
def configured(namespace: str, port: int, authority: bytes) -> Iterator[None]:
    """The API server asks this machine about each pod that is created in the namespace."""
    name = f"{NAME}.{namespace}"
    hook = {"name": NAME, "failurePolicy": "Fail", "sideEffects": "None", "admissionReviewVersions": ["v1"],
            "timeoutSeconds": 5, "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}},
            "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}],
            "clientConfig": {"url": f"https://{ADDRESS}:{port}/", "caBundle": base64.b64encode(authority).decode()}}
    access.kubectl("create", "-f", "-", input=json.dumps({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": name}, "webhooks": [hook]}))
    try:
        yield
    finally:
        access.kubectl("delete", "validatingwebhookconfiguration", name)


def certificate(folder: Path) -> Path:
    """A key and the certificate that it has signed itself, in one file."""
    file = folder / "webhook.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc", "-days", "2",
                    "-subj", "/CN=webhook", "-addext", f"subjectAltName=IP:{ADDRESS}", "-keyout", file, "-out", file.with_suffix(".crt")],
                   check=True, capture_output=True)
    file.write_bytes(file.read_bytes() + file.with_suffix(".crt").read_bytes())
    return file


@contextmanager
def that_denies(namespace: str, folder: Path) -> Iterator[None]:
    file = certificate(folder)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    server = http.server.ThreadingHTTPServer((ADDRESS, 0), Deny)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        with configured(namespace, server.server_port, file.with_suffix(".crt").read_bytes()):
            yield
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def that_is_down(namespace: str, folder: Path) -> Iterator[int]:
    """Gives the port, on which nobody listens while it is bound."""
    with socket.socket() as bound:
        bound.bind((ADDRESS, 0))
        with configured(namespace, bound.getsockname()[1], certificate(folder).with_suffix(".crt").read_bytes()):
            yield bound.getsockname()[1]
