"""An HTTP proxy that connects clients (CONNECT) to where a test says that a name leads."""

import socket
import threading
from socketserver import StreamRequestHandler, ThreadingTCPServer

from support.served import Served


class ConnectProxy(Served):
    """A client that does not send `authorization` gets a 407."""

    def __init__(self, places: dict[str, str], authorization: str = ""):
        """`places`: HOST:PORT as clients name it, and as it is reached."""
        self.requests: list[str] = []
        proxy = self

        class Handler(StreamRequestHandler):
            def handle(self) -> None:
                method, place, _ = self.rfile.readline().decode().split()
                headers = dict(line.decode().strip().split(": ", 1) for line in iter(self.rfile.readline, b"\r\n"))
                proxy.requests.append(f"{method} {place}")
                if headers.get("Proxy-Authorization", "") != authorization:
                    self.wfile.write(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
                elif place not in places:
                    self.wfile.write(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")
                else:
                    host, _, port = places[place].rpartition(":")
                    with socket.create_connection((host, int(port))) as other:
                        self.wfile.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
                        there = threading.Thread(target=carry, args=(self.connection, other))
                        there.start()
                        carry(other, self.connection)
                        there.join()

        super().__init__(ThreadingTCPServer(("127.0.0.1", 0), Handler))


def carry(source: socket.socket, into: socket.socket) -> None:
    try:
        while piece := source.recv(65536):
            into.sendall(piece)
        into.shutdown(socket.SHUT_WR)
    except OSError:
        pass  # One of them is gone.
