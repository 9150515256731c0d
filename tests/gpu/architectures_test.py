"""A build with CUDA holds machine code for sm_75, sm_80 and sm_90, and PTX for later GPUs."""

import re
import subprocess
import unittest

from support import machine

CUOBJDUMP = machine.cache() / "cuda-13.0" / "toolkit" / "bin" / "cuobjdump"
PROGRAM = machine.REPOSITORY / "build" / "cuda_dev" / "bin" / "gpu_kernels_test"

for needed in (CUOBJDUMP, PROGRAM):
    if not needed.exists():
        machine.skip(f"{needed} is not there; `./dev build cuda_dev` makes it")


def architectures(option: str) -> set[str]:
    listed = subprocess.run([CUOBJDUMP, option, PROGRAM], check=True, capture_output=True, text=True).stdout
    return set(re.findall(r"\.(sm_\d+)\.", listed))


class Architectures(unittest.TestCase):
    def test_machine_code_is_there_for_the_gpus_of_today(self):
        self.assertEqual(architectures("--list-elf"), {"sm_75", "sm_80", "sm_90"})

    def test_ptx_is_there_for_the_gpus_of_tomorrow(self):
        self.assertEqual(architectures("--list-ptx"), {"sm_90"})


if __name__ == "__main__":
    unittest.main()
