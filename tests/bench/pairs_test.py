"""The arithmetic of a benchmark's line, and that pairs alternate."""

import unittest

from bench import pairs


class Compare(unittest.TestCase):
    def test_is_above_one_when_we_are_better_in_either_direction(self):
        self.assertEqual(pairs.compare([(20, 10)], more_is_better=True).ratio, 2)
        self.assertEqual(pairs.compare([(10, 20)], more_is_better=False).ratio, 2)

    def test_takes_the_median_of_the_ratios_not_the_ratio_of_the_medians(self):
        result = pairs.compare([(1, 1), (4, 2), (9, 3), (100, 10), (8, 4)], more_is_better=True)
        self.assertEqual((result.ratio, result.lo, result.hi), (2, 1, 10))
        self.assertEqual((result.ours, result.peer), (8, 3))

    def test_prints_the_line_that_the_documents_name(self):
        case = pairs.Case("raw.1kb.tfdata", lambda: 0, lambda: 0, peer_name="tensorflow-2.21.0", unit="records/s")
        self.assertEqual(
            pairs.line("records", case, pairs.Result(5.126, 4.9, 5.5, 1234567, 240843.2)),
            "records.raw.1kb.tfdata ratio=5.13 lo=4.90 hi=5.50 ours=1.235e+06 peer=2.408e+05 "
            "unit=records/s peer_name=tensorflow-2.21.0")

    def test_what_a_side_took_is_its_median_by_side(self):
        figures = [pairs.number_from("echo", f"7 cpu_s=0.{tenths} peak_mb=3")() for tenths in (5, 9, 1)]
        self.assertEqual(figures, [7, 7, 7])
        self.assertEqual(pairs.took([(figure, 2.0) for figure in figures]), {"ours.cpu_s": 0.5, "ours.peak_mb": 3})

    def test_a_program_that_stays_is_started_once_and_asked_again(self):
        measure = pairs.number_on_request("sh", "-c", "n=0; while read -r line; do n=$((n + 1)); echo $n cpu_s=0.5; done")
        figures = [measure(), measure()]
        self.assertEqual((figures, figures[1].took), ([1, 2], {"cpu_s": 0.5}))


class Measured(unittest.TestCase):
    def test_warms_up_once_and_then_alternates_who_goes_first(self):
        order = []
        case = pairs.Case("c", lambda: order.append("ours") or 1.0, lambda: order.append("peer") or 2.0, "p", "u", pairs=3)
        self.assertEqual(pairs.measured(case), [(1.0, 2.0)] * 3)
        self.assertEqual(order, ["ours", "peer"] + ["ours", "peer", "peer", "ours", "ours", "peer"])


if __name__ == "__main__":
    unittest.main()
