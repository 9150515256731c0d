"""The inputs in the folders here are what seeds.py writes, and it writes some for every target."""

import unittest

from seeds import HERE, SEEDS


class Seeds(unittest.TestCase):
    def test_each_lies_in_its_folder_as_it_is_written(self):
        for target, inputs in SEEDS.items():
            for name, content in inputs.items():
                file = HERE / target / f"{name}.bin"
                self.assertEqual(file.read_bytes(), content, f"{file} is another; run PYTHONPATH=tests python3 tests/fuzz/seeds.py")

    def test_every_target_has_some(self):
        self.assertEqual(sorted(SEEDS), sorted(file.stem.removesuffix("_fuzz") for file in HERE.glob("*_fuzz.cc")))


if __name__ == "__main__":
    unittest.main()
