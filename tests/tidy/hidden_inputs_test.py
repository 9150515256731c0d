"""Code that reads time, randomness or the environment directly is found, and in a pure folder also threads and files."""

import unittest

from hidden_inputs import check
from planting import messages
from tree import Tree

EDGES = "environment <-\nrandomness <-\nwall_clock <- operator/runtime\npure <- operator/core\n"
CLEAN = {
    "tests/tidy/edges.txt": EDGES,
    "operator/core/plan.cc": "#include <chrono>\n// No getenv, std::thread or time() here.\nauto t = job.time(0);\nint time(int now);\n",
    "operator/runtime/clock.cc": "auto now = std::chrono::system_clock::now();\n",
    "operator/kube/watch.cc": "#include <thread>\nauto start = std::chrono::steady_clock::now();\n",
    "operator/cli/carrack_main.cc": 'std::getenv("HOME"); std::random_device seed;\n',
    "tests/operator/plan_test.cc": 'std::getenv("GOLDEN");\n',
}


class HiddenInputs(unittest.TestCase):
    def planted(self, path: str, line: str) -> list[str]:
        return messages(check, {**CLEAN, path: line + "\n"})

    def test_arguments_mains_edges_and_tests_pass(self):
        self.assertEqual(messages(check, CLEAN), [])

    def test_no_sources_is_nothing_yet(self):
        self.assertIsNone(check(Tree({"tests/a_test.cc": ""})))

    def test_each_input_is_found(self):
        for line, kind, found in (
            ('auto home = std::getenv("HOME");', "environment", "getenv"),
            ("extern char** environ;", "environment", "environ"),
            ("int x = std::rand();", "randomness", "std::rand"),
            ("int x = rand();", "randomness", "rand"),
            ("std::random_device seed;", "randomness", "random_device"),
            ("RAND_bytes(bytes, 32);", "randomness", "RAND_bytes"),
            ("auto now = std::chrono::system_clock::now();", "wall_clock", "system_clock::now"),
            ("auto now = time(nullptr);", "wall_clock", "time"),
            ("auto now = std::time(nullptr);", "wall_clock", "std::time"),
            ("::time(&now);", "wall_clock", "::time"),
        ):
            problems = self.planted("trainer/graph/node.cc", line)
            self.assertEqual(len(problems), 1, line)
            self.assertIn(f"trainer/graph/node.cc:1: reads {kind} directly (", problems[0])
            self.assertIn(f"{found}); let the main pass it as an argument, or add the folder to tests/tidy/edges.txt",
                          problems[0])

    def test_a_pure_folder_has_no_threads_clocks_logs_or_files(self):
        for line, what in (
            ("#include <mutex>", "threads (<mutex>)"),
            ("auto t = std::chrono::steady_clock::now();", "a clock (steady_clock)"),
            ('std::cerr << "x";', "a log (std::cerr)"),
            ("#include <fstream>", "files (<fstream>)"),
        ):
            self.assertEqual(
                self.planted("operator/core/plan.cc", line),
                [f"operator/core/plan.cc:1: uses {what} in a pure folder; return a value, and let the caller act on it"],
            )

    def test_the_table_cannot_open_a_pure_folder(self):
        edges = EDGES + "wall_clock <- operator/runtime operator/core\nmoon <-\n"
        self.assertEqual(
            messages(check, {**CLEAN, "tests/tidy/edges.txt": edges}),
            [
                "tests/tidy/edges.txt:5: operator/core is listed as pure, so it may not read wall_clock; remove it",
                "tests/tidy/edges.txt:6: moon is not a kind of input; the kinds are environment, randomness, wall_clock, pure",
            ],
        )


if __name__ == "__main__":
    unittest.main()
