"""What to know of a test run at a glance, from ctest's JUnit report: what took longest, what was skipped and why."""

import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

SLOWEST = 10


def reason(case: ElementTree.Element) -> str:
    """The line in which a skipped test says why."""
    lines = [line.strip() for line in (case.findtext("system-out") or "").splitlines() if line.strip()]
    said = [line for line in lines if line.startswith(("SKIPPED: ", "nothing yet: "))]
    return said[0] if said else (lines[-1] if lines else "it did not say why")


def summary(report: str) -> str:
    cases = ElementTree.fromstring(report).findall("testcase")
    ran = sorted((case for case in cases if case.get("status") in ("run", "fail")),
                 key=lambda case: -float(case.get("time", 0)))
    unrun = [case for case in cases if case.get("status") == "notrun"]
    skipped = [case for case in unrun if "SKIP" in (case.find("skipped").get("message") or "")]
    lines = ["", f"the slowest {min(SLOWEST, len(ran))} of {len(ran)} tests:"]
    lines += [f"  {float(case.get('time', 0)):7.2f} s  {case.get('name')}" for case in ran[:SLOWEST]]
    lines += [f"skipped: {len(skipped)}"]
    lines += [f"  {case.get('name')}: {reason(case)}" for case in skipped]
    lines += [f"did not run: {case.get('name')}: {case.find('skipped').get('message')}" for case in unrun
              if case not in skipped]
    return "\n".join(lines)


if __name__ == "__main__":
    print(summary(Path(sys.argv[1]).read_text()))
