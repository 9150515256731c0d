"""Tokens through a proxy, to a service whose name nobody else knows: what goes through it is encrypted, for the service alone."""

import unittest

from asking import FAILED, REFUSED, Asking
from support.connect_proxy import ConnectProxy
from support.token_services import token

PLACE = "service.example.com:8443"
USER_AND_PASSWORD = "Basic dXNlcjpwYXNzd29yZA=="


class Proxy(Asking, unittest.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.trusted = self.certificate("service.example.com")
        self.tokens = self.service(token("fresh"), certificate=self.trusted)

    def proxy(self, places: dict[str, str], authorization: str = "") -> ConnectProxy:
        proxy = ConnectProxy(places, authorization)
        proxy.__enter__()
        self.addCleanup(proxy.__exit__)
        return proxy

    def told_through(self, address: str) -> tuple[int, str]:
        user = self.user(self.tokens) | {"token_uri": f"https://{PLACE}/token"}
        return self.told_by(user, SSL_CERT_FILE=self.trusted, HTTPS_PROXY=address)

    def failure(self, proxy: ConnectProxy, why: str) -> str:
        return (f"{self.file}: https://{PLACE}/token: no answer from https://{PLACE} through the proxy http://{proxy.host} "
                f"({why})")

    def test_leads_to_a_service_that_proves_its_name(self):
        proxy = self.proxy({PLACE: self.tokens.host})
        self.assertEqual(self.told_through(f"http://{proxy.host}"), (0, "fresh 3599"))
        self.assertEqual(proxy.requests, [f"CONNECT {PLACE}"])
        self.assertEqual([request.headers["host"] for request in self.tokens.requests], [PLACE])

    def test_leads_to_nobody_who_does_not(self):
        other = self.service(token("SECRET"), certificate=self.certificate("elsewhere.example.com"))
        proxy = self.proxy({PLACE: other.host})
        self.assertEqual(self.told_through(proxy.host), (REFUSED, self.failure(
            proxy, "its certificate is not trusted: self-signed certificate; if it should be, name the file of its authority in "
                   "SSL_CERT_FILE")))
        self.assertEqual(len(proxy.requests), 1)
        self.assertEqual(other.requests, [])

    def test_is_told_who_asks(self):
        proxy = self.proxy({PLACE: self.tokens.host}, USER_AND_PASSWORD)
        self.assertEqual(self.told_through(f"user:password@{proxy.host}"), (0, "fresh 3599"))
        self.assertEqual(self.told_through(f"user:SECRET@{proxy.host}"), (REFUSED, self.failure(
            proxy, "HTTP 407; name who may use it in HTTPS_PROXY, as USER:PASSWORD@HOST:PORT")))
        self.assertEqual(len(proxy.requests), 2)

    def test_that_does_not_get_there_is_asked_again(self):
        proxy = self.proxy({})
        self.assertEqual(self.told_through(proxy.host), (FAILED, self.failure(proxy, "HTTP 502")))
        self.assertEqual(len(proxy.requests), 3)


if __name__ == "__main__":
    unittest.main()
