// What a job's own commits and shards are refused for.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <string>

#include "tests/dataloader/storage/temporary_folder.h"
#include "tests/trainer/loop/job_in_storage.h"
#include "trainer/error.h"

namespace carrack::train {
namespace {

class Shards : public testing::Test {
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

  const data::TemporaryFolder temporary;
  const data::Storages storages{data::StorageSettings{}};
  Launch launch = some_launch("job", temporary.path() + "/here");
};

TEST_F(Shards, OfOtherDataAreNotGoneOnFrom) {
  leave_checkpoint(launch, storages, 25);
  launch.fence.incarnation = 2;
  EXPECT_EQ(refusal([&] {
              claimed(launch, storages, {batches_in_epoch, {"carrack-order v2 files=3", "other data"}, nullptr});
            }),
            "spec.data.train: the data has changed since step 25: it was files 2; it is files 3; give the "
            "job back what it began with, or begin another job");
  launch.fence.incarnation = 3;
  EXPECT_EQ(claimed(launch, storages).version, 25U);
}

TEST_F(Shards, SayHowManyRecordsWereLeftOutToThoseThatGoOnFromThem) {
  const Skipped skipped{3, "x.tfrecord: record 7 at byte 96: the data does not match its checksum"};
  leave_checkpoint(launch, storages, 25, {}, some_data, skipped);
  launch.fence.incarnation = 2;
  const Commit commit = claimed(launch, storages);
  EXPECT_EQ(commit.skipped, skipped);
  EXPECT_EQ(loaded(launch, storages, commit).skipped, skipped);
  Launch other = some_launch("other", temporary.path() + "/there");
  other.config.checkpoint.resume = launch.config.checkpoint.folder;
  const Commit resumed = claimed(other, storages);
  EXPECT_TRUE(resumed.resumed);
  EXPECT_EQ(loaded(other, storages, resumed).skipped, skipped);
}

TEST_F(Shards, ThatDoNotSayOnWhatDataAreGoneOnFrom) {
  leave_checkpoint(launch, storages, 25, {}, {batches_in_epoch, {}, nullptr});
  launch.fence.incarnation = 2;
  EXPECT_EQ(claimed(launch, storages).version, 25U);
}

// Such as "some data" here, which is what it then had as `order`.
TEST_F(Shards, OfAnOlderReleaseAreComparedByItsText) {
  leave_checkpoint(launch, storages, 25, {}, {batches_in_epoch, {"some data", "some data"}, nullptr});
  launch.fence.incarnation = 2;
  EXPECT_EQ(claimed(launch, storages).version, 25U);
  launch.fence.incarnation = 3;
  EXPECT_EQ(refusal([&] {
              claimed(launch, storages, {batches_in_epoch, {"carrack-order v2 files=2", "other data"}, nullptr});
            }),
            "spec.data.train: the data has changed since step 25: it was some data; it is other data; give the "
            "job back what it began with, or begin another job");
}

TEST_F(Shards, ThatAreNotFiniteAreNotSaved) {
  launch.config.ps = {1, 1};
  const train::Setup setup = setup_from(launch.config);
  const Launch server = server_of(launch, 0);
  ShardStore store(server, setup, storages);
  wire::Cut cut;
  cut.set_number(std::uint64_t{1} << 32 | 1);
  cut.set_version(12);
  cut.set_prefix("checkpoint-12-0-1-1");
  const auto state_with = [&](float parameter, float moment) {
    Tensors tensors = tensors_at(setup, 1);
    tensors.parameters.back() = parameter;
    tensors.optimizer[1].front() = moment;
    ShardState state{12, std::make_shared<const Floats>(tensors.parameters), {}, {}, {}};
    for (const auto& values : tensors.optimizer) state.optimizer.push_back(std::make_shared<Floats>(values));
    return state;
  };
  const std::string advice =
      " is not finite after step 12, so training has diverged; scale features and target to values near 1, or set a "
      "smaller spec.training.optimizer.learningRate; `carrack data stats` shows their ranges, and what is not finite";
  EXPECT_EQ(refusal([&] { store.save(cut, state_with(std::nanf(""), 1)); }), "spec.training: b" + advice);
  EXPECT_EQ(refusal([&] { store.save(cut, state_with(1, INFINITY)); }), "spec.training: w/Adam/v" + advice);
  EXPECT_FALSE(std::filesystem::exists(temporary.path() + "/here"));
  EXPECT_EQ(refusal([&] { store.save(cut, state_with(1, 1)); }), "none");
}

// The initial values of a large shard can take longer to compute than the shard to read.
TEST_F(Shards, BeginWithTheInitialStateOfTheOptimizer) {
  launch.config.training.optimizer = Adagrad{.initial_accumulator = 0.5};
  const Tensors initial = loaded(launch, storages, {}).tensors;
  ASSERT_EQ(initial.optimizer.size(), 1u);
  EXPECT_EQ(initial.optimizer[0], Floats(initial.parameters.size(), 0.5f));
}

TEST_F(Shards, AreRestoredWithoutInitialValues) {
  leave_checkpoint(launch, storages, 25);
  launch.fence.incarnation = 2;
  const Commit commit = claimed(launch, storages);
  train::Setup setup = setup_from(launch.config);
  setup.model.parameters.front().shape = {0};  // Its initial values cannot be computed.
  const Launch server = server_of(launch, 0);
  ShardStore store(server, setup, storages);
  EXPECT_THROW(store.load({}), Error);
  wire::Load from;
  from.set_manifest(commit.manifest);
  from.set_manifest_crc32c(commit.manifest_crc32c);
  EXPECT_EQ(store.load(from).version, 25U);
}

TEST_F(Shards, ThatWereChangedAreRefusedWithTheirFolder) {
  leave_checkpoint(launch, storages, 25);
  const Commit commit = [&] {
    launch.fence.incarnation = 2;
    return claimed(launch, storages);
  }();
  std::fstream shard(temporary.path() + "/here/checkpoint-25-0-1-1.data-00000-of-00002",
                     std::ios::in | std::ios::out | std::ios::binary);
  shard.put('?');
  shard.close();
  const std::string text = refusal([&] { loaded(launch, storages, commit); });
  EXPECT_EQ(text.substr(0, text.find(" have the CRC-32C")),
            temporary.path() + "/here: checkpoint-25-0-1-1.data-00000-of-00002: bytes [0, 16384)");
  EXPECT_TRUE(text.ends_with("; it is not what Carrack wrote: restore it")) << text;
}

TEST_F(Shards, OfOldCommitsAreRemovedAsTheManifestSays) {
  launch.config.checkpoint.keep_last = 1;
  launch.config.checkpoint.keep_every_steps = 10;
  for (const int step : {5, 10, 15, 20, 25}) {
    leave_checkpoint(launch, storages, static_cast<std::uint64_t>(step));
    ++launch.fence.incarnation;
  }
  const train::Setup setup = setup_from(launch.config);
  CommitStore commits(launch, setup, storages, "nonce");
  ASSERT_FALSE(commits.claim(some_data));
  commits.remover()({.last = commits.last_commit().manifest}, [] { return true; });
  std::set<std::string> left;
  for (const auto& file : std::filesystem::directory_iterator(temporary.path() + "/here")) {
    if (file.path().extension() == ".manifest") left.insert(file.path().stem());
  }
  EXPECT_EQ(left, (std::set<std::string>{"checkpoint-10-0-2-1", "checkpoint-20-0-4-1", "checkpoint-25-0-5-1"}));
}

}  // namespace
}  // namespace carrack::train
