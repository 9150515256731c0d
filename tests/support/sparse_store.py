"""An object store with more data than a machine holds: objects that are one record again and again, made when they are read.
It answers what a reader of gs:// asks, lists and ranges, and counts the bytes that it has sent."""

import json
import re
import threading
import urllib.parse
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Iterator

from support.served import Served

PAGE = 1000


class SparseStore:
    """`objects` of them, called PREFIX00000 and so on, each of `records` records."""

    def __init__(self, prefix: str, record: bytes, objects: int, records: int):
        self.record, self.size = record, len(record) * records
        self.names = [f"{prefix}{number:05}" for number in range(objects)]
        self.sent = 0
        self.lock = threading.Lock()

    def bytes_in_all(self) -> int:
        return self.size * len(self.names)

    def described(self, name: str) -> dict[str, str]:
        return {"name": name, "size": str(self.size), "generation": "1"}

    def listed(self, query: dict[str, str]) -> dict[str, object]:
        names = [name for name in self.names if name.startswith(query.get("prefix", ""))]
        begin = int(query.get("pageToken", 0))
        page: dict[str, object] = {"items": [self.described(name) for name in names[begin:begin + PAGE]]}
        return page | ({"nextPageToken": str(begin + PAGE)} if begin + PAGE < len(names) else {})

    def pieces(self, begin: int, end: int) -> Iterator[bytes]:
        while begin < end:
            at = begin % len(self.record)
            piece = self.record[at:at + end - begin]
            with self.lock:
                self.sent += len(piece)
            yield piece
            begin += len(piece)


def handler_for(store: SparseStore) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_) -> None:
            pass

        def do_GET(self) -> None:
            url = urllib.parse.urlsplit(self.path)
            query = dict(urllib.parse.parse_qsl(url.query))
            if url.path.endswith("/o"):
                return self.answer(200, json.dumps(store.listed(query)).encode())
            name = urllib.parse.unquote(url.path.rpartition("/o/")[2])
            if name not in store.names:
                return self.answer(404, b"{}")
            if query.get("alt") != "media":
                return self.answer(200, json.dumps(store.described(name)).encode())
            self.send_range()

        def send_range(self) -> None:
            asked = re.match(r"bytes=(\d+)-(\d*)", self.headers.get("Range", "bytes=0-"))
            begin, last = int(asked[1]), min(int(asked[2] or store.size), store.size - 1)
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {begin}-{last}/{store.size}")
            self.send_header("Content-Length", str(last + 1 - begin))
            self.send_header("x-goog-generation", "1")
            self.end_headers()
            for piece in store.pieces(begin, last + 1):
                self.wfile.write(piece)

        def answer(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    return Handler


class Server(ThreadingHTTPServer):
    def handle_error(self, *_) -> None:
        pass  # Readers go as they like.


@contextmanager
def serving(store: SparseStore) -> Iterator[str]:
    """Gives the URL where it is."""
    with Served(Server(("127.0.0.1", 0), handler_for(store))) as served:
        yield f"http://{served.host}"
