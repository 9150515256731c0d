#include "dataloader/machine/limits.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <filesystem>
#include <fstream>

#include "tests/dataloader/storage/temporary_folder.h"

namespace carrack::data {
namespace {

class Limits : public testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = root.path() + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text << "\n";
  }

  const TemporaryFolder root;
};

TEST_F(Limits, MemoryIsTheMachinesWhereNoGroupLimitsIt) {
  write("/proc/meminfo", "MemFree: 1 kB\nMemTotal:       2048 kB");
  EXPECT_EQ(memory_of_this_process(root.path()), 2048U * 1024);
  write("/proc/self/cgroup", "0::/pods/one");
  write("/sys/fs/cgroup/pods/one/memory.max", "max");
  EXPECT_EQ(memory_of_this_process(root.path()), 2048U * 1024);
}

TEST_F(Limits, MemoryIsTheLeastOfTheGroupsThatTheProcessIsIn) {
  write("/proc/meminfo", "MemTotal: 2048 kB");
  write("/proc/self/cgroup", "0::/pods/one");
  write("/sys/fs/cgroup/pods/one/memory.max", "900000");
  EXPECT_EQ(memory_of_this_process(root.path()), 900'000U);
  write("/sys/fs/cgroup/pods/memory.max", "800000");
  EXPECT_EQ(memory_of_this_process(root.path()), 800'000U);
}

TEST_F(Limits, MemoryIsThatOfAGroupOfTheFirstVersion) {
  write("/proc/meminfo", "MemTotal: 2048 kB");
  write("/proc/self/cgroup", "9:cpu,cpuacct:/a\n8:memory:/a");
  write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712");
  write("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "700000");
  EXPECT_EQ(memory_of_this_process(root.path()), 700'000U);
}

TEST_F(Limits, MemoryIsThatOfAContainerThatSeesItsOwnGroupAsTheRoot) {
  write("/proc/meminfo", "MemTotal: 2048 kB");
  write("/proc/self/cgroup", "0::/kubepods/its/name/outside");
  write("/sys/fs/cgroup/memory.max", "600000");
  EXPECT_EQ(memory_of_this_process(root.path()), 600'000U);
}

TEST_F(Limits, MemoryOfThisMachineIsKnown) {
  EXPECT_GT(memory_of_this_process(), 100U << 20);
  EXPECT_LT(memory_of_this_process(), std::uint64_t{1} << 50);
}

// The affinity of this machine may be a single CPU, so the quotas are of less.
TEST_F(Limits, CpusAreTheLeastOfTheGroupsThatTheProcessIsIn) {
  write("/proc/self/cgroup", "0::/pods/one");
  write("/sys/fs/cgroup/pods/one/cpu.max", "max 100000");
  const double all = cpus_of_this_process(root.path());
  EXPECT_GE(all, 1);
  write("/sys/fs/cgroup/pods/one/cpu.max", "75000 100000");
  EXPECT_EQ(cpus_of_this_process(root.path()), 0.75);
  write("/sys/fs/cgroup/pods/cpu.max", "50000 100000");
  EXPECT_EQ(cpus_of_this_process(root.path()), 0.5);
  write("/sys/fs/cgroup/pods/cpu.max", "900000000 100000");
  EXPECT_EQ(cpus_of_this_process(root.path()), 0.75);
}

TEST_F(Limits, CpusAreThoseOfAGroupOfTheFirstVersion) {
  write("/proc/self/cgroup", "9:cpu,cpuacct:/a\n8:memory:/a");
  write("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1");
  write("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000");
  write("/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "25000");
  write("/sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000");
  EXPECT_EQ(cpus_of_this_process(root.path()), 0.25);
}

TEST_F(Limits, CpusAreThoseThatTheSchedulerMayChoose) {
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  EXPECT_EQ(cpus_of_this_process(root.path()), CPU_COUNT(&before));
  CPU_ZERO(&one);
  for (std::size_t cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++cpu)
    if (CPU_ISSET(cpu, &before)) CPU_SET(cpu, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(cpus_of_this_process(root.path()), 1);
  sched_setaffinity(0, sizeof before, &before);
}

}  // namespace
}  // namespace carrack::data
