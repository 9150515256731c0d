#include "dataloader/pipeline/lanes/first_pass.h"

#include <numeric>

#include "tests/dataloader/pipeline/unindexed_data.h"

namespace carrack::data {
namespace {

using FirstPassTest = UnindexedData;

TEST_F(FirstPassTest, ReadsEachRecordOnceAndThenKnowsItsEnd) {
  const std::vector<Step> steps = all_steps();
  std::vector<int> seen(123);
  for (const Step& step : steps) {
    for (const auto& lane : step) {
      for (const std::int64_t id : lane) ++seen.at(static_cast<std::size_t>(id));
    }
  }
  EXPECT_EQ(seen, std::vector<int>(123, 1));
  FirstPass known = pass();
  ASSERT_TRUE(known.totals());
  EXPECT_EQ(*known.totals(), (FirstPass::Totals{steps.size(), 123}));
}

// Within a stream they are in the order of its files, and of the records in them.
TEST_F(FirstPassTest, TakesFilesWholeInTheOrderOfTheirStream) {
  const std::vector<Step> steps = all_steps();
  std::vector<std::int64_t> firsts(records.size());
  std::exclusive_scan(records.begin(), records.end(), firsts.begin(), std::int64_t{0});
  const FirstPass known = pass();
  for (std::uint64_t lane = 0; lane < lanes; ++lane) {
    std::vector<std::int64_t> expected, read;
    for (const std::size_t file : known.streams().files(lane)) {
      for (std::uint64_t i = 0; i < records[file]; ++i) expected.push_back(firsts[file] + static_cast<std::int64_t>(i));
    }
    for (const Step& step : steps) read.insert(read.end(), step[lane].begin(), step[lane].end());
    EXPECT_EQ(read, expected);
  }
}

TEST_F(FirstPassTest, KnowsAtEachStepHowManyRecordsWereUsed) {
  FirstPassBatches alone = reader();
  FirstPass other = pass();
  std::uint64_t used = 0;
  for (std::uint64_t step = 0;; ++step) {
    EXPECT_EQ(other.records_used(step), used) << step;
    auto read = alone.read(step, {0, lanes});
    if (std::holds_alternative<FirstPass::Totals>(read)) break;
    used += ids(std::get<Batch>(read)).size();
  }
  EXPECT_EQ(used, 123u);
  EXPECT_EQ(other.records_used(1000), 123u);
}

// Else nobody could count on what is missing being still to be read.
TEST_F(FirstPassTest, KeepsTheIndexOfAFileBeforeItsLastRecordIsGiven) {
  FirstPassBatches alone = reader();
  std::vector<std::uint64_t> used(records.size());
  std::vector<std::int64_t> ends(records.size());
  std::inclusive_scan(records.begin(), records.end(), ends.begin());
  for (std::uint64_t step = 0;; ++step) {
    auto read = alone.read(step, {0, lanes});
    if (std::holds_alternative<FirstPass::Totals>(read)) break;
    for (const std::int64_t id : ids(std::get<Batch>(read)))
      ++used[static_cast<std::size_t>(std::ranges::upper_bound(ends, id) - ends.begin())];
    for (std::size_t file = 0; file < records.size(); ++file) {
      if (records[file] == 0 || used[file] < records[file]) continue;
      const std::optional<Bytes> kept = read_whole(storage, index_of(file));
      ASSERT_TRUE(kept) << step;
      const StoredObject source(storage, name(file), storage.stat(name(file)).value());
      EXPECT_EQ(*kept, encode(std::get<Index>(build_index(source))));
    }
  }
}

TEST_F(FirstPassTest, IsTheSameWhoeverReadsWhichLanes) {
  const std::vector<Step> expected = all_steps();
  forget_indexes();
  std::vector<FirstPassBatches> workers;
  for (int i = 0; i < 2; ++i) workers.push_back(reader());
  for (std::uint64_t step = 0; step < expected.size(); ++step) {
    const std::uint64_t middle = step % 5;  // Lanes pass from one to the other, up to all of them.
    Step read;
    for (const auto& [worker, of] : {std::pair{0, Range{0, middle}}, std::pair{1, Range{middle, lanes}}}) {
      if (of.size() == 0) continue;
      const Batch batch = batch_at(workers[static_cast<std::size_t>(worker)], step, of);
      EXPECT_EQ(batch.first_row, lane_of(batching.batch, lanes, of.begin).begin);
      const Step part = by_lane(batch);
      read.insert(read.end(), part.begin(), part.end());
    }
    EXPECT_EQ(read, expected[step]) << step;
    if (step % 4 == 3) workers[step / 4 % 2] = reader();  // One dies, and knows nothing.
  }
  for (FirstPassBatches& worker : workers)
    EXPECT_TRUE(std::holds_alternative<FirstPass::Totals>(worker.read(expected.size(), {0, lanes})));
}

TEST_F(FirstPassTest, GoesBackToAnyStep) {
  const std::vector<Step> expected = all_steps();
  forget_indexes();
  FirstPassBatches alone = reader();
  for (const std::uint64_t step : {0, 1, 2, 3, 1, 2, 9, 4, 0, 11, 10, 12})
    EXPECT_EQ(by_lane(batch_at(alone, step, {0, lanes})), expected[step]) << step;
}

TEST_F(FirstPassTest, ReportsProgressWhileItReadsFilesFromTheirBeginning) {
  const std::uint64_t last = all_steps().size() - 1;
  const auto reports = [&] {
    int count = 0;
    reader().read(last, {0, lanes}, [&] { ++count; });
    return count;
  };
  EXPECT_EQ(reports(), 7) << "files whose index is known";
  forget_indexes();
  EXPECT_GE(reports(), 7 + 7) << "at least a piece of each file, and its end";
}

TEST_F(FirstPassTest, IsTheSameWhereIndexesAreThereAlready) {
  const std::vector<Step> expected = all_steps();
  std::filesystem::remove(index_of(0));
  std::filesystem::remove(index_of(3));
  EXPECT_EQ(all_steps(), expected);
  EXPECT_EQ(all_steps(), expected) << "all of them";
}

// A worker that has lanes at their end looks for the others' indexes, and must not believe in the end too soon.
TEST_F(FirstPassTest, GoesOnWithEmptyLanesUntilAllIndexesAreThere) {
  const std::vector<Step> expected = all_steps();
  std::uint64_t shortest = 0, longest = 0;
  for (std::uint64_t lane = 0; lane < lanes; ++lane) {
    if (!expected.back()[lane].empty()) longest = lane;
    if (expected.back()[lane].empty()) shortest = lane;
  }
  ASSERT_NE(shortest, longest);
  forget_indexes();
  FirstPassBatches ended = reader();
  for (std::uint64_t step = 0; step < expected.size() + 3; ++step) {
    const auto read = ended.read(step, {shortest, shortest + 1});
    ASSERT_TRUE(std::holds_alternative<Batch>(read)) << step;
  }
  EXPECT_FALSE(pass().totals());
  all_steps();
  EXPECT_TRUE(std::holds_alternative<FirstPass::Totals>(ended.read(expected.size(), {shortest, shortest + 1})));
  EXPECT_TRUE(std::holds_alternative<Batch>(ended.read(expected.size() - 1, {shortest, shortest + 1})));
}

TEST_F(FirstPassTest, HandsOverWhatOnlyThisMachineKnew) {
  IndexingOptions cached = how();
  cached.shared = folder.path() + "/cache";
  FirstPassBatches first(pass(cached), parse_examples({{"id", Dtype::int64, 1}}), OnDamage::stop);
  for (std::uint64_t step = 0; std::holds_alternative<Batch>(first.read(step, {0, lanes})); ++step) {
  }
  EXPECT_FALSE(std::filesystem::exists(index_of(0)));
  cached = how();
  cached.cache = folder.path() + "/cache";
  FirstPassBatches second(pass(cached), parse_examples({{"id", Dtype::int64, 1}}), OnDamage::stop);
  for (std::uint64_t step = 0; std::holds_alternative<Batch>(second.read(step, {0, lanes})); ++step) {
  }
  EXPECT_TRUE(pass().totals()) << "others find them";
}

// One of them may fail to read what lies beside the data.
TEST_F(FirstPassTest, HandsOverWhatLiesBesideTheData) {
  all_steps();
  for (std::size_t file = 0; file < records.size(); ++file) {
    if (records[file] > 0) std::filesystem::rename(index_of(file), name(file) + ".index");
  }
  all_steps();
  for (std::size_t file = 0; file < records.size(); ++file)
    EXPECT_EQ(std::filesystem::exists(index_of(file)), records[file] > 0);
}

// Its commit counts records of files that this job has not read.
TEST_F(FirstPassTest, FindsIndexesOfTheJobThatItGoesOnFrom) {
  IndexingOptions before = how();
  before.shared = folder.path() + "/before";
  FirstPassBatches first(pass(before), parse_examples({{"id", Dtype::int64, 1}}), OnDamage::stop);
  for (std::uint64_t step = 0; step < 6; ++step) first.read(step, {0, lanes});
  IndexingOptions on = how();
  on.resumed = before.shared;
  EXPECT_EQ(pass(on).known().missing(), pass(before).known().missing());
  EXPECT_EQ(pass(on).records_used(6), pass(before).records_used(6));
  EXPECT_FALSE(std::filesystem::exists(folder.path() + "/indexes"));
  // That job's folder may be removed once this one has commits of its own.
  FirstPassBatches second(pass(on), parse_examples({{"id", Dtype::int64, 1}}), OnDamage::stop);
  second.read(6, {0, lanes});
  EXPECT_EQ(pass().known().missing(), second.pass().known().missing());
}

TEST_F(FirstPassTest, SaysWhatItsOrderFollowsFrom) {
  const std::string contents = pass().data_fingerprint();
  EXPECT_TRUE(contents.starts_with("first pass in 4 lanes, files 7, bytes ")) << contents;
  EXPECT_EQ(pass().data_fingerprint(), contents);
  put(0, examples(0, 17));
  EXPECT_NE(pass().data_fingerprint(), contents) << "a replaced file";
}

}  // namespace
}  // namespace carrack::data
