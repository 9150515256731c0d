"""Health checks go directly to a part, whatever proxy the environment names."""

import http.server
import os
import unittest
from unittest import mock

from cluster import supervisor
from support.served import Served

NOWHERE = "http://127.0.0.1:1"  # nothing listens at port 1


class Health(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if self.path == "/healthz" else 500)
        self.end_headers()

    def log_message(self, *_):
        pass


class Answers(unittest.TestCase):
    def setUp(self):
        server = self.enterContext(Served(http.server.HTTPServer(("127.0.0.1", 0), Health)))
        self.url = f"http://{server.host}"

    def test_only_200_is_yes(self):
        self.assertTrue(supervisor.is_ready(f"{self.url}/healthz"))
        self.assertFalse(supervisor.is_ready(f"{self.url}/other"))
        self.assertFalse(supervisor.is_ready(NOWHERE))

    def test_no_proxy_is_asked(self):
        with mock.patch.dict(os.environ, {"http_proxy": NOWHERE, "no_proxy": ""}):
            os.environ.pop("NO_PROXY", None)
            self.assertTrue(supervisor.is_ready(f"{self.url}/healthz"))


if __name__ == "__main__":
    unittest.main()
