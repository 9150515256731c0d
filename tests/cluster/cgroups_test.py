"""Which cgroups the cluster uses, by /proc/mounts, and the message if controllers cannot be passed down."""

import errno
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from cluster import cgroups
from cluster.cgroups import Hierarchy

ELSEWHERE = """sysfs /sys sysfs rw,nosuid,nodev,noexec,relatime 0 0
tmpfs /sys/fs/cgroup tmpfs ro,nosuid,nodev,noexec,mode=755 0 0
cgroup /var/lib/another/cgroup cgroup rw,memory 0 0
"""
V1 = """cgroup /sys/fs/cgroup/systemd cgroup rw,nosuid,nodev,relatime,xattr,release_agent=/lib/agent,name=systemd 0 0
cgroup /sys/fs/cgroup/cpu,cpuacct cgroup rw,nosuid,nodev,noexec,relatime,cpu,cpuacct 0 0
cgroup /sys/fs/cgroup/cpuset cgroup rw,nosuid,nodev,noexec,relatime,cpuset,clone_children 0 0
"""
UNIFIED_BESIDE_V1 = "cgroup2 /sys/fs/cgroup/unified cgroup2 rw,nosuid,nodev,noexec,relatime,nsdelegate 0 0\n"
V2 = """sysfs /sys sysfs rw,nosuid,nodev,noexec,relatime 0 0
cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid,nodev,noexec,relatime,nsdelegate,memory_recursiveprot 0 0
"""
OF_V1 = [
    Hierarchy(Path("/sys/fs/cgroup/systemd"), "cgroup", "none,name=systemd"),
    Hierarchy(Path("/sys/fs/cgroup/cpu,cpuacct"), "cgroup", "cpu,cpuacct"),
    Hierarchy(Path("/sys/fs/cgroup/cpuset"), "cgroup", "cpuset"),
]


class Hierarchies(unittest.TestCase):
    def test_of_v1_each_comes_with_the_options_to_mount_it_again(self):
        self.assertEqual(cgroups.hierarchies(ELSEWHERE + V1), OF_V1)

    def test_of_the_hybrid_layout_are_those_of_v1(self):
        self.assertEqual(cgroups.hierarchies(ELSEWHERE + UNIFIED_BESIDE_V1 + V1), OF_V1)

    def test_of_v2_there_is_the_one_tree(self):
        (tree,) = cgroups.hierarchies(V2)
        self.assertEqual((tree.mount, tree.kind), (Path("/sys/fs/cgroup"), "cgroup2"))


class EnableControllers(unittest.TestCase):
    def setUp(self):
        self.group = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.group / "cgroup.controllers").write_text("cpu memory\n")

    def refused_with(self, number: int):
        return mock.patch.object(Path, "write_text", side_effect=OSError(number, "refused"))

    def test_of_a_group_with_processes_ends_with_what_to_do(self):
        with self.refused_with(errno.EBUSY), self.assertRaises(SystemExit) as ended:
            cgroups.enable_controllers(self.group)
        self.assertRegex(str(ended.exception), f"^{self.group} contains processes.* move the processes in .* there first$")

    def test_hides_no_other_refusal(self):
        with self.refused_with(errno.EACCES), self.assertRaises(PermissionError):
            cgroups.enable_controllers(self.group)


if __name__ == "__main__":
    unittest.main()
