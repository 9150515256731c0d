"""Faults planted in a copy of this repository make the program itself fail, with a line that says what to do."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from listed import words_in
from tidy import CHECKS
from tree import read_tree

ROOT = Path(__file__).resolve().parents[2]
DEFINITION = "kind: CustomResourceDefinition\n"
# The variables that git sets for a hook would lead git from the copy to the hook's repository.
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}


class Planted(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.copy = Path(cls.enterClassContext(tempfile.TemporaryDirectory())) / "copy"
        for path in read_tree(ROOT).paths():
            (cls.copy / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / path, cls.copy / path)
        subprocess.run(["git", "init", "--quiet", cls.copy], check=True, env=ENVIRONMENT)

    def plant(self, path: str, text: str) -> None:
        """Writes the file, and restores it at the end of the test."""
        file = self.copy / path
        if file.exists():
            self.addCleanup(file.write_bytes, file.read_bytes())
        else:
            file.parent.mkdir(parents=True, exist_ok=True)
            self.addCleanup(file.unlink, missing_ok=True)
        file.write_text(text)

    def tidy(self, *arguments: str) -> tuple[int, list[str]]:
        command = [sys.executable, self.copy / "tests" / "tidy" / "tidy.py", *arguments]
        ended = subprocess.run(command, text=True, stdout=subprocess.PIPE, env=ENVIRONMENT)
        return ended.returncode, ended.stdout.splitlines()

    def assert_found(self, planted: dict[str, str], arguments: list[str], problem: str) -> None:
        self.assertNotIn(problem, self.tidy(*arguments)[1])
        for path, text in planted.items():
            self.plant(path, text)
        code, lines = self.tidy(*arguments)
        self.assertEqual(code, 1, lines)
        self.assertIn(problem, lines)

    def test_a_forbidden_include(self):
        self.assert_found(
            {"operator/core/planted.cc": "\n#include <httplib.h>\n"},
            ["includes"],
            "operator/core/planted.cc:2: includes httplib.h of httplib, which belongs in operator/api_server, "
            "mains, tests; move the code there, or change tests/tidy/libraries.txt if the design changed",
        )

    def test_an_unlisted_test(self):
        self.assert_found(
            {"tests/tidy/unlisted_test.py": ""},
            ["listed"],
            "tests/tidy/unlisted_test.py:1: is not in tests/tidy/CMakeLists.txt, so it is neither built nor run; "
            "name `unlisted_test.py` there, or delete it",
        )

    def test_a_broken_link(self):
        self.assert_found(
            {"docs/planted.md": "# Planted\n\n[more](gone.md)\n"},
            ["links"],
            "docs/planted.md:3: links to gone.md, but there is no docs/gone.md; correct the link or add the file",
        )

    def test_a_chart_with_another_definition(self):
        chart = "charts/planted/"
        other = DEFINITION + "a: 1\n"
        self.assert_found(
            {"crds/planted.yaml": DEFINITION, f"{chart}Chart.yaml": "", f"{chart}crds/planted.yaml": other},
            ["crd_equal"],
            f"{chart}crds/planted.yaml:2: differs from crds/planted.yaml; copy crds/planted.yaml over it",
        )

    def test_a_definition_too_large(self):
        self.assert_found(
            {"crds/planted.yaml": DEFINITION + "text: " + "x" * 200_000},
            ["crd_size"],
            "crds/planted.yaml:1: is 200,045 bytes as compact JSON, over 200,000; "
            "shorten descriptions or share a schema",
        )

    def test_a_feature_whose_test_is_gone(self):
        self.plant("build/CTestTestfile.cmake", 'add_test(known "true")\n')
        self.assert_found(
            {"docs/FEATURES.md": "| feature | test |\n|---|---|\n| a | `known` |\n| b | `gone` |\n"},
            ["features", "--build", str(self.copy / "build")],
            "docs/FEATURES.md:4: names the test `gone`, which ctest does not have; correct the name or add the test",
        )

    def test_nothing_yet_is_a_skip_of_its_own(self):
        for definition in (self.copy / "crds").glob("*.yaml"):
            self.plant(f"crds/{definition.name}", "")
        self.assertEqual(self.tidy("crd_size"), (77, ["nothing yet: crd_size"]))

    def test_ignored_and_deleted_files_are_not_looked_at(self):
        self.plant(".gitignore", "/generated/\n")
        self.plant("generated/README.md", "[x](gone.md)\n")
        self.plant("docs/planted.md", "[x](gone.md)\n")
        subprocess.run(["git", "-C", self.copy, "add", "docs/planted.md"], check=True, env=ENVIRONMENT)
        (self.copy / "docs" / "planted.md").unlink()
        lines = self.tidy("links")[1]
        self.assertFalse([line for line in lines if "planted" in line or "generated" in line], lines)


class NoClone(unittest.TestCase):
    """What the program prints if git cannot list the files."""

    def output_for(self, folder: Path, **environment: str) -> tuple[int, str, str]:
        command = [sys.executable, ROOT / "tests" / "tidy" / "tidy.py", "links", "--root", folder]
        ended = subprocess.run(command, text=True, capture_output=True, env=ENVIRONMENT | environment)
        return ended.returncode, ended.stdout, ended.stderr

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def test_a_folder_outside_of_git(self):
        (self.folder / "README.md").write_text("[x](gone.md)\n")
        code, out, problem = self.output_for(self.folder)
        self.assertEqual((code, out), (2, ""))
        rest = r"\(fatal: not a git repository.*\); run this in a clone\n$"
        self.assertRegex(problem, f"^tidy: git cannot list the files of {self.folder} {rest}")

    def test_an_empty_repository(self):
        subprocess.run(["git", "init", "--quiet", self.folder], check=True, env=ENVIRONMENT)
        problem = f"tidy: git has no files in {self.folder}; run this in a clone\n"
        self.assertEqual(self.output_for(self.folder), (2, "", problem))

    def test_a_clone_of_another_user(self):
        subprocess.run(["git", "init", "--quiet", self.folder], check=True, env=ENVIRONMENT)
        settings = {"GIT_TEST_ASSUME_DIFFERENT_OWNER": "1", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        self.assertEqual(
            self.output_for(self.folder, **settings),
            (2, "", f"tidy: {self.folder} belongs to another user, so git does not list it; work as that user, or run: "
                    f"git config --global --add safe.directory {self.folder}\n"),
        )


class Registration(unittest.TestCase):
    def test_every_check_is_a_test(self):
        registered = words_in((Path(__file__).parent / "CMakeLists.txt").read_text())
        self.assertEqual([check for check in CHECKS if check not in registered], [])


if __name__ == "__main__":
    unittest.main()
