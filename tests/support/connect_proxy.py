"""An HTTP proxy that connects (CONNECT) whoever asks, wherever a test says that a name leads."""

import socket
import threading
from socketserver import StreamRequestHandler, ThreadingTCPServer


class ConnectProxy:
    """Listens on loopback until the block ends. Whoever does not say `authorization` is answered 407."""

    def __init__(self, places: dict[str, str], authorization: str = ""):
        """HOST:PORT as it is asked for, and as it is reached."""
        self.asked: list[str] = []
        proxy = self

        class Handler(StreamRequestHandler):
            def handle(self) -> None:
                method, place, _ = self.rfile.readline().decode().split()
                headers = dict(line.decode().strip().split(": ", 1) for line in iter(self.rfile.readline, b"\r\n"))
                proxy.asked.append(f"{method} {place}")
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

        self._server = ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self.host = f"127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    def __enter__(self) -> "ConnectProxy":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def carry(source: socket.socket, into: socket.socket) -> None:
    try:
        while piece := source.recv(65536):
            into.sendall(piece)
        into.shutdown(socket.SHUT_WR)
    except OSError:
        pass  # One of them is gone.
