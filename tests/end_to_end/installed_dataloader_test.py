"""The dataloader as other projects get it: the installed files, headers that compile alone, a version, and no other packages."""

import os
import re
import subprocess
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from support import machine

# packages that only the rest of the repository needs
OTHERS = ("gRPC", "GTest", "Protobuf", "Python3", "spdlog", "yaml-cpp")

# All public headers. A new one belongs here, in dataloader/package/headers.cmake and in the guide of its README.
PUBLIC = ["dataset", "error", "examples", "features", "images", "limits", "reading", "records", "rows", "sources", "storage", "text"]


def run(*command, **options) -> subprocess.CompletedProcess:
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)


class InstalledDataloader(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.prefix = self.folder / "prefix"
        done = run("cmake", "--install", os.environ["CARRACK_BUILD"], "--component", "dataloader", "--prefix", self.prefix)
        self.assertEqual(done.returncode, 0, done.stdout)

    def headers(self) -> list[str]:
        include = self.prefix / "include"
        return sorted(str(header.relative_to(include)) for header in include.rglob("*.h"))

    def test_installs_the_library_the_public_headers_the_package_and_licences_and_nothing_else(self):
        files = {str(file.relative_to(self.prefix)) for file in self.prefix.rglob("*") if file.is_file()}
        package = {f"lib/cmake/carrack/carrack-{name}.cmake" for name in ("config", "config-version", "targets", "targets-debug")}
        licences = {f"share/licenses/carrack/{name}" for name in ("carrack", "libisal-dev", "libjpeg62-turbo-dev", "libpng-dev", "libssl-dev",
                                                             "nlohmann-json3-dev", "zlib1g-dev")}
        self.assertLessEqual(len(PUBLIC), 12)
        headers = {f"include/carrack/{name}.h" for name in PUBLIC}
        self.assertEqual(files, {"lib/libcarrack_dataloader.a"} | package | licences | headers)

    def test_public_headers_hold_no_internals_of_the_network_and_of_pipelines(self):
        for header in self.headers():
            text = (self.prefix / "include" / header).read_text()
            self.assertNotRegex(text, "(?m)^// From dataloader/(http/|storage/gcs/|pipeline/streams/|pipeline/stages/(plan|profile|opened))", header)
            self.assertNotIn('#include "', text, header)

    def test_the_guide_names_each_public_header(self):
        guide = (machine.REPOSITORY / "dataloader/package/README.md").read_text()
        self.assertEqual(sorted(re.findall(r"`<carrack/(\w+)\.h>`", guide)), PUBLIC)

    def test_each_header_compiles_alone_without_the_repository_and_other_packages(self):
        headers = self.headers()
        for number, header in enumerate(headers):
            (self.folder / f"{number}.cc").write_text(f'#include "{header}"\n')
        # Relative paths, so that the compiler cache finds them again.
        compiled = lambda number: run("ccache", "g++", "-std=c++20", "-Wall", "-Wextra", "-Werror", "-I", "prefix/include", "-c",
                                      f"{number}.cc", cwd=self.folder)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            for header, done in zip(headers, pool.map(compiled, range(len(headers)))):
                self.assertEqual(done.stdout, "", header)

    def test_refuses_another_minor_version(self):
        (self.folder / "find.cmake").write_text("find_package(carrack ${REQUIRED_VERSION} QUIET)\nmessage(${carrack_CONSIDERED_VERSIONS})")
        done = run("cmake", "-D", "REQUIRED_VERSION=0.2", "-D", f"CMAKE_PREFIX_PATH={self.prefix}", "-P", self.folder / "find.cmake")
        self.assertEqual((done.stdout, done.returncode), ("0.1.0\n", 0))

    def test_configures_without_the_packages_of_the_rest(self):
        without = [f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON" for name in OTHERS]
        done = run("cmake", "-S", machine.REPOSITORY, "-B", self.folder / "build", "-D", "CARRACK_DATALOADER_ONLY=ON", *without)
        self.assertEqual(done.returncode, 0, done.stdout)
        targets = run("cmake", "--build", self.folder / "build", "--target", "help").stdout
        self.assertIn("dataloader", targets)
        self.assertNotRegex(targets, r"(control|train)_\w+")


if __name__ == "__main__":
    unittest.main()
