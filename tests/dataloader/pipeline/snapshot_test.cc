// Snapshots as their users have them: they give what the pipeline before them gives, until that is another one.
#include "dataloader/pipeline/stages/plan.h"
#include "dataloader/pipeline/stages/snapshot_stage.h"

#include <filesystem>
#include <fstream>
#include <set>

#include "tests/dataloader/pipeline/examples_on_disk.h"
#include "tests/dataloader/pipeline/snapshots.h"

namespace carrack::data {
namespace {

namespace fs = std::filesystem;

const SnapshotOptions small{.shard_rows = 30};
const SnapshotOptions packed{.compression = Compression::gzip, .shard_rows = 30};
const std::vector<Feature> id_feature{{"id", Dtype::int64}};

TEST(Snapshot, GivesEveryKindOfColumnAsItWas) {
  for (const SnapshotOptions& options : {small, packed}) {
    for (const Dataset& from :
         {ids(0, 100), generated(0, 100), ids(0, 200).filter("even", even()), generated(0, 200).filter("even", even()),
          ids(0, 90), generated(0, 90), ids(0, 0), generated(0, 0)}) {
      const Dataset dataset = from.map("all kinds", all_kinds());
      const TemporaryFolder folder;
      const Rows rows = rows_of(dataset);
      const Dataset kept = dataset.snapshot(folder.path(), options);
      for (int time = 0; time < 2; ++time) {
        const Rows read = rows_of(kept);
        EXPECT_EQ(read.count, rows.count);
        EXPECT_EQ(read.columns, rows.columns);
      }
    }
  }
}

// An item of the column is larger than all files.
TEST(Snapshot, GivesListsThatAreAllEmpty) {
  const auto add_crops = [](Rows& rows) {
    const std::vector<std::size_t> splits(rows.count + 1);
    rows.columns.push_back({"crops", LargeVector<std::uint8_t>(), {64, 64}, {splits}});
  };
  for (const Dataset& from : {ids(0, 3), generated(0, 3)}) {
    const TemporaryFolder folder;
    const Rows rows = rows_of(from.map("crops", add_crops).snapshot(folder.path(), small));
    EXPECT_EQ(ids_in(rows), up_to(3));
    EXPECT_EQ(rows.column("crops").item, (std::vector<std::size_t>{64, 64}));
    EXPECT_EQ(rows.column("crops").splits, std::vector<std::vector<std::size_t>>{std::vector<std::size_t>(4)});
  }
}

TEST(Snapshot, OfShuffledRowsKeepsTheFirstEpoch) {
  const TemporaryFolder folder;
  const Dataset shuffled = ids(0, 100).shuffle({.seed = 3});
  const Ids first = all_of(shuffled);
  Ids twice = first;
  twice.insert(twice.end(), first.begin(), first.end());
  EXPECT_EQ(all_of(shuffled.snapshot(folder.path(), small).repeat(2)), twice);
}

TEST(Snapshot, OpensNoSourceTheSecondTime) {
  const ExamplesOnDisk files(2, 50);
  const TemporaryFolder folder;
  std::atomic<int> calls = 0;
  const Dataset dataset = Dataset::records({files.pattern()})
                              .parse(id_feature)
                              .map("counts", [&](Rows&) { ++calls; })
                              .snapshot(folder.path(), small);
  EXPECT_EQ(all_of(dataset), up_to(100));
  EXPECT_GT(calls.exchange(0), 0);
  // What is in a source now could not be read, and nothing tells that without opening it.
  for (const std::size_t file : {0u, 1u}) {
    const auto time = fs::last_write_time(files.name(file));
    flip_bit(files.name(file), 0);
    fs::last_write_time(files.name(file), time);
  }
  EXPECT_EQ(all_of(dataset), up_to(100));
  EXPECT_EQ(calls, 0);
}

// A snapshot of two files, and what is logged when another one is made beside it.
class BesideAnother : public testing::Test {
 protected:
  BesideAnother() {
    read("tens", small);
    first_ = *folders_in(folder_.path()).begin();
    lines_.take();
  }

  std::size_t read(const std::string& map, const SnapshotOptions& options) {
    const Dataset records = Dataset::records({files_.pattern()}).parse(id_feature).map(map, times_ten());
    return all_of(records.snapshot(folder_.path(), options), logging_to(lines_)).size();
  }
  // Removes the other one.
  void expect_made_because(const std::string& why) {
    std::set<std::string> folders = folders_in(folder_.path());
    folders.erase(first_);
    ASSERT_EQ(folders.size(), 1u);
    const std::string made = folder_.path() + "/" + *folders.begin();
    EXPECT_EQ(lines_.take(),
              (std::vector<std::string>{"snapshot: does not use " + folder_.path() + "/" + first_ + "/manifest: " + why,
                                        "snapshot: made " + made}));
    fs::remove_all(made);
  }
  std::string pipeline(const std::string& map, const std::string& options) const {
    return "\"records file=" + files_.pattern() + " > parse column=record feature=id,int64 > map name=" + map +
           " > snapshot " + options + "\"";
  }

