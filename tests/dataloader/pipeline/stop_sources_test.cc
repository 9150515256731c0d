// What is not TFRecords stops in the same way: all rows before a bad one, and then the error.
#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "tests/dataloader/pipeline/stops.h"
#include "tests/dataloader/pipeline/written_files.h"
#include "tests/dataloader/sources/arrays.h"

namespace carrack::data {
namespace {

TEST(StopOf, RowsOfTextGivesThoseBefore) {
  const WrittenFiles files;
  const std::vector<Feature> id{{"id", Dtype::int64}};
  const std::string csv = "id\n0\n1\n2\nx\n4\n",
                    json = "{\"id\": 0}\n{\"id\": 1}\n{\"id\": 2}\n{\"id\": \"x\"}\n{\"id\": 4}\n";
  const auto packed = [](std::string_view text) {
    return compressed(std::as_bytes(std::span(text)), Compression::gzip);
  };
  const std::string inflated = " of the inflated data: ", other = ": ";
  for (const auto& [dataset, place] :
       {std::pair(Dataset::csv({files.write("a.csv", csv)}, id), "a.csv: row 3 at byte 9" + other),
        std::pair(Dataset::csv({files.write("a.csv.gz", packed(csv))}, id), "a.csv.gz: row 3 at byte 9" + inflated),
        std::pair(Dataset::json_lines({files.write("a.jsonl", json)}, id), "a.jsonl: row 3 at byte 37" + other),
        std::pair(Dataset::json_lines({files.write("a.jsonl.gz", packed(json))}, id),
                  "a.jsonl.gz: row 3 at byte 37" + inflated)}) {
    const Stopped stopped = read_to_stop(dataset.batch(2));
    EXPECT_EQ(stopped.batches, (std::vector<Ids>{{0, 1}, {2}})) << place;
    EXPECT_TRUE(stopped.error.starts_with(files.path("") + place)) << stopped.error;
    EXPECT_TRUE(stopped.error.ends_with(" bytes lost")) << stopped.error;
    EXPECT_EQ(read_to_stop(dataset).ids(), (Ids{0, 1, 2}));
    EXPECT_EQ(all_of(dataset, {.on_damage = OnDamage::skip}), (Ids{0, 1, 2, 4}));
  }
}

TEST(StopOf, ACompressedFileThatIsCutGivesAllThatIsBefore) {
  const Damageable files;
  files.pack(Compression::gzip);
  std::filesystem::resize_file(files.name(1), std::filesystem::file_size(files.name(1)) / 2);
  const Stopped by_place = read_to_stop(files.rows().batch(7));
  EXPECT_GT(by_place.ids().size(), 110u);
  EXPECT_EQ(by_place.ids(), up_to(static_cast<std::int64_t>(by_place.ids().size())));
  EXPECT_TRUE(by_place.error.starts_with(files.name(1) + ": record ")) << by_place.error;
  EXPECT_NE(by_place.error.find(" of the inflated data: "), by_place.error.npos) << by_place.error;
}

TEST(StopOf, AProgramThatFailsGivesItsRecords) {
  const Damageable files;
  const std::string script = "cat " + files.name(0) + "; echo it broke >&2; exit 3";
  const Stopped stopped = read_to_stop(
      Dataset::program({{"sh", "-c", script}, {"PATH=/usr/bin:/bin"}}).parse({{"id", Dtype::int64, 1}}).batch(7));
  EXPECT_EQ(stopped.ids(), up_to(100));
  EXPECT_NE(stopped.error.find("it broke"), stopped.error.npos) << stopped.error;
}

TEST(StopOf, AnArrayGivesTheRowsBefore) {
  const WrittenFiles files;
  const std::vector<std::uint64_t> values{1, 2, std::uint64_t{1} << 63, 3};
  const std::string path = files.write("u.npy", npy_of(dictionary("<u8", "(4,)"), data::numbers(values)));
  const Stopped stopped = read_to_stop(Dataset::arrays({path}, "id").batch(3));
  EXPECT_EQ(stopped.batches, (std::vector<Ids>{{1, 2}}));
  EXPECT_EQ(stopped.error, path + ": row 2 at byte " + std::to_string(std::filesystem::file_size(path) - 16) +
                               ": it holds a uint64 that no int64 holds; 8 bytes lost");
}

// It is no damage that could be skipped: other rows may have changed, too.
TEST(ChangedFile, IsAnErrorWhateverIsDoneAboutDamage) {
  const WrittenFiles files;
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> values(1 << 20);
  std::string csv = "id\n";
  for (std::uint64_t& value : values) {
    value = random() >> 1;
    csv += std::to_string(value) + "\n";
  }
  const std::string npy = "ids.npy", packed = "ids.csv.gz";
  files.write(npy, npy_of(dictionary("<i8", "(1048576,)"), data::numbers(values)));
  files.write(packed, compressed(std::as_bytes(std::span(csv)), Compression::gzip));
  for (const auto& [name, dataset] : {std::pair(npy, Dataset::arrays({files.path(npy)}, "id")),
                                      std::pair(packed, Dataset::csv({files.path(packed)}, {{"id", Dtype::int64}}))}) {
    const Storages storages{StorageSettings{}};
    Reading reading(dataset.batch(100), storages, {.on_damage = OnDamage::skip});
    std::filesystem::resize_file(files.path(name), std::filesystem::file_size(files.path(name)) / 2);
    std::string error;
    try {
      while (reading.next()) {
      }
    } catch (const Error& caught) {
      error = caught.what();
    }
    EXPECT_TRUE(error.ends_with("the file has changed since it was opened; 0 bytes lost") ||
                error.ends_with("the file has changed since it was opened"))
        << name << ": " << error;
    EXPECT_TRUE(error.starts_with(files.path(name))) << error;
  }
}

}  // namespace
}  // namespace carrack::data
