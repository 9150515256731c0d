"""Links that lead nowhere are found, in each way Markdown can write one."""

import unittest

from links import check
from planting import messages

GUIDE = "# Guide\n\n## It's `new`: A_b, c-d!\n\n## Twice\n\n## Twice\n\n<a id=\"own\"></a>\n"
README = """\
[guide](docs/guide.md) [here](#read-me) [![picture](docs/plan.svg)](/docs) [out](https://x.dev/gone.md)
[a](docs/guide.md#its-new-a_b-c-d) [b](docs/guide.md#twice-1) [c](docs/guide.md#own "title") [d][ref]
`[code](gone.md)`

[ref]: docs/with%20blank.md

```
[fenced](gone.md)
# Not a heading
```
# [Read](docs) me
"""
CLEAN = {"README.md": README, "docs/guide.md": GUIDE, "docs/plan.svg": "", "docs/with blank.md": ""}


class Links(unittest.TestCase):
    def planted(self, line: str) -> list[str]:
        return messages(check, {**CLEAN, "docs/planted.md": f"\n{line}\n"})

    def test_good_ones_pass(self):
        self.assertEqual(messages(check, CLEAN), [])

    def test_a_broken_link_is_found_however_written(self):
        for line in (
            "[x](gone.md)",
            "![x](gone.md)",
            "[![x](gone.md)](guide.md)",
            "[x]: gone.md",
            '<img width="9" src="gone.md">',
            "[`x`](<gone.md>)",
        ):
            self.assertEqual(
                self.planted(line),
                ["docs/planted.md:2: links to gone.md, but there is no docs/gone.md; correct the link or add the file"],
            )

    def test_a_link_out_of_the_repository_is_refused(self):
        self.assertIn("but there is no ../x.md", self.planted("[x](../../x.md)")[0])

    def test_a_broken_anchor_is_told_the_nearest(self):
        self.assertEqual(
            self.planted("[x](guide.md#twice-2)"),
            [
                "docs/planted.md:2: links to guide.md#twice-2, but docs/guide.md has no heading of that name; "
                "its anchors: #twice, #twice-1, #guide, #its-new-a_b-c-d, #own"
            ],
        )
        self.assertIn("#nothing, but docs/planted.md has no heading", self.planted("[x](#nothing)")[0])

    def test_a_heading_in_fenced_code_is_none(self):
        self.assertIn("no heading", self.planted("[x](../README.md#not-a-heading)")[0])


if __name__ == "__main__":
    unittest.main()
