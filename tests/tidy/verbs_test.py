"""A verb that no page explains, and one that a page makes up, are found."""

import unittest

from planting import messages
from verbs import check

CLEAN = {
    "dev": "#!/bin/bash\nverb_help() { :; }\nverb_test() {\n  run\n}\n",
    "README.md": "`./dev help` and then:\n```\n./dev test  # never ./dev sleep\n```\nWith ./dev and patience.\n",
}


class Verbs(unittest.TestCase):
    def test_agreeing_ones_pass(self):
        self.assertEqual(messages(check, CLEAN), [])

    def test_an_unexplained_verb_is_found(self):
        self.assertEqual(
            messages(check, {**CLEAN, "dev": CLEAN["dev"] + "verb_bench() {\n}\n", "docs/other.md": "`./dev bench x`\n"}),
            ["dev:6: `./dev bench` is explained in neither README.md nor docs/TESTING.md; say there what it does"],
        )

    def test_docs_testing_explains_too(self):
        script = CLEAN["dev"] + "verb_bench() {\n}\n"
        self.assertEqual(messages(check, {**CLEAN, "dev": script, "docs/TESTING.md": "`./dev bench x`\n"}), [])

    def test_a_verb_that_does_not_exist_is_found(self):
        self.assertEqual(
            messages(check, {**CLEAN, "operator/README.md": "\nFirst `CI=true ./dev fly high`.\n"}),
            ["operator/README.md:2: `./dev fly` does not exist; the verbs are help, test"],
        )

    def test_no_script_is_a_problem(self):
        self.assertEqual(
            messages(check, {"README.md": ""}),
            ["dev:1: is missing; the docs tell users to run it"],
        )


if __name__ == "__main__":
    unittest.main()
