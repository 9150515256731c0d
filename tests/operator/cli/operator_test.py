"""What `carrack-operator` serves, and how it ends: at a signal, whatever it waits for, and where the API server was restored
to an older state."""

import json
import os
import signal
import socket
import subprocess
import tempfile
import time
import unittest
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from support.served import Served

PROGRAM = Path(os.environ["CARRACK_BUILD"]) / "bin" / "carrack-operator"
ENDS_WITHIN_SECONDS = 5  # After the first signal.


class RestoredServer(BaseHTTPRequestHandler):
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


class PartlyForbiddenServer(BaseHTTPRequestHandler):
    """Lists everything but what is in the namespace `secret`; watches bring nothing and last."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if "watch=true" in self.path:
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            time.sleep(30)
            return
        forbidden = "/namespaces/secret/" in self.path
        status = {"kind": "Status", "reason": "Forbidden", "message": "may not list"}
        body = json.dumps(status if forbidden else {"metadata": {"resourceVersion": "9"}, "items": []}).encode()
        self.send_response(403 if forbidden else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def free_address() -> str:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return f"127.0.0.1:{listener.getsockname()[1]}"


def get(url: str) -> tuple[int, str, str]:
    """Status, content type and text."""
    try:
        reply = urllib.request.urlopen(url, timeout=10)
    except urllib.error.HTTPError as error:
        reply = error
    with reply:
        return reply.status, reply.headers["Content-Type"], reply.read().decode()


class Operator(unittest.TestCase):
    def start(self, server: str, listen: str = "127.0.0.1:0", probes: str = "127.0.0.1:0",
              arguments: tuple[str, ...] = ()) -> subprocess.Popen:
        kubeconfig = Path(self.enterContext(tempfile.TemporaryDirectory()), "config")
        kubeconfig.write_text(f"""
current-context: c
contexts: [{{name: c, context: {{cluster: k}}}}]
clusters: [{{name: k, cluster: {{server: "http://{server}"}}}}]
""")
        program = subprocess.Popen([PROGRAM, "--trainer-image", "trainer", "--listen", listen, "--probes", probes,
                                    *arguments],
                                   env=os.environ | {"KUBECONFIG": str(kubeconfig)}, stderr=subprocess.PIPE, text=True)
        self.addCleanup(program.stderr.close)
        self.addCleanup(program.wait)
        self.addCleanup(program.kill)
        return program

    def silent(self, **addresses: str) -> subprocess.Popen:
        """An operator that has sent a request, and gets no reply."""
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)
        program = self.start(f"127.0.0.1:{listener.getsockname()[1]}", **addresses)
        connection, _ = listener.accept()
        self.addCleanup(connection.close)
        self.assertTrue(connection.recv(1))
        return program

    def seconds_to_end(self, program: subprocess.Popen) -> float:
        begun = time.monotonic()
        self.assertEqual(program.wait(timeout=60), 0)
        self.assertIn("exits before all requests are answered", program.stderr.read())
        return time.monotonic() - begun

    def test_probes_and_metrics_are_served_before_it_is_ready(self):
        metrics, probes = free_address(), free_address()
        self.silent(listen=metrics, probes=probes)
        self.assertEqual(get(f"http://{probes}/healthz")[::2], (200, "ok\n"))
        self.assertEqual(get(f"http://{probes}/readyz")[::2], (503, "the objects of the cluster have not been listed yet\n"))
        status, kind, text = get(f"http://{metrics}/metrics")
        self.assertEqual((status, kind), (200, "text/plain; version=0.0.4; charset=utf-8"))
        self.assertIn("\ncarrack_build_info{", text)

    def test_a_namespace_that_cannot_be_listed_is_named_and_stops_no_other(self):
        server = ThreadingHTTPServer(("127.0.0.1", 0), PartlyForbiddenServer)
        server.daemon_threads = True
        host = self.enterContext(Served(server)).host
        metrics, probes = free_address(), free_address()
        program = self.start(host, metrics, probes, ("--namespace", "secret", "--namespace", "team"))
        first = ""
        while not first.endswith("ready\n"):
            first = program.stderr.readline()
            self.assertTrue(first, "it ended")
        self.assertEqual(get(f"http://{probes}/healthz")[::2], (200, "ok\n"))
        path = "/apis/carrack.dev/v1alpha1/namespaces/secret/trainingjobs"
        self.assertEqual(get(f"http://{probes}/readyz")[::2], (
            503, f"the objects in namespace secret cannot be listed: GET {path}: may not list\n"))
        text = get(f"http://{metrics}/metrics")[2]
        self.assertIn('\ncarrack_watch_age_seconds{resource="trainingjobs",namespace="secret"} ', text)
        self.assertIn('\ncarrack_watch_restarts_total{resource="trainingjobs",reason="Error"} ', text)
        line = program.stderr.readline()
        self.assertIn("trainingjobs in namespace secret: ", line)

    def test_a_signal_ends_it_within_seconds_though_the_server_is_silent(self):
        program = self.silent()
        program.send_signal(signal.SIGTERM)
        took = self.seconds_to_end(program)
        self.assertGreater(took, ENDS_WITHIN_SECONDS - 1, "requests under way are waited for")
        self.assertLess(took, ENDS_WITHIN_SECONDS + 5)

    def test_a_second_signal_ends_it_at_once(self):
        program = self.silent()
        program.send_signal(signal.SIGINT)
        time.sleep(0.2)
        program.send_signal(signal.SIGINT)
        self.assertLess(self.seconds_to_end(program), ENDS_WITHIN_SECONDS - 1)

    def test_an_older_state_ends_it_so_that_the_next_one_begins_anew(self):
        server = self.enterContext(Served(ThreadingHTTPServer(("127.0.0.1", 0), RestoredServer)))
        program = self.start(server.host)
        self.assertEqual(program.wait(timeout=60), 1)
        printed = program.stderr.read()
        self.assertIn("the server is at version 5, and was at 9 before: it was restored to an older state", printed)
        self.assertIn("exits, so that the next operator begins with the current state", printed)

    def test_an_address_where_it_cannot_listen_ends_it(self):
        program = self.start("127.0.0.1:1", "nowhere:8080")
        self.assertEqual(program.wait(timeout=60), 1)
        self.assertIn("cannot listen on nowhere:8080: nowhere is not an IP address; give another address or port",
                      program.stderr.read())


if __name__ == "__main__":
    unittest.main()
