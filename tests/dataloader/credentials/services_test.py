"""Tokens of every kind of credentials, from simulated services (support/token_services.py): the requests are those that Google
documents, and what they answer, also when it is no token, is taken as it is meant. Signatures are checked by OpenSSL's
command line."""

import base64
import json
import time
import unittest

from asking import FAILED, NOBODY, REFUSED, Asking, openssl
from support.token_services import CLOSED, SILENCE, Reply, Request, Service, refusal, token

SCOPE = "https://www.googleapis.com/auth/cloud-platform"
AUDIENCE = "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pool/providers/kind"


def base64url(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


def compact(value: dict) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


class Services(Asking, unittest.TestCase):
    def external(self, sts: Service, source: dict, **more: object) -> dict:
        return {"type": "external_account", "audience": AUDIENCE, "token_url": f"{sts.url}/v1/token",
                "subject_token_type": "urn:ietf:params:oauth:token-type:jwt", "credential_source": source} | more

    def assert_exchanged(self, request: Request, subject: str) -> None:
        self.assertEqual((request.method, request.target), ("POST", "/v1/token"))
        self.assertEqual(request.form(), {
            "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "audience": AUDIENCE, "scope": SCOPE,
            "requested_token_type": "urn:ietf:params:oauth:token-type:access_token",
            "subject_token_type": "urn:ietf:params:oauth:token-type:jwt", "subject_token": subject})

    def test_a_service_account_signs_what_anybody_can_verify_and_asks_nobody(self):
        key, public, signature = self.folder / "key", self.folder / "public", self.folder / "signature"
        openssl("genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", key)
        openssl("pkey", "-in", key, "-pubout", "-out", public)
        email = "trainer@PROJECT.iam.gserviceaccount.com"
        with Service(token("unasked")) as service:
            code, printed = self.told_by({"type": "service_account", "client_email": email, "private_key_id": "the-key",
                                          "private_key": key.read_text(), "token_uri": f"{service.url}/token"})
        self.assertEqual((code, service.requests), (0, []))
        text, lifetime = printed.split(" ")
        self.assertEqual(lifetime, "3600")
        header, claims, signed = (base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)) for part in text.split("."))
        begun = json.loads(claims)["iat"]
        self.assertAlmostEqual(begun, time.time(), delta=10)
        signature.write_bytes(signed)
        verdict = openssl("dgst", "-sha256", "-verify", public, "-signature", signature,
                          given=text.rpartition(".")[0].encode())
        self.assertEqual(verdict, b"Verified OK\n")
        ours = (base64url(compact({"alg": "RS256", "typ": "JWT", "kid": "the-key"})) + "." + base64url(compact(
            {"iss": email, "sub": email, "scope": SCOPE, "iat": begun, "exp": begun + 3600})))
        self.assertEqual(text, ours + "." + base64url(openssl("dgst", "-sha256", "-sign", key, given=ours.encode())))

    def test_a_refresh_token_brings_a_token(self):
        service = self.service(token("fresh"))
        self.assertEqual(self.told_by(self.user(service)), (0, "fresh 3599"))
        (request,) = service.requests
        self.assertEqual((request.method, request.target), ("POST", "/token"))
        self.assertEqual(request.form(), {"grant_type": "refresh_token", "client_id": "client",
                                        "client_secret": "SECRET-client", "refresh_token": "1//SECRET-refresh"})

    def test_a_service_that_is_ill_is_asked_again(self):
        ill = Reply(500, "<html>SECRET-client</html>")
        for trouble in [ill, Reply(503, ""), Reply(429, ""), SILENCE, CLOSED]:
            service = self.service(trouble, trouble, token("fresh"))
            self.assertEqual(self.told_by(self.user(service)), (0, "fresh 3599"), trouble)
        service = self.service(ill)
        self.assertEqual(self.told_by(self.user(service)), (FAILED, f"{self.file}: {service.url}/token: HTTP 500"))
        self.assertEqual(len(service.requests), 3)
        gone = self.service(CLOSED)
        self.assertEqual(self.told_by(self.user(gone)),
                         (FAILED, f"{self.file}: {gone.url}/token: no answer from {gone.url} (closed the connection)"))

    def test_a_refusal_is_told_with_what_to_do_and_without_secrets(self):
        service = self.service(refusal(400, "invalid_grant", "Token has been expired or revoked."))
        log_in = "log in again with `gcloud auth application-default login`"
        self.assertEqual(self.told_by(self.user(service)),
                         (REFUSED, f"{self.file}: {service.url}/token: HTTP 400: invalid_grant: Token has been expired or "
                                   f"revoked.; {log_in}"))
        self.assertEqual(len(service.requests), 1)
        service = self.service(refusal(401, "invalid_client", "SECRET-client has no 1//SECRET-refresh"))
        self.assertEqual(self.told_by(self.user(service)),
                         (REFUSED, f"{self.file}: {service.url}/token: HTTP 401: invalid_client: ... has no ...; {log_in}"))

    def test_what_is_no_token_is_not_taken_for_one(self):
        for reply in [Reply(200, "<html>SECRET</html>"), Reply(200, ""), Reply(200, '{"access_token": "SECRET'),
                      token("SECRET\r\nHost: elsewhere"), token("SECRET", expires_in="soon"), token("")]:
            service = self.service(reply)
            self.assertEqual(self.told_by(self.user(service)),
                             (FAILED, f"{self.file}: {service.url}/token: answered without a token that can be used"))

    def test_a_token_without_an_end_is_taken_to_live_an_hour(self):
        service = self.service(Reply(200, '{"access_token": "endless", "token_type": "Bearer"}'))
        self.assertEqual(self.told_by(self.user(service)), (0, "endless 3600"))

    def test_a_providers_token_is_exchanged(self):
        sts = self.service(token("federated"))
        subject = self.folder / "subject"
        subject.write_text("SECRET.subject.token\n")
        self.assertEqual(self.told_by(self.external(sts, {"file": str(subject)})), (0, "federated 3599"))
        subject.write_text(json.dumps({"id_token": "SECRET.other.token"}))
        json_format = {"type": "json", "subject_token_field_name": "id_token"}
        source = {"file": str(subject), "format": json_format}
        self.assertEqual(self.told_by(self.external(sts, source)), (0, "federated 3599"))
        provider = self.service(Reply(200, json.dumps({"id_token": "SECRET.third.token"})))
        source = {"url": f"{provider.url}/identity?resource=a", "headers": {"Metadata": "True"}, "format": json_format}
        self.assertEqual(self.told_by(self.external(sts, source)), (0, "federated 3599"))
        for request, text in zip(sts.requests, ["SECRET.subject.token", "SECRET.other.token", "SECRET.third.token"], strict=True):
            self.assert_exchanged(request, text)
        (request,) = provider.requests
        self.assertEqual((request.method, request.target, request.headers["metadata"]), ("GET", "/identity?resource=a", "True"))

    def test_a_providers_token_that_cannot_be_had_is_told(self):
        sts = self.service(token("federated"))
        missing = self.folder / "missing"
        self.assertEqual(self.told_by(self.external(sts, {"file": str(missing)})),
                         (REFUSED, f"{missing}: there is no such file, which {self.file} names"))
        missing.write_text(" \n")
        self.assertEqual(self.told_by(self.external(sts, {"file": str(missing)})), (REFUSED, f"{missing}: is empty"))
        missing.write_text("SECRET" * 20_000)
        self.assertEqual(self.told_by(self.external(sts, {"file": str(missing)})),
                         (REFUSED, f"{missing}: is larger than 64 KiB, so it holds no credentials"))
        provider = self.service(Reply(404, "SECRET"))
        source = {"url": f"{provider.url}/identity?code=SECRET", "headers": {"Key": "SECRET-key"}}
        self.assertEqual(self.told_by(self.external(sts, source)),
                         (REFUSED, f"{self.file}: {provider.url}/identity: HTTP 404; look at credential_source.url and its "
                                   "headers"))
        source["format"] = {"type": "json", "subject_token_field_name": "id_token"}
        provider = self.service(Reply(200, '{"token": "SECRET"}'))
        source["url"] = f"{provider.url}/identity"
        self.assertEqual(self.told_by(self.external(sts, source)),
                         (REFUSED, f"{self.file}: {provider.url}/identity: id_token: is missing"))
        self.assertEqual(sts.requests, [])

    def test_an_exchange_that_is_refused_is_told_without_the_token(self):
        sts = self.service(refusal(400, "invalid_grant", "The audience in SECRET.subject.token does not match"))
        subject = self.folder / "subject"
        subject.write_text("SECRET.subject.token")
        self.assertEqual(self.told_by(self.external(sts, {"file": str(subject)})),
                         (REFUSED, f"{self.file}: {sts.url}/v1/token: HTTP 400: invalid_grant: The audience in ... does not "
                                   "match; look whether the identity pool's provider takes this issuer, audience and subject"))

    def test_an_account_is_impersonated_by_whoever_may(self):
        target = "/v1/projects/-/serviceAccounts/trainer:generateAccessToken"
        iam = self.service(Reply(200, json.dumps({"accessToken": "borrowed", "expireTime": "2014-10-02T15:01:23Z"})))
        sts = self.service(token("SECRET-federated"))
        subject = self.folder / "subject"
        subject.write_text("SECRET.subject.token")
        external = self.external(sts, {"file": str(subject)}, service_account_impersonation_url=iam.url + target,
                                 service_account_impersonation={"token_lifetime_seconds": 900})
        self.assertEqual(self.told_by(external), (0, "borrowed 900"))
        oauth = self.service(token("SECRET-user"))
        self.assertEqual(self.told_by({
            "type": "impersonated_service_account", "source_credentials": self.user(oauth), "delegates": ["between"],
            "service_account_impersonation_url": iam.url + target}), (0, "borrowed 3600"))
        first, second = iam.requests
        for request in iam.requests:
            self.assertEqual((request.method, request.target, request.headers["content-type"]),
                             ("POST", target, "application/json"))
        self.assertEqual(first.headers["authorization"], "Bearer SECRET-federated")
        self.assertEqual(json.loads(first.body), {"scope": [SCOPE], "lifetime": "900s"})
        self.assertEqual(second.headers["authorization"], "Bearer SECRET-user")
        self.assertEqual(json.loads(second.body), {"scope": [SCOPE], "lifetime": "3600s", "delegates": ["between"]})

        denied = {"error": {"code": 403, "message": "Permission denied for SECRET-user", "status": "PERMISSION_DENIED"}}
        iam = self.service(Reply(403, json.dumps(denied)))
        self.assertEqual(
            self.told_by({"type": "impersonated_service_account", "source_credentials": self.user(oauth),
                          "service_account_impersonation_url": iam.url + target}),
            (REFUSED, f"{self.file}: {iam.url}{target}: HTTP 403: Permission denied for ...; grant who it is that asks the "
                      "role Service Account Token Creator on that account"))

    def test_accounts_are_impersonated_in_turn(self):
        subject = self.folder / "subject"
        subject.write_text("SECRET.subject.token")
        sts = self.service(token("SECRET-federated"))
        first = self.service(Reply(200, json.dumps({"accessToken": "SECRET-first", "expireTime": "2014-10-02T15:01:23Z"})))
        second = self.service(Reply(200, json.dumps({"accessToken": "second", "expireTime": "2014-10-02T15:01:23Z"})))
        told = self.told_by({
            "type": "impersonated_service_account", "delegates": ["between", "last"],
            "service_account_impersonation_url": f"{second.url}/second:generateAccessToken",
            "source_credentials": self.external(
                sts, {"file": str(subject)}, service_account_impersonation_url=f"{first.url}/first:generateAccessToken",
                service_account_impersonation={"token_lifetime_seconds": 600})})
        self.assertEqual(told, (0, "second 3600"))
        (exchanged,), (request,), (last,) = sts.requests, first.requests, second.requests
        self.assert_exchanged(exchanged, "SECRET.subject.token")
        self.assertEqual((request.target, request.headers["authorization"], json.loads(request.body)),
                         ("/first:generateAccessToken", "Bearer SECRET-federated", {"scope": [SCOPE], "lifetime": "600s"}))
        self.assertEqual((last.target, last.headers["authorization"], json.loads(last.body)),
                         ("/second:generateAccessToken", "Bearer SECRET-first",
                          {"scope": [SCOPE], "lifetime": "3600s", "delegates": ["between", "last"]}))

    def test_a_step_that_fails_ends_the_chain_and_says_which(self):
        oauth = self.service(token("SECRET-user"))
        iam = self.service(Reply(404, json.dumps({"error": {"message": "no account SECRET-user"}})))
        told = self.told_by({"type": "impersonated_service_account", "source_credentials": self.user(oauth),
                             "service_account_impersonation_url": f"{iam.url}/gone"})
        self.assertEqual(told, (REFUSED, f"{self.file}: {iam.url}/gone: HTTP 404: no account ...; grant who it is that asks "
                                         "the role Service Account Token Creator on that account"))

    def test_all_that_a_token_takes_has_one_deadline(self):
        oauth, iam = self.service(token("SECRET-user")), self.service(SILENCE)
        self.file.write_text(json.dumps({
            "type": "impersonated_service_account", "source_credentials": self.user(oauth),
            "service_account_impersonation_url": f"{iam.url}/silent"}))
        code, printed = self.outcome({"GOOGLE_APPLICATION_CREDENTIALS": self.file}, "", NOBODY, 700)
        self.assertEqual(code, FAILED)
        self.assertTrue(printed.startswith(f"{self.file}: {iam.url}/silent: no answer from {iam.url} ("), printed)
        self.assertLess(len(iam.requests), 3)

    def test_secrets_go_to_who_proves_its_name(self):
        right, wrong = self.certificate("localhost"), self.certificate("elsewhere.example.com")
        for served, trusted, reached in [(right, right, True), (right, wrong, False), (wrong, wrong, False)]:
            service = self.service(token("fresh"), certificate=served)
            url = service.url.replace("127.0.0.1", "localhost")
            told = self.told_by(self.user(service) | {"token_uri": f"{url}/token"}, SSL_CERT_FILE=trusted)
            if reached:
                self.assertEqual(told, (0, "fresh 3599"))
            else:
                why = "hostname mismatch" if trusted == served else (
                    "self-signed certificate; if it should be, name the file of its authority in SSL_CERT_FILE")
                self.assertEqual(told, (REFUSED, f"{self.file}: {url}/token: no answer from {url} (its certificate is not "
                                                 f"trusted: {why})"))
                self.assertEqual(service.requests, [])


if __name__ == "__main__":
    unittest.main()
