"""A README.md that is missing, leaves a file out or names one that is gone is found."""

import unittest

from planting import messages
from readmes import check

CORE = "# core\n\n- `plan.h/.cc`: plans.\n- [`parts/`](parts/), **`job.h`**: jobs, made by `gone.h` of old.\n- `spec.data`: a field.\n"
CLEAN = {
    "README.md": "",
    "dev": "",
    ".ci/run": "",
    "operator/README.md": "| file | what |\n|---|---|\n| `core/` | decides |\n| `CMakeLists.txt` | the targets |\n",
    "operator/CMakeLists.txt": "",
    "operator/core/README.md": CORE,
    "operator/core/plan.h": "",
    "operator/core/plan.cc": "",
    "operator/core/job.h": "",
    "operator/core/parts/deep.h": "",
}


class Readmes(unittest.TestCase):
    def planted(self, path: str, text: str = "") -> list[str]:
        return messages(check, {**CLEAN, path: text})

    def test_a_true_map_passes(self):
        self.assertEqual(messages(check, CLEAN), [])

    def test_top_folders_and_those_below_a_component_need_one(self):
        self.assertEqual(
            self.planted("docs/plan.txt"),
            ["docs/README.md:1: is missing; describe docs/ there, and name each file and folder in it, in backticks"],
        )
        self.assertIn("operator/kube/README.md:1: is missing", self.planted("operator/kube/client.h")[1])

    def test_a_file_left_out_is_found(self):
        self.assertEqual(
            self.planted("operator/core/status.h"),
            ["operator/core/README.md:1: does not name `status.h`, which is in this folder; say there what it is"],
        )

    def test_a_folder_left_out_is_found(self):
        self.assertEqual(
            self.planted("operator/core/more/a.h"),
            ["operator/core/README.md:1: does not name `more/`, which is in this folder; say there what it is"],
        )

    def test_an_item_that_is_gone_is_found(self):
        self.assertEqual(
            self.planted("operator/core/README.md", CORE + "- `plan.h`, `gone.cc` and `old/`: older.\n"),
            [
                "operator/core/README.md:6: names `gone.cc`, which is not in this folder; remove it",
                "operator/core/README.md:6: names `old/`, which is not in this folder; remove it",
            ],
        )

    def test_a_pattern_names_all_that_match_and_must_match_one(self):
        texts = {**CLEAN, "operator/core/README.md": CORE + "- `*.json`: plans.\n", "a.json": ""}
        self.assertEqual(messages(check, {**texts, "operator/core/a.json": "", "operator/core/b.json": ""}), [])
        self.assertEqual(
            messages(check, texts), ["operator/core/README.md:6: names `*.json`, which is not in this folder; remove it"]
        )

    def test_a_pattern_in_prose_names_nothing(self):
        readme = CORE + "All `*.json`.\n"
        texts = {**CLEAN, "operator/core/README.md": readme, "operator/core/a.json": ""}
        self.assertEqual(
            messages(check, texts),
            ["operator/core/README.md:1: does not name `a.json`, which is in this folder; say there what it is"],
        )


if __name__ == "__main__":
    unittest.main()
