// GZIP and ZLIB files of records are places like those of plain files: the same rows in the same order, by shuffles,
// shards and after resuming, with one index built for each file; and damage costs the rows of its stream.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <set>

#include "dataloader/error.h"
#include "dataloader/indexes/index_name.h"
#include "dataloader/pipeline/lanes/file_scan.h"
#include "dataloader/storage/file/file_storage.h"
#include "tests/dataloader/pipeline/examples_on_disk.h"
#include "tests/dataloader/pipeline/numbered_rows.h"
#include "tests/dataloader/pipeline/unindexed_data.h"
#include "tests/dataloader/records/files.h"
#include "tests/dataloader/records/memory_source.h"

namespace carrack::data {
namespace {

constexpr std::int64_t files = 3, in_file = 30'000;
// Far enough apart for a seek point at each, and within records.
constexpr std::size_t stream_bytes = 300'000;

Bytes bytes_of(const std::string& name) {
  FileStorage storage(1);
  return read_whole(storage, name).value();
}

void write(const std::string& name, const Bytes& bytes) {
  std::ofstream(name, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

// Returns where the streams end in the file.
std::vector<std::size_t> pack(const std::string& name, Compression compression) {
  const Bytes plain = bytes_of(name);
  Bytes packed;
  std::vector<std::size_t> ends;
  for (std::size_t at = 0; at < plain.size(); at += stream_bytes) {
    const auto part = std::span(plain).subspan(at, std::min(stream_bytes, plain.size() - at));
    packed = joined(std::move(packed), compressed(part, compression));
    ends.push_back(packed.size());
  }
  write(name, packed);
  return ends;
}

// A plain file, one of GZIP and one of ZLIB.
void pack_some(const ExamplesOnDisk& on_disk) {
  pack(on_disk.name(1), Compression::gzip);
  pack(on_disk.name(2), Compression::zlib);
}

Dataset parsed(const Dataset& records) {
  return records.parse({{"id", Dtype::int64, 1}}).batch(100);
}

TEST(CompressedRecords, ComeInTheOrderOfPlainOnes) {
  const ExamplesOnDisk plain(files, in_file), packed(files, in_file);
  pack_some(packed);
  const std::vector<std::function<Dataset(const std::string&)>> datasets = {
      [](const std::string& name) { return parsed(Dataset::records({name})); },
      [](const std::string& name) {
        return parsed(Dataset::records({name}).shuffle({.kind = Shuffle::Kind::full, .seed = 3}));
      },
      [](const std::string& name) {
        return parsed(Dataset::records({name}).shuffle({.kind = Shuffle::Kind::block, .seed = 3, .block = 500}));
      },
      [](const std::string& name) {
        return parsed(Dataset::records({name}).shard(4, 1).shuffle({.kind = Shuffle::Kind::full, .seed = 4}));
      },
      [](const std::string& name) { return parsed(Dataset::records({.patterns = {name}, .cycle = 2, .block = 7})); },
  };
  for (const auto& dataset : datasets) {
    const Ids expected = all_of(dataset(plain.pattern()));
    EXPECT_GT(expected.size(), 20'000);
    EXPECT_TRUE(all_of(dataset(packed.pattern())) == expected);
    EXPECT_TRUE(all_of(dataset(packed.pattern()), {.cpus = 2, .memory = 1 << 20}) == expected) << "with little memory";
  }
}

// A shuffle of single records would inflate megabytes for each.
TEST(CompressedRecords, AreShuffledInBlocksUnlessAFullShuffleIsChosen) {
  const ExamplesOnDisk on_disk(files, in_file);
  const auto shuffled = [&](Shuffle::Kind kind) {
    return all_of(parsed(Dataset::records({on_disk.pattern()}).shuffle({.kind = kind, .seed = 3})));
  };
  EXPECT_EQ(shuffled(Shuffle::Kind::by_place), shuffled(Shuffle::Kind::full)) << "of plain files";
  pack(on_disk.name(1), Compression::gzip);
  EXPECT_EQ(shuffled(Shuffle::Kind::by_place), shuffled(Shuffle::Kind::block)) << "one file is compressed";
  EXPECT_NE(shuffled(Shuffle::Kind::by_place), shuffled(Shuffle::Kind::full));
}

class CompressedShuffle : public testing::TestWithParam<Shuffle::Kind> {};
INSTANTIATE_TEST_SUITE_P(Kinds, CompressedShuffle, testing::Values(Shuffle::Kind::full, Shuffle::Kind::block));

TEST_P(CompressedShuffle, IsResumedExactly) {
  const ExamplesOnDisk on_disk(files, in_file);
  pack_some(on_disk);
  const Dataset dataset = parsed(Dataset::records({on_disk.pattern()}).shuffle({.kind = GetParam(), .seed = 3}));
  Reading first(dataset, storages, {.cpus = 2});
  for (int batch = 0; batch < 123; ++batch) ASSERT_TRUE(first.next());
  EXPECT_EQ(first.resume(), Resume::exact);
  const std::string state = first.state();
  Reading second(dataset, storages, {.cpus = 3});
  second.restore(state);
  EXPECT_TRUE(rest_of(second) == rest_of(first));
}

TEST(CompressedRecords, AreIndexedOnceForEachVersionOfAFile) {
  const ExamplesOnDisk on_disk(files, 100);
  pack_some(on_disk);
  const TemporaryFolder indexes;
  std::size_t built = 0;
  const auto read = [&] {
    built = 0;
    IndexingOptions indexing{.shared = indexes.path()};
    indexing.on_progress = [&](const IndexingProgress& progress) { built = progress.files_total; };
    return all_of(parsed(Dataset::records({on_disk.pattern()})), {.cpus = 2, .indexing = std::move(indexing)});
  };
  const Ids expected = read();
  EXPECT_EQ(built, 3);
  EXPECT_EQ(read(), expected);
  EXPECT_EQ(built, 0);
  write(on_disk.name(1), joined(bytes_of(on_disk.name(1)), compressed({}, Compression::gzip)));
  EXPECT_EQ(read(), expected);
  EXPECT_EQ(built, 1) << "the file is another one";
}

TEST(CompressedRecords, AreLostOnlyInTheStreamThatIsDamaged) {
  for (const Compression compression : {Compression::gzip, Compression::zlib}) {
    const ExamplesOnDisk on_disk(1, in_file);
    const std::size_t size = bytes_of(on_disk.name(0)).size();
    const std::vector<std::size_t> ends = pack(on_disk.name(0), compression);
    Bytes bytes = bytes_of(on_disk.name(0));
    for (std::size_t at = 0; at < 40; ++at) bytes[(ends[0] + ends[1]) / 2 + at] = std::byte{0xff};
    write(on_disk.name(0), bytes);
    const Dataset dataset = parsed(Dataset::records({on_disk.pattern()}).shuffle({.seed = 3}));
    EXPECT_THROW(all_of(dataset), Refused);
    Reading reading(dataset, storages, {.cpus = 2, .on_damage = OnDamage::skip});
    const Ids read = rest_of(reading);
    const std::set<std::int64_t> ids(read.begin(), read.end());
    EXPECT_EQ(ids.size(), read.size());
    std::int64_t lost = 0;
    for (std::int64_t id = 0; id < in_file; ++id) {
      if (ids.contains(id)) continue;
      ++lost;
      const std::uint64_t offset = on_disk.offset(0, static_cast<std::size_t>(id));
      EXPECT_TRUE(offset > stream_bytes && offset < 2 * stream_bytes + 100) << offset << " of " << size;
    }
    EXPECT_GT(lost, 1000);
    EXPECT_GT(reading.lost(), 0);
    EXPECT_GT(reading.lost_bytes(), 10'000) << "the bytes of the file that could not be inflated";
    EXPECT_NE(text(reading.first_lost().at(0)).find(" of the inflated data: "), std::string::npos);
  }
}

// 40,000 records of 100 bytes, packed to about half, in streams of `stream_bytes`. Each ends with its number.
Bytes packed_records() {
  std::mt19937 random(1);
  std::vector<std::string> texts;
  for (int i = 0; i < 40'000; ++i) {
    std::string& text = texts.emplace_back(75, ' ');
    for (char& letter : text) letter = static_cast<char>('a' + random() % 16);
    text += std::to_string(100'000'000 + i);
  }
  const Bytes plain = file_of({texts.begin(), texts.end()});
  Bytes packed;
  for (std::size_t at = 0; at < plain.size(); at += stream_bytes) {
    const auto part = std::span(plain).subspan(at, std::min(stream_bytes, plain.size() - at));
    packed = joined(std::move(packed), compressed(part, Compression::gzip));
  }
  return packed;
}

std::string number_in(const Frames& frames, std::size_t frame) {
  const Range range = frames.frames.at(frame).range;
  const auto record = std::span(frames.bytes).subspan(range.begin, range.size());
  return std::string(wire::text_of(record.last(9 + frame::footer_size).first(9)));
}

TEST(CompressedScan, InflatesAFileOnceForItsRecordsAndItsIndex) {
  const Bytes file = packed_records();
  BytesRead count;
  const CountingSource source(file, count);
  FileScan scan(source, DamagedFile::refused);
  Frames frames;
  for (std::uint64_t record = 0; record < 39'990; record += 30)
    ASSERT_EQ(scan.read({record, record + 30}, frames), std::nullopt) << record;
  EXPECT_EQ(scan.index(), std::nullopt);
  ASSERT_EQ(scan.read({39'990, 40'000}, frames), std::nullopt);
  EXPECT_EQ(scan.index(), std::get<Index>(build_index(MemorySource(file)))) << "as soon as the last record is read";
  EXPECT_LE(count.all, file.size() + 270'000) << "only its beginning twice";
  ASSERT_EQ(frames.frames.size(), 40'000);
  for (std::size_t i = 0; i < 40'000; ++i) ASSERT_EQ(number_in(frames, i), std::to_string(100'000'000 + i));
}

TEST(CompressedScan, GoesBackToRecordsThatItHasPassed) {
  const Bytes file = packed_records();
  const MemorySource source(file);
  FileScan scan(source, DamagedFile::refused);
  for (const std::uint64_t first : {20'000u, 3u, 19'999u, 30'000u, 0u, 39'999u}) {
    Frames frames;
    ASSERT_EQ(scan.read({first, first + 3}, frames), std::nullopt);
    ASSERT_EQ(frames.frames.size(), std::min<std::uint64_t>(3, 40'000 - first));
    for (std::size_t i = 0; i < frames.frames.size(); ++i)
      EXPECT_EQ(number_in(frames, i), std::to_string(100'000'000 + first + i));
  }
}

TEST(CompressedScan, GivesTheRecordsBeforeDamage) {
  Bytes file = packed_records();
  flip_bit(file, file.size() - 5);
  const MemorySource source(file);
  FileScan scan(source, DamagedFile::refused);
  Frames frames;
  EXPECT_EQ(scan.read({0, 100}, frames), std::nullopt);
  EXPECT_EQ(frames.frames.size(), 100);
  EXPECT_EQ(scan.read({100, 50'000}, frames), std::get<Corrupt>(build_index(source)));
}

class CompressedFirstPass : public UnindexedData {};

TEST_F(CompressedFirstPass, HasTheRowsOfAPlainOneAndTheIndexesOfAllFiles) {
  const auto rows = [](const std::vector<Step>& steps) {
    std::multiset<std::int64_t> all;
    for (const Step& step : steps)
      for (const auto& lane : step) all.insert(lane.begin(), lane.end());
    return all;
  };
  const std::multiset<std::int64_t> expected = rows(all_steps());
  forget_indexes();
  for (const std::size_t file : {0, 3, 5}) put(file, compressed(UnindexedData::bytes_of(file), Compression::gzip));
  put(7, compressed(UnindexedData::bytes_of(7), Compression::zlib));
  const std::vector<Step> steps = all_steps();
  EXPECT_EQ(rows(steps), expected);
  EXPECT_TRUE(pass().known().missing().empty());
  EXPECT_EQ(all_steps(), steps) << "by the indexes";
}

}  // namespace
}  // namespace carrack::data
