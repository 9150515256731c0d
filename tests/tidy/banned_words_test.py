"""Traces of one machine or one person, and secrets, are found."""

import unittest

from banned_words import check
from planting import messages

INSTEAD = "write something that is valid on every machine, or generate it in the test"


class BannedWords(unittest.TestCase):
    def planted(self, line: str) -> list[str]:
        return messages(check, {"docs/page.md": f"\n{line}\n"})

    def test_plain_words_pass(self):
        for line in (
            "$HOME/.cache, ~/x, /home/NAME/x, ${ROOT}/root/x, https://x.dev/home/a/b",
            "member@example.com, carrack@PROJECT.iam.gserviceaccount.com, git@github.com:o/r",
            "go install a.com/b@v1.2.3",
            "-----BEGIN PUBLIC KEY-----, -----BEGIN CERTIFICATE-----",
            "https://storage.googleapis.com:443/b/o@2",
        ):
            self.assertEqual(self.planted(line), [], line)

    def test_a_home_folder_is_found(self):
        for folder in ("/roo" "t", "/home" "/ada"):
            self.assertEqual(
                self.planted(f"see {folder}/x"),
                [f"docs/page.md:2: a home folder of one machine ({folder}); {INSTEAD}"],
            )

    def test_a_mail_address_is_found(self):
        mail = "ada" "@" "lovelace.org"
        self.assertEqual(self.planted(f"ask <{mail}>"), [f"docs/page.md:2: a mail address ({mail}); {INSTEAD}"])

    def test_secrets_are_found(self):
        for secret, what in (
            ("-----BEGIN " "RSA PRIVATE KEY-----", "a private key"),
            ("-----BEGIN " "PRIVATE KEY-----", "a private key"),
            ("https://ada:" "secret@host/x", "a password in a URL"),
            ("AKIA" + "A1B2C3D4" * 2, "an access token"),
            ("ghp_" + "a1B2" * 9, "an access token"),
            ("AIza" + "a1_B2" * 7, "an access token"),
        ):
            problems = self.planted(f'"{secret}"')
            self.assertEqual(len(problems), 1, secret)
            self.assertTrue(problems[0].startswith(f"docs/page.md:2: {what} ("), problems)
            self.assertTrue(problems[0].endswith(f"; {INSTEAD}"))


if __name__ == "__main__":
    unittest.main()
