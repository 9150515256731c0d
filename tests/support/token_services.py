"""Simulated token services: each sends the replies of a test in turn, and records the requests."""

import json
import ssl
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qsl

from support.served import Served

SILENCE = "silence"  # A reply that does not come.
CLOSED = "closed"  # The connection ends in place of a reply.
METADATA = {"Metadata-Flavor": "Google"}  # What a metadata server says that it is.


class Request(NamedTuple):
    method: str
    target: str
    headers: dict[str, str]  # Names in small letters.
    body: str

    def form(self) -> dict[str, str]:
        assert self.headers["content-type"] == "application/x-www-form-urlencoded", self.headers
        return dict(parse_qsl(self.body, strict_parsing=True))


class Reply(NamedTuple):
    status: int
    body: str
    headers: dict[str, str] = {}


def token(text: str, **more: object) -> Reply:
    """As the token services answer."""
    return Reply(200, json.dumps({"access_token": text, "expires_in": 3599, "token_type": "Bearer"} | more))


def metadata_token(text: str) -> Reply:
    """As a metadata server answers."""
    return token(text)._replace(headers=METADATA)


def refusal(status: int, error: str, description: str) -> Reply:
    return Reply(status, json.dumps({"error": error, "error_description": description}))


class Service(Served):
    """Over TLS if there is a certificate with its key in a file."""

    def __init__(self, *replies: Reply | str, certificate: Path | None = None):
        self.requests: list[Request] = []
        self.replies = list(replies)  # The last one for ever.
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
                headers = {name.lower(): value for name, value in self.headers.items()}
                service.requests.append(Request(self.command, self.path, headers, body))
                service.answer(self)

            do_GET = do_POST = answer

            def log_message(self, *_: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.handle_error = lambda *_: None  # A client that refuses our certificate.
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            server.socket = context.wrap_socket(server.socket, server_side=True)
        super().__init__(server)
        self.url = ("https" if certificate else "http") + f"://{self.host}"

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if isinstance(reply, str):
            time.sleep(1 if reply == SILENCE else 0)
            handler.close_connection = True
            return
        handler.send_response(reply.status)
        for name, value in reply.headers.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(reply.body.encode())))
        handler.end_headers()
        handler.wfile.write(reply.body.encode())
