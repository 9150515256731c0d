#include "trainer/loop/data/input.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <thread>

#include "dataloader/error.h"
#include "tests/dataloader/storage/temporary_folder.h"
#include "tests/trainer/loop/numbered_records.h"
#include "trainer/error.h"

namespace carrack::train {
namespace {

class FoundRecords : public testing::Test {
 protected:
  FoundRecords() {
    data::Bytes file;
    data::frame::append(file, {});
    std::ofstream(here.path() + "/a.tfrecord", std::ios::binary)
        .write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
  }

  std::string refusal(const std::string& pattern) {
    launch.config.data.files = {pattern};
    try {
      input_of(launch, storages);
    } catch (const Error& error) {
      EXPECT_EQ(error.blame(), Blame::user);
      return error.what();
    }
    return "none";
  }

  std::string own(const std::string& pattern, const std::string& name) const {
    return "spec.data.train.files: " + pattern + " matches " + name +
           ", which the job itself writes to spec.checkpoint.folder; give it a folder apart, or say more of the files' "
           "names";
  }

  const data::TemporaryFolder here;
  const data::Storages storages{data::StorageSettings{}};
  Launch launch = some_launch("job", here.path());
};

TEST_F(FoundRecords, MayLieBesideCheckpoints) {
  EXPECT_EQ(refusal(here.path() + "/*.tfrecord"), "none");
  launch.config.checkpoint.folder = here.path() + "/checkpoints";
  EXPECT_EQ(refusal(here.path() + "/*"), "none");
}

TEST_F(FoundRecords, AreNoCheckpointsHoweverTheirFolderIsSpelled) {
  EXPECT_EQ(refusal(here.path() + "/*"), own(here.path() + "/*", "HEAD"));
  EXPECT_EQ(refusal(here.path() + "/STAT*"), own(here.path() + "/STAT*", "STATISTICS"));
  EXPECT_EQ(refusal("file://" + here.path() + "/./c*-00001"),
            own("file://" + here.path() + "/./c*-00001", "checkpoint-1-0-1-1.data-00000-of-00001"));
  launch.config.checkpoint.folder = "file://" + here.path() + "/checkpoints/";
  EXPECT_EQ(refusal(here.path() + "/**.manifest"), own(here.path() + "/**.manifest", "checkpoint-1-0-1-1.manifest"));
}

TEST_F(FoundRecords, AreSome) {
  EXPECT_EQ(refusal(here.path() + "/b*"), "spec.data.train.files: no file matches " + here.path() + "/b*");
  std::ofstream(here.path() + "/empty");
  EXPECT_EQ(refusal(here.path() + "/e*"), "spec.data.train.files: the files hold no record");
}

// Three files of 5, 2 and 4 records, numbered from 0, batches of four in two lanes.
class Stages : public testing::Test {
 protected:
  Stages() {
    write_records(here.path() + "/a.tfrecord", 0, 5);
    write_records(here.path() + "/b.tfrecord", 5, 2);
    write_records(here.path() + "/c.tfrecord", 7, 4);
    launch.config.ps = {1, 1};
    launch.config.model = Tally{"record", 11};
    launch.config.data.files = {here.path() + "/*.tfrecord"};
    launch.config.data.features = {{"record", FeatureType::int64, 1}};
    launch.config.training.batch = 4;
    launch.config.training.lanes = 2;
    launch.config.training.epochs = 3;
    launch.config.checkpoint.folder = here.path() + "/checkpoints";
  }

  Input open(std::vector<Stage> stages) {
    launch.config.data.stages = std::move(stages);
    return input_of(launch, storages);
  }

  Ids epoch(std::vector<Stage> stages, std::uint64_t number = 0) {
    Input input = open(std::move(stages));
    return epoch_of(input, number, 2);
  }

  std::string refusal(std::vector<Stage> stages) {
    try {
      epoch(std::move(stages));
    } catch (const std::exception& error) {
      return error.what();
    }
    return "none";
  }

