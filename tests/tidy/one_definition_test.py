"""Two types of one name in one namespace are found, in whatever files; types of other scopes are left alone."""

import unittest

from one_definition import check
from planting import messages
from tree import Tree

FIRST = "// A.\nnamespace carrack::control {\nstruct Verdict {\n  struct Part {};\n  bool good = true;\n};\n}\n"
WHAT = (
    "carrack::control::Verdict is also defined at operator/core/a.h:3; rename one of them, "
    "or include the other's header"
)


class OneDefinition(unittest.TestCase):
    def planted(self, text: str) -> list[str]:
        return messages(check, {"operator/core/a.h": FIRST, "operator/kube/b.h": text})

    def test_no_sources_is_nothing_yet(self):
        self.assertIsNone(check(Tree({"README.md": ""})))

    def test_a_second_type_of_the_name_is_refused(self):
        for kind in ("struct Verdict {", "class Verdict final : public Base {", "enum class Verdict : int {"):
            planted = f"namespace carrack::control {{\n\n{kind}}};\n}}\n"
            self.assertEqual(self.planted(planted), [f"operator/kube/b.h:3: {WHAT}"], kind)

    def test_so_is_a_second_alias(self):
        planted = "namespace carrack {\nnamespace control {\nusing Verdict = int;\n}\n}\n"
        self.assertEqual(self.planted(planted), [f"operator/kube/b.h:3: {WHAT}"])

    def test_other_scopes_are_other_types(self):
        for text in (
            "namespace carrack::data {\nstruct Verdict {};\n}\n",
            "namespace carrack::control {\nnamespace {\nstruct Verdict {};\n}\n}\n",
            "namespace carrack::control {\nvoid f() {\n  struct Verdict {};\n}\n}\n",
            "namespace carrack::control {\nstruct Verdict;\nclass Other { struct Verdict {}; };\n}\n",
            '// namespace carrack::control { struct Verdict {}; }\nconst char* text = "struct Verdict {";\n',
        ):
            self.assertEqual(self.planted(text), [], text)


if __name__ == "__main__":
    unittest.main()
