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

  static ProcessSize with_memory(std::uint64_t bytes, std::int64_t records = 1) {
    return {.records = records, .memory = bytes};
  }

  Launch launch = some_launch("job", "folder");
};

// 4096 of the 5001 parameters: with Adam five times, and three times for a save.
TEST_F(Memory, OfAServerHoldsItsRange) {
  const train::Setup setup = setup_from(launch.config);
  EXPECT_EQ(refusal([&] { require_server_fits(setup, launch.config, 0, with_memory(131'072)); }), "none");
  EXPECT_EQ(
      refusal([&] { require_server_fits(setup, launch.config, 0, with_memory(131'071)); }),
      "spec.model: a parameter server takes at least 131072 bytes of memory, and has 131071; give it more, use more "
      "parameter servers in spec.replicas.ps, or a smaller model");
}

TEST_F(Memory, OfAWorkerHoldsTheParametersAndABatch) {
  const train::Setup setup = setup_from(launch.config);
  EXPECT_EQ(refusal([&] { require_worker_fits(setup, launch.config, with_memory(40'007, 100)); }),
            "spec.model: a worker takes at least 40008 bytes of memory, and has 40007; give it more, or use a smaller "
            "model");
  EXPECT_EQ(
      refusal([&] { require_worker_fits(setup, launch.config, with_memory(1'320'263, 100)); }),
      "spec.training.batch: a worker takes at least 1320264 bytes of memory, and has 1320263; give it more, or use "
      "a smaller batch");
  EXPECT_EQ(refusal([&] { require_worker_fits(setup, launch.config, with_memory(1'320'264, 100)); }).substr(0, 45),
            "spec.training.batch: a worker takes at least ")
      << "its arena";
  EXPECT_EQ(refusal([&] { require_worker_fits(setup, launch.config, with_memory(1'400'000, 100)); }), "none");
}

TEST_F(Memory, OfAWorkerHoldsWhatIsCached) {
  launch.config.data.stages = {Cache{"1M"}, Shuffle{}, Cache{"100k"}};
  const train::Setup setup = setup_from(launch.config);
  EXPECT_EQ(
      refusal([&] { require_worker_fits(setup, launch.config, with_memory(1'140'007, 100)); }),
      "spec.data.train.stages: a worker takes at least 1140008 bytes of memory, and has 1140007; give it more, or "
      "cache less");
  EXPECT_EQ(refusal([&] { require_worker_fits(setup, launch.config, with_memory(2'500'000, 100)); }), "none");
  launch.config.data.stages = {Cache{"400k"}};
  launch.config.data.mix = {{{"a"}, {Cache{"500k"}}, 1}, {{"b"}, {Cache{"200k"}}, 1}};
  EXPECT_EQ(refusal([&] { require_worker_fits(setup, launch.config, with_memory(1'140'007, 100)); }),
            "spec.data.train.mix: a worker takes at least 1140008 bytes of memory, and has 1140007; give it more, or "
            "cache less");
}

TEST_F(Memory, OfAWorkerHoldsNoLargerBatchThanThereAreRecords) {
  launch.config.training.batch = 9'223'372'036'854'775'807;
  const train::Setup setup = setup_from(launch.config);
  EXPECT_EQ(refusal([&] { require_worker_fits(setup, launch.config, with_memory(1'400'000, 64)); }), "none");
}

// All three roles: 5001 parameters two times, their state two times, one sum of gradients, and three times what is
// saved.
TEST_F(Memory, OfOneProcessHoldsAllRoles) {
  launch.config.ps = {1, 1};
  const train::Setup setup = setup_from(launch.config);
  ProcessSize process = with_memory(160'031, 100);
  process.one_process = true;
  const std::string of_model =
      "spec.model: the process of a Single job takes at least 160032 bytes of memory, and has 160031; give it more, or "
      "use a smaller model";
  EXPECT_EQ(refusal([&] { require_server_fits(setup, launch.config, 0, process); }), of_model);
  EXPECT_EQ(refusal([&] { require_worker_fits(setup, launch.config, process); }), of_model);
  ++process.memory;
  EXPECT_EQ(refusal([&] { require_server_fits(setup, launch.config, 0, process); }), "none");
  EXPECT_EQ(refusal([&] { require_worker_fits(setup, launch.config, process); }).substr(0, 64),
            "spec.training.batch: the process of a Single job takes at least ");
}

TEST_F(Memory, IsCountedWithoutEndForTheLargestOfJobs) {
  launch.config.data.features[0].size = 17'179'869'184;
  launch.config.training.batch = 2'147'483'647;
  const train::Setup setup = setup_from(launch.config);
  EXPECT_EQ(
      refusal([&] { require_worker_fits(setup, launch.config, with_memory(std::uint64_t{1} << 50, 1'000'000'000)); }),
      "spec.training.batch: a worker takes at least 68719476877438951424 bytes of memory, and has 1125899906842624; "
      "give it more, or use a smaller batch");
}

}  // namespace
}  // namespace carrack::train
