"""The programs are linked and compiled with what makes a memory error hard to use: seen in their ELF files."""

import re
import subprocess
import unittest

from support import machine

PROGRAMS = ("carrack", "carrack-operator", "carrack-trainer")


def readelf(program: str, *options: str) -> str:
    path = machine.build() / "bin" / program
    return subprocess.run(["readelf", "--wide", *options, path], check=True, capture_output=True, text=True).stdout


class Hardening(unittest.TestCase):
    def each(self):
        for program in PROGRAMS:
            with self.subTest(program):
                yield program

    def test_addresses_are_random(self):
        for program in self.each():
            self.assertRegex(readelf(program, "--file-header"), r"Type:\s+DYN")

    def test_relocations_are_read_only_from_the_start(self):
        for program in self.each():
            self.assertIn("GNU_RELRO", readelf(program, "--program-headers"))
            self.assertRegex(readelf(program, "--dynamic"), r"BIND_NOW|FLAGS.*NOW")

    def test_the_stack_is_not_executable(self):
        for program in self.each():
            (stack,) = re.findall(r"GNU_STACK.*", readelf(program, "--program-headers"))
            self.assertNotIn("E", stack.split()[-2])

    def test_functions_check_their_stack_and_the_library_its_buffers(self):
        for program in self.each():
            symbols = readelf(program, "--dyn-syms")
            self.assertIn("__stack_chk_fail", symbols)
            self.assertRegex(symbols, r"__\w+_chk\b(?<!__stack_chk)")

    def test_the_standard_library_checks_bounds(self):
        for program in self.each():
            self.assertIn("__glibcxx_assert_fail", readelf(program, "--dyn-syms"))

    def test_indirect_jumps_have_targets(self):
        if "X86-64" not in readelf(PROGRAMS[0], "--file-header"):
            self.skipTest("only x86-64 programs are compiled for indirect branch tracking")
        for program in self.each():
            self.assertIn("endbr64", subprocess.run(
                ["objdump", "--disassemble=main", machine.build() / "bin" / program],
                check=True, capture_output=True, text=True).stdout)


if __name__ == "__main__":
    unittest.main()
