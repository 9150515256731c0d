"""How `carrack-operator` ends: at a signal, whatever it waits for, and where the API server was given an older state."""

import json
import os
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

PROGRAM = Path(os.environ["CARRACK_BUILD"]) / "bin" / "carrack-operator"
ENDS_WITHIN_SECONDS = 5  # After the first signal.


class GivenAnOlderState(BaseHTTPRequestHandler):
    """Lists everything at version 9, ends each watch at once, and is then at version 5."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        watch = "watch=true" in self.path
        version = "5" if self.path.endswith("limit=1") else "9"
        body = b"" if watch else json.dumps({"metadata": {"resourceVersion": version}, "items": []}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Operator(unittest.TestCase):
    def start(self, port: int) -> subprocess.Popen:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        kubeconfig = Path(folder.name, "config")
        kubeconfig.write_text(f"""
current-context: c
contexts: [{{name: c, context: {{cluster: k}}}}]
clusters: [{{name: k, cluster: {{server: "http://127.0.0.1:{port}"}}}}]
""")
        program = subprocess.Popen([PROGRAM, "--trainer-image", "trainer", "--listen", "127.0.0.1:0",
                                    "--probes", "127.0.0.1:0"],
                                   env=os.environ | {"KUBECONFIG": str(kubeconfig)}, stderr=subprocess.PIPE, text=True)
        self.addCleanup(program.stderr.close)
        self.addCleanup(program.wait)
        self.addCleanup(program.kill)
        return program

    def silent(self) -> tuple[subprocess.Popen, socket.socket]:
        """An operator that has asked, and is not answered."""
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)
        program = self.start(listener.getsockname()[1])
        asked, _ = listener.accept()
        self.addCleanup(asked.close)
        self.assertTrue(asked.recv(1))
        return program, asked

    def seconds_to_end(self, program: subprocess.Popen) -> float:
        begun = time.monotonic()
        self.assertEqual(program.wait(timeout=60), 0)
        self.assertIn("exits before all requests are answered", program.stderr.read())
        return time.monotonic() - begun

    def test_a_signal_ends_it_within_seconds_though_the_server_is_silent(self):
        program, _ = self.silent()
        program.send_signal(signal.SIGTERM)
        took = self.seconds_to_end(program)
        self.assertGreater(took, ENDS_WITHIN_SECONDS - 1, "what is under way is waited for")
        self.assertLess(took, ENDS_WITHIN_SECONDS + 5)

    def test_a_second_signal_ends_it_at_once(self):
        program, _ = self.silent()
        program.send_signal(signal.SIGINT)
        time.sleep(0.2)
        program.send_signal(signal.SIGINT)
        self.assertLess(self.seconds_to_end(program), ENDS_WITHIN_SECONDS - 1)

    def test_an_older_state_ends_it_so_that_the_next_one_begins_anew(self):
        server = ThreadingHTTPServer(("127.0.0.1", 0), GivenAnOlderState)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        program = self.start(server.server_address[1])
        self.assertEqual(program.wait(timeout=60), 1)
        said = program.stderr.read()
        self.assertIn("the server is at version 5, and was at 9 before: it was restored to an older state", said)
        self.assertIn("exits, so that the next operator begins with the current state", said)


if __name__ == "__main__":
    unittest.main()
