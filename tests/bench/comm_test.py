"""The programs of bench comm: each ends by itself, finds the parameters that its rounds must give, and prints its figures."""

import os
import subprocess
import unittest

from bench import pairs

BUILD = os.environ["CARRACK_BUILD"]
PROGRAMS = {"bench_comm": "[shm|tls] BYTES SECONDS [WORKERS]", "bench_comm_limit": "BYTES SECONDS",
            "bench_comm_memcpy": "BYTES SECONDS", "bench_comm_protobuf": "BYTES SECONDS"}


class Rounds(unittest.TestCase):
    def test_are_measured_with_small_and_with_large_gradients(self):
        for program, *transport in (("bench_comm", "shm"), *((program,) for program in PROGRAMS)):
            for size in ("4096", str(4 << 20)):
                figure = pairs.number_from(f"{BUILD}/bin/{program}", *transport, size, "0.2")()
                with self.subTest(program=program, transport=transport, size=size):
                    self.assertEqual(list(figure.took), ["p50_ms", "p99_ms", "cpu_ms", "gb_s"])
                    self.assertGreater(figure.took["p99_ms"], 0)
                    self.assertLessEqual(figure.took["p50_ms"], figure.took["p99_ms"])
                    self.assertAlmostEqual(figure.took["gb_s"], 2 * int(size) * figure * 1e-9, delta=figure.took["gb_s"] * 0.01)

    def test_need_a_size_and_a_time(self):
        for program, arguments in PROGRAMS.items():
            ended = subprocess.run([f"{BUILD}/bin/{program}", "4096"], capture_output=True, text=True)
            self.assertEqual((ended.returncode, ended.stderr), (2, f"usage: {program} {arguments}\n"))


if __name__ == "__main__":
    unittest.main()
