"""An image of one program: the same bytes each time, and any damage to its archive is noticed."""

import tempfile
import unittest
from pathlib import Path

from support import one_file_image

NAME = "docker.io/carrack/sail:test"


class OneFileImage(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.program = self.folder / "sail"
        self.program.write_bytes(bytes(range(256)) * 100)
        self.archive = self.folder / "images" / "sail.tar"
        one_file_image.write(self.archive, NAME, self.program, ["hoist"])

    def is_whole(self, name: str = NAME) -> bool:
        return one_file_image.is_whole(self.archive, name)

    def test_it_is_whole_and_the_same_each_time(self):
        self.assertTrue(self.is_whole())
        first = self.archive.read_bytes()
        one_file_image.write(self.archive, NAME, self.program, ["hoist"])
        self.assertEqual(self.archive.read_bytes(), first)
        self.assertEqual([file.name for file in self.archive.parent.iterdir()], ["sail.tar"])

    def test_another_image_is_not_taken_for_it(self):
        self.assertFalse(self.is_whole("docker.io/carrack/row:test"))

    def test_a_cut_archive_is_not_whole(self):
        whole = self.archive.read_bytes()
        for size in (0, 100, 512, 2000, 20_000):
            self.archive.write_bytes(whole[:size])
            self.assertFalse(self.is_whole(), size)
        self.archive.unlink()
        self.assertFalse(self.is_whole())

    def test_a_changed_byte_of_the_program_or_of_the_configuration_is_noticed(self):
        whole = self.archive.read_bytes()
        for place in (whole.index(self.program.read_bytes()) + 1000, whole.index(b"Entrypoint")):
            changed = bytearray(whole)
            changed[place] ^= 1
            self.archive.write_bytes(changed)
            self.assertFalse(self.is_whole(), place)

    def test_what_is_no_image_is_not_whole(self):
        self.archive.write_bytes(b"not a tar file" * 1000)
        self.assertFalse(self.is_whole())


if __name__ == "__main__":
    unittest.main()
