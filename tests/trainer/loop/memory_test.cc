#include "trainer/loop/setup/memory.h"

#include <gtest/gtest.h>

#include <functional>

#include "tests/trainer/loop/job_in_storage.h"
#include "trainer/error.h"

namespace carrack::train {
namespace {

class Memory : public testing::Test {
 protected:
  static std::string refusal(const std::function<void()>& work) {
    try {
      work();
    } catch (const Error& error) {
      EXPECT_EQ(error.blame(), Blame::user);
      return error.what();
    }
    return "none";
  }

  Launch launch = some_launch("job", "folder");
};

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

TEST_F(Memory, OfAWorkerHoldsWhatIsCached) {
  launch.config.data.stages = {Cache{"1M"}, Shuffle{}, Cache{"100k"}};
  const train::Setup setup = setup_from(launch.config);
  EXPECT_EQ(
      refusal([&] { require_worker_fits(setup, launch.config, 100, 1'160'011); }),
      "spec.data.train.stages: a worker takes at least 1160012 bytes of memory, and has 1160011; give it more, or "
      "cache less");
  EXPECT_EQ(refusal([&] { require_worker_fits(setup, launch.config, 100, 2'500'000); }), "none");
  launch.config.data.stages = {Cache{"400k"}};
  launch.config.data.mix = {{{"a"}, {Cache{"500k"}}, 1}, {{"b"}, {Cache{"200k"}}, 1}};
  EXPECT_EQ(refusal([&] { require_worker_fits(setup, launch.config, 100, 1'160'011); }),
            "spec.data.train.mix: a worker takes at least 1160012 bytes of memory, and has 1160011; give it more, or "
            "cache less");
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
