"""The end of a test run counts what was skipped, gives each reason once, and never takes a skip for a pass."""

import unittest

from support.summary import summary


def case(name: str, status: str, seconds: float = 0, said: str = "", skipped: str = "") -> str:
    skip = f'<skipped message="{skipped}"/>' if skipped else ""
    return f'<testcase name="{name}" time="{seconds}" status="{status}">{skip}<system-out>{said}</system-out></testcase>'


def skip(name: str, said: str) -> str:
    return case(name, "notrun", said=said, skipped="SKIP_RETURN_CODE=77")


def of(*cases: str) -> list[str]:
    return summary(f"<testsuite>{''.join(cases)}</testsuite>").splitlines()


class Summary(unittest.TestCase):
    def test_counts_and_the_slowest_first(self):
        self.assertEqual(
            of(case("quick", "run", 0.5), case("slow", "run", 12), case("bad", "fail", 1)),
            ["", "the slowest 3 of 3 tests:", "    12.00 s  slow", "     1.00 s  bad", "     0.50 s  quick",
             "failed: bad", "2 passed, 1 failed, 0 skipped"],
        )

    def test_a_reason_stands_once_with_some_of_its_tests(self):
        store = "Note: filter\nSKIPPED: no server; `./dev test` builds it\n"
        self.assertEqual(
            of(case("one", "run", 1), *(skip(f"store.{i}", store) for i in range(5)), skip("crd", "nothing yet: crd\n")),
            ["", "the slowest 1 of 1 tests:", "     1.00 s  one",
             "skipped 5: SKIPPED: no server; `./dev test` builds it", "  store.0, store.1, store.2 and 2 more",
             "skipped 1: nothing yet: crd", "  crd", "1 passed, 0 failed, 6 skipped"],
        )

    def test_a_run_in_which_all_was_skipped_says_so_last(self):
        self.assertEqual(
            of(skip("gpu.kernels", "looking for a GPU\nno GPU here\n"), skip("gpu.silent", "")),
            ["", "skipped 1: no GPU here", "  gpu.kernels", "skipped 1: it did not say why", "  gpu.silent",
             "nothing was tested: 0 passed, 0 failed, 2 skipped"],
        )

    def test_what_could_not_run_is_a_failure(self):
        fixture = case("cluster.pods", "notrun", skipped="Fixture dependency failed")
        self.assertEqual(
            of(fixture),
            ["", "did not run: cluster.pods: Fixture dependency failed",
             "nothing was tested: 0 passed, 1 failed, 0 skipped"],
        )


if __name__ == "__main__":
    unittest.main()