  const data::TemporaryFolder here;
  const data::Storages storages{data::StorageSettings{}};
  Launch launch = some_launch("job", here.path());
};

TEST_F(Stages, OrderTheRecordsOfEachEpoch) {
  EXPECT_EQ(epoch({}), (Ids{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
  EXPECT_EQ(epoch({}, 2), epoch({}));
  EXPECT_EQ(epoch({Interleave{2, 1}}), (Ids{0, 5, 1, 6, 2, 3, 7, 4, 8, 9, 10}));
  EXPECT_EQ(epoch({Interleave{3, 2}}), (Ids{0, 1, 5, 6, 7, 8, 2, 3, 9, 10, 4}));
  std::ofstream(here.path() + "/ab.tfrecord");
  EXPECT_EQ(epoch({Interleave{2, 1}}), (Ids{0, 5, 1, 6, 2, 3, 7, 4, 8, 9, 10})) << "a file of nothing takes no turn";
  EXPECT_EQ(epoch({Skip{2}, Take{5}}), (Ids{2, 3, 4, 5, 6}));
  EXPECT_EQ(epoch({Take{5}, Skip{2}}), (Ids{2, 3, 4}));
  EXPECT_EQ(epoch({Shard{3, 1}}), (Ids{1, 4, 7, 10}));
  EXPECT_EQ(epoch({Take{3}, Repeat{2}}, 1), (Ids{0, 1, 2, 0, 1, 2}));
}

TEST_F(Stages, ShuffleEachEpochAnewAndTheSameWayForEachReader) {
  for (const ShuffleKind kind : {ShuffleKind::by_place, ShuffleKind::full, ShuffleKind::block}) {
    const std::vector<Stage> stages = {Shuffle{kind, 2, 2}};
    Ids first = epoch(stages, 0);
    EXPECT_EQ(epoch(stages, 0), first);
    EXPECT_NE(epoch(stages, 1), first);
    std::ranges::sort(first);
    EXPECT_EQ(first, epoch({}));
  }
  EXPECT_EQ(epoch({Shuffle{ShuffleKind::full, 0, 16}}), epoch({Shuffle{}})) << "files are near";
}

// What lies together is read together: one lane reads nothing of what another does but at the ends of its run.
TEST_F(Stages, GiveEachLaneARunOfItsOwnOfBlocks) {
  Input input = open({Shuffle{ShuffleKind::block, 1, 1}});
  Input whole = open({Shuffle{ShuffleKind::block, 1, 1}});
  Ids lanes[2];
  for (std::uint64_t step = 0; step < 3; ++step) {
    for (std::uint64_t lane = 0; lane < 2; ++lane)
      for (const std::int64_t id : ids_of(input, step, {lane, lane + 1})) lanes[lane].push_back(id);
    EXPECT_EQ(ids_of(whole, step, {0, 2}).size(), step < 2 ? 4 : 3);
  }
  EXPECT_EQ(lanes[0].size(), 6);
  EXPECT_EQ(lanes[1].size(), 5);
  Ids both = lanes[0];
  both.insert(both.end(), lanes[1].begin(), lanes[1].end());
  std::ranges::sort(both);
  EXPECT_EQ(both, epoch({}));
}

TEST_F(Stages, HoldNoMoreRowsOfBlocksThanHalfOfTheMemoryHas) {
  RoleContext context = some_surroundings(storages);
  const auto refusal = [&](std::uint64_t memory, std::vector<Stage> stages) -> std::string {
    context.memory = memory;
    launch.config.data.stages = std::move(stages);
    Input input = input_of(launch, context);
    EXPECT_EQ(input.order().records(), 11) << "who only counts holds nothing";
    try {
      input.read({0, {0, 2}});
    } catch (const data::Refused& error) {
      return error.what();
    }
    return "none";
  };
  const auto refused = [](int bytes) {
    return "spec.data.train.stages[0]: shuffle: the rows of its window do not fit into " + std::to_string(bytes) +
           " bytes, which it may take of this process's memory; ask for a smaller window or block, or give it more "
           "memory";
  };
  const Shuffle block{ShuffleKind::block, 2, 30};
  EXPECT_EQ(refusal(400, {block}), refused(200));
  EXPECT_EQ(refusal(40'000, {block}), "none");
  EXPECT_EQ(refusal(40'000, {block, Cache{"39800"}}), refused(112));
}

TEST_F(Stages, HoldARunForEachLaneHoweverManyThereAre) {
  RoleContext context = some_surroundings(storages);
  write_records(here.path() + "/d.tfrecord", 11, 989);
  launch.config.model = Tally{"record", 1000};
  launch.config.training.batch = 64;
  launch.config.training.lanes = 64;
  launch.config.data.stages = {Shuffle{ShuffleKind::block, 2, 1}};
  context.memory = 20'000;
  Input input = input_of(launch, context);
  input.read({0, {0, 1}});
  EXPECT_THROW(input.read({0, {0, 64}}), data::Refused);
}

// What is read ahead changes nothing, whatever is asked for next.
TEST_F(Stages, GiveWhatIsAskedForInAnyTurn) {
  Input in_turn = open({Shuffle{}}), here_and_there = open({Shuffle{}});
  std::vector<Ids> batches;
  for (std::uint64_t batch = 0; batch < 9; ++batch) batches.push_back(ids_of(in_turn, batch, {0, 2}));
  for (const std::uint64_t batch : {4u, 5u, 6u, 3u, 3u, 4u, 8u, 0u, 1u})
    EXPECT_EQ(ids_of(here_and_there, batch, {0, 2}), batches[batch]);
  Ids halves = ids_of(here_and_there, 2, {0, 1});
  for (const std::int64_t id : ids_of(here_and_there, 2, {1, 2})) halves.push_back(id);
  EXPECT_EQ(halves, batches[2]);
}

// Returns how many rows were converted once there have been as many, or 10 s after the call.
std::uint64_t rows_after_a_while(const std::atomic<std::uint64_t>& converted, std::uint64_t expected) {
  for (int i = 0; i < 1000 && converted < expected; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return converted;
}

TEST_F(Stages, AreReadAheadByTheLeasesOfAnAsyncWorker) {
  launch.config.training.consistency = Consistency::async;
  launch.config.data.stages = {};
  RoleContext context = some_surroundings(storages);
  context.cpus = 2;  // so that three batches are read ahead
  auto setup = setup_from(launch.config);
  std::atomic<std::uint64_t> converted = 0;
  setup.columns = [&converted, columns = setup.columns](data::Rows& rows) {
    columns(rows);
    converted += rows.count;
  };
  Input input(indexed_files(job_files(launch, context), launch, context), launch, setup, context);
  EXPECT_EQ(input.batches_ahead_max(), 3U);
  const auto ids = [&](std::uint64_t batch, const std::vector<std::uint64_t>& leases) {
    const data::Batch read = input.read({batch, {0, 2}, 0, leases});
    const auto& column = std::get<data::LargeVector<std::int64_t>>(read.rows.column("record").values);
    return Ids(column.begin(), column.end());
  };
  EXPECT_EQ(ids(0, {2, 4, 1, 3}), (Ids{0, 1, 2, 3}));
  EXPECT_EQ(rows_after_a_while(converted, 4 + 3 + 4 + 4), 15U) << "batches 0, 2, 4 and 1; the third is not read yet";
  EXPECT_EQ(ids(2, {4, 1}), (Ids{8, 9, 10}));
  EXPECT_EQ(ids(4, {0, 5}), (Ids{4, 5, 6, 7}));
  EXPECT_EQ(rows_after_a_while(converted, 22), 22U) << "batches 0 and 5 were read besides, and none twice";
  EXPECT_EQ(ids(3, {}), (Ids{0, 1, 2, 3})) << "a batch that was not expected";
  EXPECT_EQ(ids(1, {}), (Ids{4, 5, 6, 7}));
}

TEST_F(Stages, TellWhetherABatchIsReadAhead) {
  const auto within = [](auto time) { return std::chrono::steady_clock::now() + time; };
  Input input = open({});
  EXPECT_FALSE(input.wait_until_read({0, {0, 2}}, within(std::chrono::seconds(10)))) << "nothing reads it";
  input.read({0, {0, 2}});
  EXPECT_TRUE(input.wait_until_read({1, {0, 2}}, within(std::chrono::seconds(10))));
  EXPECT_FALSE(input.wait_until_read({1, {0, 1}}, within(std::chrono::seconds(10)))) << "other lanes";
}

TEST_F(Stages, AreKnownByWhatTheyChange) {
  const auto order = [&](std::vector<Stage> stages) { return open(std::move(stages)).found().order; };
  const auto contents = [&](std::vector<Stage> stages) { return order(std::move(stages)).legacy; };
  const std::string usual = contents({Shuffle{}});
  EXPECT_TRUE(usual.starts_with("files 3, records 11, bytes ")) << usual;
  EXPECT_EQ(contents({Shuffle{ShuffleKind::full, 7, 7}}), usual);
  EXPECT_EQ(contents({}), usual + "; no stages");
  EXPECT_EQ(contents({Interleave{}, Skip{1}, Shuffle{}, Cache{"1Mi"}}),
            usual + "; interleave 16 1; skip 1; shuffle Full 0 16; cache");
  EXPECT_EQ(contents({Shard{2, 1}, Take{3}, Shuffle{ShuffleKind::block, 0, 4}, Repeat{2}}),
            usual + "; shard 2 1; take 3; shuffle Block 0 2 by runs; repeat 2; in 2 lanes");
  launch.config.training.consistency = Consistency::async;
  EXPECT_EQ(contents({Shuffle{ShuffleKind::block, 0, 4}}), usual + "; shuffle Block 0 4 by runs")
      << "no lane has its own run";
  const std::string records = order({}).text;
  EXPECT_TRUE(records.starts_with("carrack-order v2 files=3 records=11 bytes=")) << records;
  EXPECT_EQ(order({Shuffle{}}).text, records + " stage=shuffle kind=full");
  EXPECT_EQ(order({Shuffle{ShuffleKind::block, 0, 4}}).text, records + " stage=shuffle kind=block block=0 window=4");
  launch.config.training.consistency = Consistency::sync;
  EXPECT_EQ(order({Shuffle{ShuffleKind::block, 0, 4}}).text,
            records + " stage=shuffle kind=block block=0 window=2 lanes=2");
}

TEST_F(Stages, CacheWhatWasReadOnce) {
  Input input = open({Cache{"1Mi"}, Shuffle{}});
  Ids first = epoch_of(input, 0, 2);
  std::filesystem::remove_all(here.path() + "/a.tfrecord");
  Ids second = epoch_of(input, 1, 2);
  EXPECT_NE(first, second);
  std::ranges::sort(first);
  std::ranges::sort(second);
  EXPECT_EQ(first, second);
}

TEST_F(Stages, TakeNoMemoryForACacheThatNobodyReads) {
  const Input input = open({Repeat{1'000'000'000}, Repeat{1'000'000}, Cache{"1000Ti"}});
  EXPECT_EQ(input.order().records(), 11'000'000'000'000'000u);
}

TEST_F(Stages, LeaveSomethingToTrainOn) {
  EXPECT_EQ(refusal({Skip{11}}), "spec.data.train.stages: leave no record of the files'");
  EXPECT_EQ(refusal({Shard{20, 19}}), "spec.data.train.stages: leave no record of the files'");
  EXPECT_EQ(refusal({Repeat{1'000'000'000}, Repeat{1'000'000'000}, Repeat{1'000'000'000}, Shuffle{}}),
            "spec.data.train.stages[3]: shuffle: has no end of its input to shuffle up to; shuffle first, then repeat");
  EXPECT_EQ(
      refusal({Repeat{1'000'000'000}, Cache{"1Mi"}}),
      "spec.data.train.stages[1]: cache: takes more than the 1048576 bytes it may have; give it more, or leave it "
      "out");
  EXPECT_EQ(
      refusal({Shuffle{}, Cache{"64"}}),
      "spec.data.train.stages[1]: cache: takes more than the 64 bytes it may have; give it more, or leave it out");
}

}  // namespace
}  // namespace carrack::train
