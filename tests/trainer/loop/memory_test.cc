#include "trainer/loop/memory.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "tests/dataloader/storage/temporary_folder.h"
#include "tests/trainer/loop/job_in_storage.h"
#include "trainer/error.h"

namespace carrack::train {
namespace {

class Memory : public testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = root.path() + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text << "\n";
  }

  static std::string refusal(const std::function<void()>& work) {
    try {
      work();
    } catch (const Error& error) {
      EXPECT_EQ(error.blame(), Blame::user);
      return error.what();
    }
    return "none";
  }

  const data::TemporaryFolder root;
  Launch launch = some_launch("job", "folder");
};

TEST_F(Memory, IsTheMachinesWhereNoGroupLimitsIt) {
  write("/proc/meminfo", "MemFree: 1 kB\nMemTotal:       2048 kB");
  EXPECT_EQ(memory_of_this_process(root.path()), 2048U * 1024);
  write("/proc/self/cgroup", "0::/pods/one");
  write("/sys/fs/cgroup/pods/one/memory.max", "max");
  EXPECT_EQ(memory_of_this_process(root.path()), 2048U * 1024);
}

TEST_F(Memory, IsTheLeastOfTheGroupsThatTheProcessIsIn) {
  write("/proc/meminfo", "MemTotal: 2048 kB");
  write("/proc/self/cgroup", "0::/pods/one");
  write("/sys/fs/cgroup/pods/one/memory.max", "900000");
  EXPECT_EQ(memory_of_this_process(root.path()), 900'000U);
  write("/sys/fs/cgroup/pods/memory.max", "800000");
  EXPECT_EQ(memory_of_this_process(root.path()), 800'000U);
}

TEST_F(Memory, IsThatOfAGroupOfTheFirstVersion) {
  write("/proc/meminfo", "MemTotal: 2048 kB");
  write("/proc/self/cgroup", "9:cpu,cpuacct:/a\n8:memory:/a");
  write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712");
  write("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "700000");
  EXPECT_EQ(memory_of_this_process(root.path()), 700'000U);
}

TEST_F(Memory, IsThatOfAContainerThatSeesItsOwnGroupAsTheRoot) {
  write("/proc/meminfo", "MemTotal: 2048 kB");
  write("/proc/self/cgroup", "0::/kubepods/its/name/outside");
  write("/sys/fs/cgroup/memory.max", "600000");
  EXPECT_EQ(memory_of_this_process(root.path()), 600'000U);
}

TEST_F(Memory, OfThisMachineIsKnown) {
  EXPECT_GT(memory_of_this_process(), 100U << 20);
  EXPECT_LT(memory_of_this_process(), std::uint64_t{1} << 50);
}

// 4096 of the 5001 parameters, five times with Adam.
TEST_F(Memory, OfAServerHoldsItsRange) {
  const train::Setup setup = setup_from(launch.config);
  EXPECT_EQ(refusal([&] { require_server_fits(setup, 0, 81'920); }), "none");
  EXPECT_EQ(
      refusal([&] { require_server_fits(setup, 0, 81'919); }),
      "spec.model: a parameter server takes at least 81920 bytes of memory, and has 81919; give it more, use more "
      "parameter servers in spec.replicas.ps, or a smaller model");
}

TEST_F(Memory, OfAWorkerHoldsTheParametersAndABatch) {
  const train::Setup setup = setup_from(launch.config);
  EXPECT_EQ(refusal([&] { require_worker_fits(setup, launch.config, 100, 60'011); }),
            "spec.model: a worker takes at least 60012 bytes of memory, and has 60011; give it more, or use a smaller "
            "model");
  EXPECT_EQ(
      refusal([&] { require_worker_fits(setup, launch.config, 100, 1'340'267); }),
      "spec.training.batch: a worker takes at least 1340268 bytes of memory, and has 1340267; give it more, or use "
      "a smaller batch");
  EXPECT_EQ(refusal([&] { require_worker_fits(setup, launch.config, 100, 1'340'268); }).substr(0, 45),
            "spec.training.batch: a worker takes at least ")
      << "its arena";
  EXPECT_EQ(refusal([&] { require_worker_fits(setup, launch.config, 100, 1'400'000); }), "none");
}

TEST_F(Memory, OfAWorkerHoldsNoLargerBatchThanThereAreRecords) {
  launch.config.training.batch = 9'223'372'036'854'775'807;
  const train::Setup setup = setup_from(launch.config);
  EXPECT_EQ(refusal([&] { require_worker_fits(setup, launch.config, 64, 1'400'000); }), "none");
}

TEST_F(Memory, IsCountedWithoutEndForTheLargestOfJobs) {
  launch.config.data.features[0].size = 17'179'869'184;
  launch.config.training.batch = 2'147'483'647;
  const train::Setup setup = setup_from(launch.config);
  EXPECT_EQ(
      refusal([&] { require_worker_fits(setup, launch.config, 1'000'000'000, std::uint64_t{1} << 50); }),
      "spec.training.batch: a worker takes at least 68719476946158428160 bytes of memory, and has 1125899906842624; "
      "give it more, or use a smaller batch");
}

}  // namespace
}  // namespace carrack::train
