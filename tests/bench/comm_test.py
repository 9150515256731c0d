"""The programs of bench comm: each ends by itself, finds the parameters that its rounds must give, and prints its figures."""

import os
import subprocess
import unittest

from bench import pairs

BUILD = os.environ["CARRACK_BUILD"]
PROGRAMS = ("bench_comm", "bench_comm_limit", "bench_comm_protobuf")


class Rounds(unittest.TestCase):
    def test_are_measured_with_small_and_with_large_gradients(self):
        for program in PROGRAMS:
            for size in ("4096", str(4 << 20)):
                figure = pairs.number_from(f"{BUILD}/bin/{program}", size, "0.2")()
                with self.subTest(program=program, size=size):
                    self.assertEqual(list(figure.took), ["p50_ms", "p99_ms", "cpu_ms", "gb_s"])
                    self.assertGreater(figure.took["p99_ms"], 0)
                    self.assertLessEqual(figure.took["p50_ms"], figure.took["p99_ms"])
                    self.assertAlmostEqual(figure.took["gb_s"], 2 * int(size) * figure * 1e-9, delta=figure.took["gb_s"] * 0.01)

    def test_need_a_size_and_a_time(self):
        for program in PROGRAMS:
            ended = subprocess.run([f"{BUILD}/bin/{program}", "4096"], capture_output=True, text=True)
            others = " [WORKERS [tls]]" if program == "bench_comm" else ""
            self.assertEqual((ended.returncode, ended.stderr), (2, f"usage: {program} BYTES SECONDS{others}\n"))


if __name__ == "__main__":
    unittest.main()
