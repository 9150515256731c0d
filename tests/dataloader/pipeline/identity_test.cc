// Which pipelines are taken for the same one: canonical texts, and states and snapshots of all versions of their
// formats.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "dataloader/error.h"
#include "dataloader/pipeline/reading.h"
#include "dataloader/pipeline/stages/legacy_identity.h"
#include "dataloader/pipeline/stages/plan.h"
#include "tests/dataloader/pipeline/identity_cases.h"
#include "tests/dataloader/storage/temporary_folder.h"

namespace carrack::data {
namespace {

namespace fs = std::filesystem;

const Storages storages{StorageSettings{}};
const fs::path vectors = VECTORS;

std::string content_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in.is_open()) << path;
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string ids_of(Reading& reading) {
  std::string lines;
  while (const std::optional<Rows> rows = reading.next())
    for (const std::int64_t id : std::get<LargeVector<std::int64_t>>(rows->column("id").values))
      lines += std::to_string(id) + "\n";
  return lines;
}

// A copy of the vectors, as the working folder while it exists.
class Vectors : public testing::Test {
 protected:
  Vectors() : before_(fs::current_path()) {
    fs::copy(vectors, folder_.path(), fs::copy_options::recursive | fs::copy_options::overwrite_existing);
    fs::current_path(folder_.path());
    const auto written = std::chrono::sys_time<std::chrono::seconds>(std::chrono::seconds(ids_file_written_seconds));
    fs::last_write_time("ids.tfrecord", std::chrono::file_clock::from_sys(written));
  }
  ~Vectors() override { fs::current_path(before_); }

 private:
  const TemporaryFolder folder_;
  const fs::path before_;
};

std::string lines_of_every_stage(std::string (*identity)(const Plan&)) {
  std::string lines;
  for (const auto& [name, dataset] : every_stage()) lines += name + ": " + identity(dataset.plan()) + "\n";
  return lines;
}

TEST(Identity, IsTheCanonicalTextOfEveryStage) {
  EXPECT_EQ(lines_of_every_stage(canonical), content_of(vectors / "canonical_identities.txt"));
}

TEST(Identity, OfVersion1IsStillKnown) {
  EXPECT_EQ(lines_of_every_stage(legacy_identity), content_of(vectors / "legacy_identities.txt"));
}

TEST(Identity, DiffersForPipelinesWithDifferentRows) {
  std::set<std::string> texts;
  std::size_t count = 0;
  for (const auto& [name, dataset] : every_stage()) {
    texts.insert(canonical(dataset.plan()));
    ++count;
  }
  EXPECT_EQ(texts.size(), count);
}

TEST(Identity, DoesNotDependOnHowMuchIsHeldInMemory) {
  const Dataset rows = twenty_ids();
  EXPECT_EQ(canonical(rows.prefetch(3).plan()), canonical(rows.prefetch(4).plan()));
  EXPECT_EQ(canonical(rows.cache(1000).plan()), canonical(rows.cache(2000).plan()));
}

TEST_F(Vectors, StatesOfVersion1AreRestored) {
  for (const auto& [name, dataset] : resumable()) {
    Reading reading(dataset, storages, {.cpus = 2});
    reading.restore(content_of(name + ".state"));
    const std::string state = reading.state();
    EXPECT_EQ(state[0], '\x02') << name;
    EXPECT_EQ(ids_of(reading), content_of(name + ".rest")) << name;
    Reading again(dataset, storages, {.cpus = 2});
    again.restore(state);
    EXPECT_EQ(ids_of(again), content_of(name + ".rest")) << name;
  }
}

TEST_F(Vectors, StatesOfVersion1OfAnotherPipelineAreRefused) {
  Reading reading(twenty_ids().batch(3), storages, {.cpus = 2});
  for (const auto& [name, dataset] : resumable()) EXPECT_THROW(reading.restore(content_of(name + ".state")), Error);
}

TEST_F(Vectors, SnapshotsOfVersion1AreReadAndNotMadeAgain) {
  const auto folders = [] { return std::distance(fs::directory_iterator("snapshots"), {}); };
  const auto before = folders();
  for (const auto& [name, dataset] : in_snapshot("snapshots")) {
    Reading reading(dataset, storages, {.cpus = 2});
    EXPECT_EQ(ids_of(reading), content_of(name + ".rows")) << name;
  }
  EXPECT_EQ(folders(), before);
}

TEST_F(Vectors, SnapshotsAreMadeInVersion2) {
  for (const auto& [name, dataset] : in_snapshot("others")) {
    Reading reading(dataset, storages, {.cpus = 2});
    EXPECT_EQ(ids_of(reading), content_of(name + ".rows")) << name;
  }
  for (const auto& folder : fs::directory_iterator("others"))
    EXPECT_TRUE(content_of(folder.path() / "manifest").starts_with("carrack snapshot 2\n")) << folder;
}

}  // namespace
}  // namespace carrack::data
