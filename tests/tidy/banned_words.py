"""The project speaks of itself alone: no one's home folder, no mail address, no key or password of any service."""

import re

from tree import Problem, Tree

# The brackets keep each pattern from finding itself.
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
NO_ONES_MAIL = ("example.com", "example.org", "example.net", "PROJECT.iam.gserviceaccount.com")
INSTEAD = "write what holds on every machine, or make it up when the test runs"


def check(tree: Tree) -> list[Problem]:
    return [
        Problem(path, number, f"{what}; {INSTEAD}")
        for path, text in tree.texts.items()
        for number, line in enumerate(text.splitlines(), 1)
        for what in faults_of(line)
    ]


def faults_of(line: str) -> list[str]:
    faults = [f"{what} ({found[0][:24]})" for what, pattern in BANNED.items() if (found := pattern.search(line))]
    mails = (mail for mail in MAIL.finditer(line) if mail[1] not in NO_ONES_MAIL)
    return faults + [f"a mail address ({mail[0]})" for mail in mails]
