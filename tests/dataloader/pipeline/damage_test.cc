// One flipped bit in 100,000 records loses that record and no other, through a whole pipeline, and the report names it.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <string>

#include "dataloader/crc32c.h"
#include "dataloader/error.h"
#include "dataloader/records/little_endian.h"
#include "tests/dataloader/pipeline/examples_on_disk.h"
#include "tests/dataloader/pipeline/numbered_rows.h"

namespace carrack::data {
namespace {

constexpr std::int64_t files = 4, in_file = 25'000, all = files * in_file;

struct Flip {
  const char* of;
  std::size_t byte;  // of the frame
  const char* what;
};
constexpr Flip flips[] = {{"the length", 0, "the length does not match its checksum"},
                          {"the length's highest byte", 7, "the length does not match its checksum"},
                          {"the length's checksum", 8, "the length does not match its checksum"},
                          {"the data", 12, "the data does not match its checksum"},
                          {"the data's checksum", 12 + 13, "the data does not match its checksum"}};

Dataset batches(const ExamplesOnDisk& on_disk) {
  return Dataset::records({on_disk.pattern()})
      .shuffle({.seed = 7})
      .parse({{"id", Dtype::int64, 1}})
      .map("same", [](Rows&) {})
      .batch(512);
}

void expect_one_lost(const ExamplesOnDisk& on_disk, std::int64_t id, const Flip& flip, const ReadingOptions& options) {
  Reading reading(batches(on_disk), storages, options);
  std::vector<int> seen(all);
  while (const std::optional<Rows> rows = reading.next())
    for (const std::int64_t read : ids_in(*rows)) ++seen.at(static_cast<std::size_t>(read));
  for (std::int64_t other = 0; other < all; ++other)
    ASSERT_EQ(seen[static_cast<std::size_t>(other)], other == id ? 0 : 1) << flip.of << ", record " << other;
  const auto file = static_cast<std::size_t>(id / in_file), record = static_cast<std::size_t>(id % in_file);
  const std::string bad = on_disk.name(file) + ": record " + std::to_string(record) + " at byte " +
                          std::to_string(on_disk.offset(file, record)) + ": " + flip.what;
  EXPECT_EQ(reading.lost(), 1u);
  ASSERT_EQ(reading.first_lost().size(), 1u);
  EXPECT_EQ(text(reading.first_lost()[0]), bad);
  EXPECT_TRUE(format_report(reading.measured()).ends_with("left out: 1\n  " + bad + "\n"));
}

TEST(OneFlippedBit, LosesOneRecordThatNoIndexKnows) {
  const ExamplesOnDisk on_disk(files, in_file);
  std::int64_t id = 0;
  for (const Flip& flip : flips) {
    id = (id + 76'543) % all;
    const auto file = static_cast<std::size_t>(id / in_file), record = static_cast<std::size_t>(id % in_file);
    on_disk.flip_bit(file, record, flip.byte);
    expect_one_lost(on_disk, id, flip, {.cpus = 2, .on_damage = OnDamage::skip});
    on_disk.flip_bit(file, record, flip.byte);
  }
}

// A disk that damages what it holds changes no file's time.
TEST(OneFlippedBit, LosesOneRecordThatAnIndexKnewWhole) {
  const ExamplesOnDisk on_disk(files, in_file);
  const TemporaryFolder cache;
  const ReadingOptions options{.cpus = 2, .on_damage = OnDamage::skip, .indexing = {.cache = cache.path()}};
  Reading whole(batches(on_disk), storages, options);
  std::int64_t id = 0;
  for (const Flip& flip : flips) {
    id = (id + 76'543) % all;
    const auto file = static_cast<std::size_t>(id / in_file), record = static_cast<std::size_t>(id % in_file);
    struct stat before {};
    ASSERT_EQ(::stat(on_disk.name(file).c_str(), &before), 0);
    const std::array times{before.st_atim, before.st_mtim};
    const auto flip_unseen = [&] {
      on_disk.flip_bit(file, record, flip.byte);
      ASSERT_EQ(::utimensat(AT_FDCWD, on_disk.name(file).c_str(), times.data(), 0), 0);
    };
    flip_unseen();
    ReadingOptions found = options;
    found.indexing.on_progress = [&](const IndexingProgress&) { ADD_FAILURE() << "the index was there"; };
    expect_one_lost(on_disk, id, flip, found);
    flip_unseen();
  }
}

TEST(OneFlippedBit, EndsAReadingThatSkipsNothing) {
  const ExamplesOnDisk on_disk(1, 100);
  on_disk.flip_bit(0, 99, 0);
  try {
    all_of(batches(on_disk));
    FAIL() << "took a damaged record";
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), on_disk.name(0) + ": record 99 at byte " + std::to_string(on_disk.offset(0, 99)) +
                                ": the length does not match its checksum; 31 bytes lost");
  }
}

// An index has the whole span up to the next record as this record, which then has another size than its length claims.
TEST(OneLengthAbove2GiB, LosesOneRecord) {
  const ExamplesOnDisk on_disk(1, 100);
  const std::uint64_t offset = on_disk.offset(0, 57);
  Bytes header;
  append_number(header, frame::record_bytes_max + 1);
  append_number(header, masked_crc32c(header));
  std::fstream file(on_disk.name(0), std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(offset));
  file.write(reinterpret_cast<const char*>(header.data()), static_cast<std::streamsize>(header.size()));
  file.close();
  Reading reading(batches(on_disk), storages, {.on_damage = OnDamage::skip});
  Ids expected = up_to(100);
  expected.erase(expected.begin() + 57);
  EXPECT_EQ(sorted(rest_of(reading)), expected);
  ASSERT_EQ(reading.first_lost().size(), 1u);
  EXPECT_EQ(text(reading.first_lost()[0]),
            on_disk.name(0) + ": record 57 at byte " + std::to_string(offset) + ": the record is longer than 2 GiB");
}

// What is lost of a file that was cut is its last record.
TEST(OneCutFile, LosesOneRecord) {
  for (const std::size_t left : {1u, 11u, 12u, 20u}) {
    const ExamplesOnDisk on_disk(2, 100);
    const std::uint64_t offset = on_disk.offset(0, 99);
    std::filesystem::resize_file(on_disk.name(0), offset + left);
    Reading reading(batches(on_disk), storages, {.on_damage = OnDamage::skip});
    Ids expected = up_to(200);
    expected.erase(expected.begin() + 99);
    EXPECT_EQ(sorted(rest_of(reading)), expected);
    ASSERT_EQ(reading.first_lost().size(), 1u);
    EXPECT_EQ(text(reading.first_lost()[0]),
              on_disk.name(0) + ": record 99 at byte " + std::to_string(offset) + ": the file ends within the record");
  }
}

}  // namespace
}  // namespace carrack::data
