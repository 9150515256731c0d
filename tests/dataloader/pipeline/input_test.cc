// Files as pipelines find them: indexed in whatever place, of other kinds, of other content, changed, gone.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <string>

#include "dataloader/error.h"
#include "dataloader/storage/file/file_storage.h"
#include "tests/dataloader/pipeline/examples_on_disk.h"
#include "tests/dataloader/pipeline/numbered_rows.h"

namespace carrack::data {
namespace {

const std::vector<Feature> features{{"id", Dtype::int64, 1}};

std::string problem(const std::function<void()>& of) {
  try {
    of();
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

std::string problem_of(const Dataset& dataset, const ReadingOptions& options = {}) {
  return problem([&] { all_of(dataset, options); });
}

void write(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

void index_beside(const std::string& file) {
  FileStorage storage(1);
  const StoredObject source(storage, file, storage.stat(file).value());
  const Bytes bytes = encode(std::get<Index>(build_index(source)));
  write(file + ".index", {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

TEST(Indexes, GiveTheSameSequenceWhereverTheyAre) {
  const ExamplesOnDisk on_disk(3, 500);
  const Dataset dataset =
      Dataset::records({on_disk.pattern()}).shuffle({.seed = 2}).parse(features).batch(64).repeat(2);
  const TemporaryFolder checkpoints, cache;
  std::uint64_t built = 0;
  const auto read = [&](IndexingOptions indexing) {
    built = 0;
    indexing.on_progress = [&](const IndexingProgress& so_far) { built = so_far.files_total; };
    return all_of(dataset, {.cpus = 2, .indexing = std::move(indexing)});
  };
  const Ids expected = read({});
  EXPECT_EQ(built, 3u);
  for (const IndexingOptions& kept :
       {IndexingOptions{.shared = checkpoints.path()}, IndexingOptions{.cache = cache.path()}}) {
    EXPECT_EQ(read(kept), expected);
    EXPECT_EQ(built, 3u);
    EXPECT_EQ(read(kept), expected);
    EXPECT_EQ(built, 0u);
  }
  for (std::size_t file = 0; file < 3; ++file) index_beside(on_disk.name(file));
  EXPECT_EQ(read({}), expected);
  EXPECT_EQ(built, 0u);
}

TEST(Input, ThatIsNotThere) {
  const TemporaryFolder folder;
  EXPECT_EQ(problem_of(Dataset::records({folder.path() + "/x"})), "no file matches " + folder.path() + "/x");
  EXPECT_EQ(problem_of(Dataset::records({folder.path() + "/*"})), "no file matches " + folder.path() + "/*");
  EXPECT_EQ(problem_of(Dataset::files({folder.path() + "/*"})), "no file matches " + folder.path() + "/*");
  EXPECT_THROW(Reading(Dataset::files({folder.path() + "/*"}), storages, {}), Refused);
  EXPECT_EQ(problem_of(Dataset::records({"s3://bucket/x"})),
            "s3://bucket/x: there is no storage for s3://; write a path, file:// or gs://");
}

TEST(Input, WithoutRecordsGivesNone) {
  const TemporaryFolder folder;
  write(folder.path() + "/empty", "");
  const Dataset none = Dataset::records({folder.path() + "/*"});
  for (const Dataset& dataset : {none, none.shuffle().parse(features).batch(4), none.repeat().batch(4),
                                 none.shard(2, 1), none.shuffle({.kind = Shuffle::Kind::block}).batch(4),
                                 none.shuffle({.kind = Shuffle::Kind::buffer}), none.cache(1000).repeat(2),
                                 Dataset::zip({none, ids(0, 4)}), none.parse(features).filter("even", even()).batch(2)})
    EXPECT_EQ(all_of(dataset), Ids{});
  EXPECT_EQ(all_of(Dataset::concatenate({none, ids(0, 4)})), up_to(4));
  EXPECT_EQ(all_of(Dataset::interleave({none, ids(0, 4)}, 2)), up_to(4));
}

TEST(Input, OfAnotherKind) {
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/x";
  for (const auto& [bytes, why] : std::vector<std::pair<std::string, std::string>>{
           {std::string("\x1f\x8b\x08\0\0\0\0\0\0\x03", 10) + std::string(30, 'x'),
            "the compressed data is damaged: invalid stored block lengths"},
           {"id,x\n1,2\n3,4\n5,6\n", "it is text; `carrack data convert` makes TFRecords of CSV and of JSON lines"},
           {std::string("\xffgarbage, and more of it"), "the length does not match its checksum"}}) {
    write(file, bytes);
    const std::string where =
        bytes.starts_with('\x1f') ? "record 0 at byte 0 of the inflated data: " : "record 0 at byte 0: ";
    EXPECT_EQ(problem_of(Dataset::records({file})),
              file + ": " + where + why + "; " + std::to_string(bytes.size()) + " bytes lost");
  }
}

TEST(Input, WhoseFeaturesAreNotThoseAskedFor) {
  const ExamplesOnDisk on_disk(1, 4);
  const auto asked = [&](const Feature& feature) {
    return problem_of(Dataset::records({on_disk.pattern()}).parse({feature}).batch(2));
  };
  EXPECT_EQ(asked({"id", Dtype::float32, 1}),
            on_disk.name(0) +
                ": record 0 at byte 22: feature \"id\" holds int64 values, and float32 was asked for; `carrack data "
                "convert` with --types id=float32 makes such records of CSV and of JSON lines; 31 bytes lost");
  EXPECT_EQ(asked({"x", Dtype::float32, 1}),
            on_disk.name(0) + ": record 0 at byte 12: there is no feature \"x\"; 31 bytes lost");
}

// Whether a number makes sense is for who trains on it.
TEST(Input, OfNumbersThatAreNoneIsGivenAsItIs) {
  const TemporaryFolder folder;
  const float numbers[] = {std::nanf(""), std::numeric_limits<float>::infinity(), 1};
  Bytes bytes;
  const NamedValues values[] = {{"x", std::span<const float>(numbers)}};
  frame::append(bytes, example_of(values));
  write(folder.path() + "/x", {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  Reading reading(Dataset::records({folder.path() + "/x"}).parse({{"x", Dtype::float32, 3}}), storages, {});
  const Rows rows = reading.next().value();
  const auto& read = std::get<LargeVector<float>>(rows.column("x").values);
  EXPECT_TRUE(std::isnan(read[0]));
  EXPECT_TRUE(std::isinf(read[1]));
  EXPECT_EQ(read[2], 1);
}

// All of its records may be others, so that this is nothing to be skipped.
TEST(Input, ThatChangesWhileItIsRead) {
  for (const OnDamage on_damage : {OnDamage::stop, OnDamage::skip}) {
    const ExamplesOnDisk on_disk(2, 5000);
    const Dataset dataset = Dataset::records({on_disk.pattern()}).parse(features).batch(10);
    Reading reading(dataset, storages, {.on_damage = on_damage});
    EXPECT_EQ(ids_in(reading.next().value()), up_to(10));
    write(on_disk.name(1), "others");
    EXPECT_EQ(problem([&] { rest_of(reading); }), on_disk.name(1) + ": the file has changed since it was opened");
    EXPECT_EQ(reading.lost(), 0u);
    std::filesystem::remove(on_disk.name(1));
    EXPECT_EQ(problem_of(Dataset::records({on_disk.name(0), on_disk.name(1)})), "no file matches " + on_disk.name(1));
  }
}

}  // namespace
}  // namespace carrack::data
