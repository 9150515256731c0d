"""A server of this process, on a thread of its own."""

import socketserver
import threading


class Served:
    """Serves until the block ends. `host` is its address on loopback."""

    def __init__(self, server: socketserver.TCPServer):
        self._server = server
        self.host = f"127.0.0.1:{server.server_address[1]}"
        self._thread = threading.Thread(target=server.serve_forever, args=(0.01,))

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
