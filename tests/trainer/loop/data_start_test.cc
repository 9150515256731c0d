// Which jobs begin before their data is indexed, and how their steps are counted.
#include "trainer/loop/data/data_start.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <vector>

#include "dataloader/records/example_writer.h"
#include "dataloader/records/frame.h"
#include "tests/dataloader/storage/temporary_folder.h"
#include "tests/trainer/loop/job_in_storage.h"
#include "tests/trainer/models/networks.h"
#include "trainer/error.h"
#include "trainer/loop/data/training_data.h"

namespace carrack::train {
namespace {

constexpr std::int64_t files = 9, records_in_file = 25;

class Beginning : public testing::Test {
 protected:
  Beginning() {
    std::filesystem::create_directories(here.path() + "/data");
    for (std::int64_t i = 0; i < files; ++i) {
      data::Bytes file;
      for (std::int64_t record = 0; record < records_in_file; ++record) {
        const float number[1] = {static_cast<float>(i * records_in_file + record)};
        const data::NamedValues values[] = {{"x", std::span<const float>(number)},
                                            {"y", std::span<const float>(number)}};
        data::frame::append(file, data::example_of(values));
      }
      std::ofstream(here.path() + "/data/" + std::to_string(i), std::ios::binary)
          .write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
    }
    launch.config.data = {{here.path() + "/data/*"}, {{"x", FeatureType::float32, 1}, {"y", FeatureType::float32, 1}}};
    launch.config.training.batch = 20;
    launch.config.training.epochs = 3;
    launch.config.workers.min = 0;  // Nobody is waited for.
  }

  JobData begun() const {
    return open_data_as_coordinator(launch, setup_from(launch.config), some_surroundings(storages),
                                    [](const data::IndexingProgress&) {});
  }
  static bool is_first_pass(const JobData& data) { return std::holds_alternative<data::FirstPass>(data); }
  void build_indexes() const { indexed_files(job_files(launch, context_), launch, context_); }
  void claim(JobData data) const { claimed(launch, storages, found_in(std::move(data))); }
  TrainingData worker_data() {
    setup_.emplace(setup_from(launch.config));
    return {begun(), launch, *setup_, context_};
  }

  const data::TemporaryFolder here;
  const data::Storages storages{data::StorageSettings{}};
  Launch launch = some_launch("job", here.path() + "/checkpoints");