  ExamplesOnDisk files_{2, 50};
  TemporaryFolder folder_;
  Lines lines_;
  std::string first_;
};

TEST_F(BesideAnother, ASnapshotIsMadeOfOtherFiles) {
  const auto time = fs::last_write_time(files_.name(1));
  fs::last_write_time(files_.name(1), time + std::chrono::seconds(1));
  EXPECT_EQ(read("tens", small), 100u);
  expect_made_because(files_.name(1) + " has changed");
  fs::last_write_time(files_.name(1), time);
  fs::copy_file(files_.name(0), files_.name(2));
  EXPECT_EQ(read("tens", small), 150u);
  expect_made_because(files_.name(2) + " is new");
  fs::remove(files_.name(2));
  fs::rename(files_.name(1), files_.name(2));
  EXPECT_EQ(read("tens", small), 100u);
  expect_made_because(files_.name(1) + " is no longer there");
  fs::rename(files_.name(2), files_.name(1));
  EXPECT_EQ(read("tens", small), 100u);
  EXPECT_EQ(lines_.take(), std::vector<std::string>{});
}

TEST_F(BesideAnother, ASnapshotIsMadeOfOtherStagesAndInOtherWays) {
  read("tens, renamed", small);
  expect_made_because("it was made by " + pipeline("tens", "compression=NONE shard_rows=30") + ", and " +
                      pipeline("tens%2c%20renamed", "compression=NONE shard_rows=30") + " is asked for");
  read("tens", packed);
  expect_made_because("it was made by " + pipeline("tens", "compression=NONE shard_rows=30") + ", and " +
                      pipeline("tens", "compression=GZIP shard_rows=30") + " is asked for");
  read("tens", {});
  expect_made_because("it was made by " + pipeline("tens", "compression=NONE shard_rows=30") + ", and " +
                      pipeline("tens", "compression=NONE shard_rows=0") + " is asked for");
  // One that cannot be read is told of, and left.
  const std::string manifest = folder_.path() + "/" + first_ + "/manifest";
  std::ofstream(manifest) << "nonsense";
  read("tens, renamed", small);
  expect_made_because(manifest +
                      ": it is not a manifest of a snapshot; remove the snapshot's folder, and it is made again");
}

// The canonical text tells pipelines apart.
TEST(Snapshot, OfOtherFeaturesIsAnotherOne) {
  std::vector<Feature> all(12, id_feature[0]);
  all[1].count = 2;
  all[2].shape = Shape::list;
  all[3].shape = Shape::lists;
  all[3].partitions = {{"a"}};
  all[4] = all[3];
  all[4].partitions = {{"a", Partition::Kind::splits}};
  all[5].dtype = Dtype::bytes;
  all[6].raw = Raw::int32;
  all[7].raw = Raw::uint32;
  all[8].default_values = LargeVector<std::int64_t>{1};
  all[9].default_values = LargeVector<std::int64_t>{2};
  all[10].part = Part::feature_lists;
  all[10].shape = Shape::list;
  all[11] = all[10];
  all[11].may_be_missing = true;
  std::set<std::string> texts;
  for (const Feature& feature : all) texts.insert(canonical(Dataset::records({"x"}).parse({feature}).plan()));
  EXPECT_EQ(texts.size(), all.size());
}

TEST(Snapshot, OfOtherRowsInMemoryIsAnotherOne) {
  const TemporaryFolder folder;
  EXPECT_EQ(all_of(ids(0, 5).snapshot(folder.path())), (Ids{0, 1, 2, 3, 4}));
  EXPECT_EQ(all_of(ids(5, 10).snapshot(folder.path())), (Ids{5, 6, 7, 8, 9}));
  EXPECT_EQ(folders_in(folder.path()).size(), 2u);
}

TEST(Snapshot, MakesAStreamASequenceThatGoesOnFromANumberWithAnyNumberOfReaders) {
  const TemporaryFolder folder;
  const Shuffle buffer{.kind = Shuffle::Kind::buffer, .seed = 1, .buffer = 20};
  const Dataset dataset = generated(0, 300)
                              .shuffle(buffer)
                              .filter("even", even())
                              .snapshot(folder.path(), packed)
                              .shuffle({.kind = Shuffle::Kind::full, .seed = 4})
                              .repeat(2)
                              .batch(16);
  const std::vector<Ids> batches = batches_of(dataset);
  EXPECT_EQ(batches.size(), 19u);
  std::string state;
  for (std::size_t at = 0; at < batches.size(); ++at) {
    for (const std::uint64_t readers : {1u, 3u, 8u}) {
      Ids together;
      std::string next;
      for (std::uint64_t reader = 0; reader < readers; ++reader) {
        Reading reading(dataset, storages, {.cpus = 1, .share = {reader, readers}});
        EXPECT_EQ(reading.resume(), Resume::exact);
        if (!state.empty()) reading.restore(state);
        const std::optional<Rows> rows = reading.next();
        if (rows) together.insert(together.end(), ids_in(*rows).begin(), ids_in(*rows).end());
        next = reading.state();
        EXPECT_LT(next.size(), 100u);
      }
      EXPECT_EQ(together, batches[at]) << at << " by " << readers;
      if (readers == 8) state = next;
    }
  }
}

}  // namespace
}  // namespace carrack::data
