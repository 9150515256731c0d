"""What to know of a test run at a glance, from ctest's JUnit report: what took longest, what was skipped and why.

The last line counts what passed, failed and was skipped: a run in which all was skipped must not look like a success.
"""

import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

SLOWEST = 10
NAMED = 3  # Of the tests that were skipped for one reason.


def reason(case: ElementTree.Element) -> str:
    """The line in which a skipped test says why."""
    lines = [line.strip() for line in (case.findtext("system-out") or "").splitlines() if line.strip()]
    said = [line for line in lines if line.startswith(("SKIPPED: ", "nothing yet: "))]
    return said[0] if said else (lines[-1] if lines else "it did not say why")


def names(cases: list[ElementTree.Element]) -> str:
    named = ", ".join(case.get("name") for case in cases[:NAMED])
    return named if len(cases) <= NAMED else f"{named} and {len(cases) - NAMED} more"


def summary(report: str) -> str:
    cases = ElementTree.fromstring(report).findall("testcase")
    ran = sorted((case for case in cases if case.get("status") in ("run", "fail")),
                 key=lambda case: -float(case.get("time", 0)))
    failed = [case for case in ran if case.get("status") == "fail"]
    unrun = [case for case in cases if case.get("status") == "notrun"]
    skipped = [case for case in unrun if "SKIP" in (case.find("skipped").get("message") or "")]
    by_reason: dict[str, list[ElementTree.Element]] = {}
    for case in skipped:
        by_reason.setdefault(reason(case), []).append(case)

    lines = ["", f"the slowest {min(SLOWEST, len(ran))} of {len(ran)} tests:"] if ran else [""]
    lines += [f"  {float(case.get('time', 0)):7.2f} s  {case.get('name')}" for case in ran[:SLOWEST]]
    lines += [f"skipped {len(group)}: {why}\n  {names(group)}" for why, group in by_reason.items()]
    lines += [f"failed: {case.get('name')}" for case in failed]
    broken = [case for case in unrun if case not in skipped]
    lines += [f"did not run: {case.get('name')}: {case.find('skipped').get('message')}" for case in broken]
    counts = f"{len(ran) - len(failed)} passed, {len(failed) + len(broken)} failed, {len(skipped)} skipped"
    return "\n".join([*lines, counts if ran else f"nothing was tested: {counts}"])


if __name__ == "__main__":
    print(summary(Path(sys.argv[1]).read_text()))
