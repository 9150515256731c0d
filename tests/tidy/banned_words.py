"""No file contains a person's home folder, a mail address, or a key or password of a service."""

import re

from tree import Problem, Tree

# The brackets keep each pattern from matching its own text here.
BANNED = {
    "a home folder of one machine": re.compile(r"(?<![\w.$}/)-])/(?:roo[t]|hom[e]/[a-z][\w.-]*)(?=/)"),
    "a private key": re.compile(r"-----BEGI[N] [A-Z ]*PRIVATE KEY-----"),
    "a password in a URL": re.compile(r"\b[a-z]+://[\w.-]+:[\w.~!-]+[@][\w.-]+"),
    "an access token": re.compile(
        r"\b(AKI[A][0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{36}|github_pat_\w{22,}"
        r"|AIz[a][\w-]{35}|ya29\.[\w-]{20,}|xox[bp]-\w{10,})"
    ),
}
MAIL = re.compile(r"(?<![\w./:+-])(?!git@)[\w.+-]+[@]((?:[a-z0-9-]+\.)+[a-z]{2,})\b")
EXAMPLE_DOMAINS = ("example.com", "example.org", "example.net", "PROJECT.iam.gserviceaccount.com")
INSTEAD = "write something that is valid on every machine, or generate it in the test"


def check(tree: Tree) -> list[Problem]:
    return [
        Problem(path, number, f"{what}; {INSTEAD}")
        for path, text in tree.texts.items()
        for number, line in enumerate(text.splitlines(), 1)
        for what in faults_of(line)
    ]


def faults_of(line: str) -> list[str]:
    faults = [f"{what} ({found[0][:24]})" for what, pattern in BANNED.items() if (found := pattern.search(line))]
    mails = (mail for mail in MAIL.finditer(line) if mail[1] not in EXAMPLE_DOMAINS)
    return faults + [f"a mail address ({mail[0]})" for mail in mails]