 private:
  const RoleContext context_ = some_surroundings(storages);
  std::optional<train::Setup> setup_;  // that workers read by
};

TEST_F(Beginning, IsAFirstPassWhereAnIndexIsMissing) {
  EXPECT_TRUE(is_first_pass(begun()));
  EXPECT_FALSE(std::filesystem::exists(here.path() + "/checkpoints/indexes"));
  build_indexes();
  EXPECT_FALSE(is_first_pass(begun()));
}

TEST_F(Beginning, WaitsForTheIndexWhereItsOrderIsPromisedOrNobodyHasALane) {
  for (const bool async : {false, true}) {
    launch.config.checkpoint.folder = here.path() + (async ? "/async" : "/deterministic");
    launch.config.training.deterministic = !async;
    launch.config.training.consistency = async ? Consistency::async : Consistency::sync;
    EXPECT_FALSE(is_first_pass(begun()));
  }
}

TEST_F(Beginning, WaitsForTheIndexWhereRecordsDrawAPartOfTheirImages) {
  Image& image = launch.config.data.features[0].image.emplace(Image{.height = 1, .width = 1});
  EXPECT_TRUE(is_first_pass(begun()));
  image.crop.kind = CropKind::random;
  EXPECT_FALSE(is_first_pass(begun()));
  image = {.height = 1, .width = 1, .mirror = true};
  EXPECT_FALSE(is_first_pass(begun()));
}

TEST_F(Beginning, WaitsForTheIndexWhereAllRecordsAreReadBeforeTheFirstStepAnyway) {
  launch.config.model = Layers{{dense(1, {"x"})}, {LossKind::mse, "y"}};
  EXPECT_TRUE(is_first_pass(begun()));
  launch.config.model = Layers{{of_kind("Standardize", {"x"}), dense(1)}, {LossKind::mse, "y"}};
  launch.config.ps = {1, 1};
  EXPECT_FALSE(is_first_pass(begun()));
}

TEST_F(Beginning, WaitsForTheIndexOfFewerFilesThanLanes) {
  launch.config.training.lanes = 16;
  EXPECT_FALSE(is_first_pass(begun()));
}

TEST_F(Beginning, IsDecidedOnce) {
  claim(begun());
  build_indexes();
  launch.fence.incarnation = 2;
  EXPECT_TRUE(is_first_pass(begun()));
  claim(begun());
  launch.job_uid = "another";
  launch.config.checkpoint.folder = here.path() + "/another";
  build_indexes();
  claim(begun());
  std::filesystem::remove_all(here.path() + "/another/indexes");
  EXPECT_FALSE(is_first_pass(begun()));
}

TEST_F(Beginning, IsThatOfTheJobThatItGoesOnFrom) {
  leave_checkpoint(launch, storages, 2, {}, found_in(begun()));
  build_indexes();
  launch.job_uid = "second";
  launch.config.checkpoint.resume = launch.config.checkpoint.folder;
  launch.config.checkpoint.folder = here.path() + "/second";
  EXPECT_TRUE(is_first_pass(begun()));
  claim(begun());
}

TEST_F(Beginning, CannotBeOfAJobThatHasAnotherOrderNow) {
  claim(begun());
  launch.config.training.deterministic = true;
  try {
    begun();
    FAIL() << "goes on";
  } catch (const Error& error) {
    EXPECT_EQ(error.blame(), Blame::user);
    EXPECT_STREQ(
        error.what(),
        "spec.training: the job, or that of spec.checkpoint.resume, began before its data was indexed, in an "
        "order that takes consistency: Sync, deterministic: false, spec.data.train.files in the usual stages, no image "
        "cropped or mirrored at random and at least as many files as lanes; give it back what it began with");
  }
}

TEST_F(Beginning, IsNotDecidedByTwoStartsOfACoordinator) {
  claim(begun());
  launch.fence.incarnation = 2;
  const FoundData otherwise{12, {"carrack-order v2 files=9", ""}, nullptr};
  try {
    claimed(launch, storages, otherwise);
    FAIL() << "goes on";
  } catch (const Error& error) {
    EXPECT_EQ(error.blame(), Blame::platform) << "it is to start anew";
    EXPECT_STREQ(error.what(), "another start of this coordinator has decided meanwhile how the job begins");
  }
}

TEST_F(Beginning, IsHeardByWorkersFromHead) {
  RoleContext context = some_surroundings(storages);
  const auto setup = setup_from(launch.config);
  int asked = 0;
  context.shutdown_requested = [&] { return ++asked > 2; };
  EXPECT_FALSE(open_data_as_worker(launch, setup, context)) << "nobody has claimed it";
  EXPECT_EQ(asked, 3);
  claim(begun());
  EXPECT_TRUE(is_first_pass(*open_data_as_worker(launch, setup, context)));
}

TEST_F(Beginning, DoesNotHangWhileWorkersWaitForIt) {
  RoleContext context = some_surroundings(storages);
  std::atomic<int> went_on = 0;
  std::vector<int> seen;
  context.goes_on = [&] { ++went_on; };
  context.shutdown_requested = [&] {
    seen.push_back(went_on.load());
    return seen.size() == 3;
  };
  EXPECT_FALSE(open_data_as_worker(launch, setup_from(launch.config), context)) << "no coordinator has decided";
  ASSERT_EQ(seen.size(), 3U);
  EXPECT_LT(seen[0], seen[1]);
  EXPECT_LT(seen[1], seen[2]);
}

TEST_F(Beginning, DoesNotHangWhileFilesAreIndexed) {
  launch.config.training.lanes = 16;
  RoleContext context = some_surroundings(storages);
  std::atomic<int> went_on = 0;
  context.goes_on = [&] { ++went_on; };
  const auto setup = setup_from(launch.config);
  const auto open = [&] { open_data_as_coordinator(launch, setup, context, [](const data::IndexingProgress&) {}); };
  open();
  EXPECT_GE(went_on.load(), 1 + files + files + 1)
      << "files are listed, indexes looked for next to them and in the folder of the job, and indexing begins";
  went_on = 0;
  open();
  EXPECT_GE(went_on.load(), 1 + files + files) << "each index is read";
}

TEST_F(Beginning, DoesNotHangWhileWorkersReadFilesInTheFirstPass) {
  int went_on = 0;
  const auto step = worker_data().read({0, {0, 8}}, [&] { ++went_on; });
  EXPECT_TRUE(std::get<TrainingData::Step>(step).first_pass);
  EXPECT_GE(went_on, 8) << "a piece of a file for each lane";
}

TEST_F(Beginning, ThatIsAFirstPassCountsItsStepsOnceTheyAreKnown) {
  const FoundData found = found_in(begun());
  EXPECT_EQ(total_batches(found, launch.config.training), std::nullopt);
  TrainingData read = worker_data();
  std::vector<std::uint64_t> used{0};  // after each step
  std::uint64_t first_pass = 0;
  for (;;) {
    const auto step = read.read({used.size() - 1, {0, 8}});
    if (const auto* ended = std::get_if<JobEnded>(&step)) {
      EXPECT_EQ(ended->steps, used.size() - 1);
      break;
    }
    first_pass += std::get<TrainingData::Step>(step).first_pass ? 1 : 0;
    used.push_back(used.back() + std::get<TrainingData::Step>(step).batch.lanes.back().end);
  }
  EXPECT_EQ(used.back(), 3 * files * records_in_file);
  EXPECT_EQ(used[first_pass], files * records_in_file);
  EXPECT_EQ(total_batches(found, launch.config.training), used.size() - 1);
  for (std::uint64_t step = 0; step < used.size(); ++step) {
    const DataPosition position = position_of(step, found, launch.config.training);
    EXPECT_EQ(position.epoch * files * records_in_file + position.record, used[step]) << step;
  }
  EXPECT_EQ(position_of(first_pass, found, launch.config.training), (DataPosition{1, 0}));
  const auto again = read.read({1, {0, 8}});
  EXPECT_TRUE(std::get<TrainingData::Step>(again).first_pass) << "all have gone back to a commit";
}

}  // namespace
}  // namespace carrack::train
