"""Where credentials are looked for: in files, in an order, and at a machine's or pod's metadata server, which may still be
warming up, or not be there at all."""

import json
import time
import unittest

from asking import FAILED, NOBODY, REFUSED, Asking
from support.token_services import CLOSED, METADATA, Reply, metadata_token, token

METADATA_TARGET = "/computeMetadata/v1/instance/service-accounts/default/token"


class Places(Asking, unittest.TestCase):
    def test_a_machine_of_google_gives_a_token(self):
        good = metadata_token("machine")
        service = self.service(good)
        self.assertEqual(self.outcome({"GCE_METADATA_HOST": service.host}), (0, "machine 3599"))
        self.assertEqual(self.outcome({}, metadata=service.host), (0, "machine 3599"))
        for request in service.requests:
            self.assertEqual((request.method, request.target, request.headers["metadata-flavor"]),
                             ("GET", METADATA_TARGET, "Google"))
        for maker in ["Google Compute Engine\n", "A laptop\n"]:
            warming_up = self.service(CLOSED, Reply(503, "", METADATA), good)
            self.assertEqual(self.outcome({}, maker, warming_up.host), (0, "machine 3599"), maker)

    def test_a_machine_without_an_account_is_told(self):
        service = self.service(Reply(404, "<html>", METADATA))
        whose = f"Google Cloud credentials of this machine: {service.url}{METADATA_TARGET}"
        self.assertEqual(self.outcome({}, "Google", service.host),
                         (REFUSED, f"{whose}: HTTP 404; give the machine, or the pod's Kubernetes service account, a "
                                   "service account"))
        service = self.service(Reply(200, "SECRET", METADATA))
        self.assertEqual(self.outcome({}, "Google", service.host),
                         (FAILED, f"Google Cloud credentials of this machine: {service.url}{METADATA_TARGET}: answered "
                                  "without a token that can be used"))

    def test_who_has_nothing_is_told_soon_what_to_do(self):
        def nothing(file: object, host: str) -> tuple[int, str]:
            return (REFUSED, f"no Google Cloud credentials: GOOGLE_APPLICATION_CREDENTIALS is not set, there is no {file}, "
                    f"and no metadata server at {host}; run `gcloud auth application-default login`, or set "
                    "GOOGLE_APPLICATION_CREDENTIALS to a file of credentials, or STORAGE_EMULATOR_HOST to an emulator's "
                    "address")
        self.assertEqual(self.outcome({}), nothing("home folder", NOBODY))
        file = self.folder / ".config/gcloud/application_default_credentials.json"
        self.assertEqual(self.outcome({"HOME": self.folder}), nothing(file, NOBODY))
        portal = self.service(Reply(200, '{"access_token": "SECRET"}'))  # Does not say that it is Google's.
        self.assertEqual(self.outcome({"HOME": self.folder}, "A laptop", portal.host), nothing(file, portal.host))
        begun = time.monotonic()
        self.outcome({}, metadata="192.0.2.1")  # An address without anybody, which may answer nothing at all.
        self.assertLess(time.monotonic() - begun, 10)

    def test_a_machine_of_google_that_does_not_serve_may_serve_later(self):
        url = f"http://{NOBODY}"
        silent = (FAILED, f"Google Cloud credentials of this machine: {url}{METADATA_TARGET}: no answer from {url} "
                          "(cannot connect: Connection refused)")
        self.assertEqual(self.outcome({}, "Google Compute Engine"), silent)
        self.assertEqual(self.outcome({"GCE_METADATA_HOST": NOBODY}), silent)
        ill = self.service(Reply(503, ""))
        self.assertEqual(self.outcome({}, "Google", ill.host),
                         (FAILED, f"Google Cloud credentials of this machine: {ill.url}{METADATA_TARGET}: HTTP 503"))

    def test_places_are_looked_at_in_order_and_what_is_there_counts(self):
        gcloud, home = self.folder / "gcloud", self.folder / ".config/gcloud"
        for number, place in enumerate([self.file, *(folder / "application_default_credentials.json"
                                                     for folder in (gcloud, home))]):
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(json.dumps(self.user(self.service(token(f"number-{number}")))))
        machine = self.service(metadata_token("machine")).host
        here = {"HOME": self.folder, "CLOUDSDK_CONFIG": gcloud, "GOOGLE_APPLICATION_CREDENTIALS": self.file}
        self.assertEqual(self.outcome(here, metadata=machine), (0, "number-0 3599"))
        self.file.write_text("{")
        self.assertEqual(self.outcome(here, metadata=machine), (REFUSED, f"{self.file}: is not a JSON object"))
        self.file.unlink()
        self.assertEqual(self.outcome(here, metadata=machine),
                         (REFUSED, f"GOOGLE_APPLICATION_CREDENTIALS: there is no file {self.file}"))
        here["GOOGLE_APPLICATION_CREDENTIALS"] = ""
        self.assertEqual(self.outcome(here, metadata=machine), (0, "number-1 3599"))
        del here["CLOUDSDK_CONFIG"]
        self.assertEqual(self.outcome(here, metadata=machine), (0, "number-2 3599"))
        here["HOME"] = self.folder / "elsewhere"
        self.assertEqual(self.outcome(here, metadata=machine), (0, "machine 3599"))


if __name__ == "__main__":
    unittest.main()
