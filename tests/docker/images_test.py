"""Our images, packed of this build or, by CARRACK_IMAGES, built by their Dockerfiles: small, not root, without a shell, with the licence of all that they hold."""

import gzip
import io
import json
import tarfile
import unittest
from pathlib import Path

from support import machine

MEGABYTE = 1_000_000
LIMITS = {"operator": 40 * MEGABYTE, "trainer": 100 * MEGABYTE}


class Image:
    """A docker-archive, read whole."""

    def __init__(self, archive: Path):
        with tarfile.open(archive) as outer:
            (manifest,) = json.load(outer.extractfile("manifest.json"))
            self.tags = manifest["RepoTags"]
            self.config = json.load(outer.extractfile(manifest["Config"]))["config"]
            self.layers = [outer.extractfile(name).read() for name in manifest["Layers"]]

    def files(self) -> dict[str, tarfile.TarInfo]:
        return {member.name.lstrip("./"): member
                for layer in self.layers for member in tarfile.open(fileobj=io.BytesIO(layer))}

    def compressed_size(self) -> int:
        return sum(len(gzip.compress(layer)) for layer in self.layers)


IMAGES = {name: Image(machine.product_image(name)) for name in LIMITS}


class Images(unittest.TestCase):
    def test_are_small(self):
        for name, limit in LIMITS.items():
            size = IMAGES[name].compressed_size()
            print(f"carrack/{name}: {size / MEGABYTE:.1f} MB compressed, limit {limit / MEGABYTE:.0f} MB")
            self.assertLess(size, limit, name)

    def test_run_as_an_unprivileged_user_known_by_number(self):
        # By number, because Kubernetes cannot tell whether a named user is root.
        for name, one in IMAGES.items():
            self.assertEqual(one.config["User"], "65532:65532", name)

    def test_start_the_program_and_hold_no_shell(self):
        for name, one in IMAGES.items():
            files = one.files()
            self.assertEqual(one.config["Entrypoint"], [f"/usr/bin/carrack-{name}"])
            self.assertEqual([file for file in files if file.startswith(("usr/bin/", "bin/")) and files[file].isfile()],
                             [f"usr/bin/carrack-{name}"])

    def test_carry_certificates_and_the_licence_of_all_they_hold(self):
        for name, one in IMAGES.items():
            files = one.files()
            self.assertIn("etc/ssl/certs/ca-certificates.crt", files)
            self.assertEqual(files["usr/lib/ssl/cert.pem"].linkname, "/etc/ssl/certs/ca-certificates.crt", name)
            # collect_image.sh fails on a library of no known package; that its list is not empty is seen here.
            licensed = {file.split("/")[3] for file in files
                        if file.startswith("usr/share/doc/") and file.endswith("/copyright")}
            self.assertLessEqual({"carrack", "ca-certificates", "libc6", "libgcc-s1", "libstdc++6"}, licensed, name)
            libraries = [file for file in files if ".so" in file]
            self.assertGreaterEqual(len(libraries), len(licensed) - 2, name)


if __name__ == "__main__":
    unittest.main()
