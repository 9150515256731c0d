// Records of files that stay, written down once: by one, by several at once, by some that are killed; of other files
// and other filters anew.
#include "dataloader/pipeline/snapshots/file_snapshot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <array>
#include <atomic>
#include <thread>

#include "dataloader/pipeline/snapshots/snapshot_manifest.h"
#include "dataloader/records/record_reader.h"
#include "dataloader/records/record_writer.h"
#include "dataloader/storage/file/file_storage.h"
#include "dataloader/storage/memory_storage.h"
#include "tests/dataloader/pipeline/examples_on_disk.h"
#include "tests/dataloader/pipeline/snapshots.h"
#include "tests/dataloader/pipeline/stopped_writers.h"

namespace carrack::data {
namespace {

using testing::ElementsAre;
using testing::EndsWith;

const std::string in_memory = "memory://of/this/test";
const FeatureBounds from_three_to_eleven{{"id", Dtype::int64}, 3, 11};

std::vector<Listed> listed(const std::string& pattern) {
  return storages.for_url(pattern).list(pattern);
}

// What lies in memory belongs to that storage, all else to files.
std::variant<std::vector<IndexedFile>, Corrupt> made(Storage& memory, const std::vector<Listed>& files,
                                                     const FileSnapshotOptions& options) {
  const StorageFor storage_for = [&](const std::string& url) -> Storage& {
    return url.starts_with("memory:") ? memory : storages.for_url(url);
  };
  return open_file_snapshot(files, storage_for, options);
}

// The ids in each of its files.
std::vector<std::vector<std::int64_t>> ids_of(const std::vector<IndexedFile>& files) {
  std::vector<std::vector<std::int64_t>> all;
  for (const IndexedFile& file : files) {
    all.emplace_back();
    RecordReader reader(*file.source);
    ExampleParser parser({{"id", Dtype::int64}});
    std::vector<Column> columns = parser.columns(1);
    for (auto next = reader.next(); std::holds_alternative<Records>(next); next = reader.next()) {
      for (const Record& record : std::get<Records>(next).records) {
        EXPECT_FALSE(parser.parse(record.data, 0, columns));
        all.back().push_back(std::get<LargeVector<std::int64_t>>(columns[0].values)[0]);
      }
    }
    EXPECT_EQ(file.index.records(), all.back().size());
  }
  return all;
}

std::vector<std::vector<std::int64_t>> ids_in(Storage& memory, const std::string& pattern,
                                              const FileSnapshotOptions& options) {
  return ids_of(std::get<std::vector<IndexedFile>>(made(memory, listed(pattern), options)));
}

// Of five in each of four files.
const std::vector<std::vector<std::int64_t>> expected = {{3, 4}, {5, 6, 7, 8, 9}, {10, 11}, {}};

std::set<std::string> names_in(Storage& storage, const std::string& folder) {
  std::set<std::string> names;
  for (const auto& [url, stat] : objects_in(storage, folder)) names.insert(url.substr(url.rfind('/') + 1));
  return names;
}

class AFileSnapshot : public testing::Test {
 protected:
  // Of the first two files, on a disk.
  std::vector<std::vector<std::int64_t>> ids_on(Storage& disk) const {
    const StorageFor storage_for = [&](const std::string&) -> Storage& { return disk; };
    std::vector<Listed> first_two = listed(files.pattern());
    first_two.resize(2);
    return ids_of(std::get<std::vector<IndexedFile>>(open_file_snapshot(first_two, storage_for, options)));
  }

  const ExamplesOnDisk files{4, 5};
  FileSnapshotOptions options{.folder = in_memory, .filters = {from_three_to_eleven}};
  MemoryStorage storage;
};

TEST_F(AFileSnapshot, HasTheRecordsOfEachFileThatStay) {
  EXPECT_EQ(ids_in(storage, files.pattern(), options), expected);
  options.filters.push_back({{"id", Dtype::int64}, {}, 4});
  EXPECT_THAT(ids_in(storage, files.pattern(), options),
              ElementsAre(ElementsAre(3, 4), ElementsAre(), ElementsAre(), ElementsAre()));
  options.filters.clear();
  EXPECT_THAT(ids_in(storage, files.pattern(), options)[3], ElementsAre(15, 16, 17, 18, 19));
}

TEST_F(AFileSnapshot, IsOneAsItsFormatHasIt) {
  const Bytes first = *read_whole(storages.for_url(files.name(0)), files.name(0));
  ids_in(storage, files.pattern(), options);
  EXPECT_THAT(names_in(storage, in_memory),
              ElementsAre("manifest", "rows-00000.tfrecord", "rows-00000.tfrecord.index", "rows-00000.tfrecord.part",
                          "rows-00001.tfrecord", "rows-00001.tfrecord.index", "rows-00001.tfrecord.part",
                          "rows-00002.tfrecord", "rows-00002.tfrecord.index", "rows-00002.tfrecord.part",
                          "rows-00003.tfrecord", "rows-00003.tfrecord.index", "rows-00003.tfrecord.part"));
  const std::string manifest = storage.list(in_memory + "/*/manifest").front().url;
  const Bytes bytes = *read_whole(storage, manifest);
  const auto read = parse_snapshot_manifest({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  const auto& told = std::get<SnapshotManifest>(read);
  EXPECT_EQ(told.origin.pipeline, "records of each file > filter(id int64, from 3 to 11) > snapshot(file by file)");
  ASSERT_EQ(told.origin.sources.size(), 4u);
  EXPECT_EQ(told.origin.sources[2].name, "file://" + files.name(2));
  EXPECT_THAT(manifest, EndsWith("/" + fingerprint_of(told.origin) + "/manifest"));
  EXPECT_EQ(told.rows(), 9u);
  EXPECT_TRUE(told.columns.empty());
  // Records are what they were, byte for byte: the last two of the first file.
  EXPECT_EQ(*read_whole(storage, manifest.substr(0, manifest.rfind('/')) + "/rows-00000.tfrecord"),
            Bytes(first.begin() + static_cast<std::ptrdiff_t>(files.offset(0, 3)), first.end()));
}

TEST_F(AFileSnapshot, IsMadeOnceAndThenRead) {
  Lines lines;
  options.log = lines.log();
  int told = 0;
  options.on_progress = [&](const IndexingProgress&) { ++told; };
  ids_in(storage, files.pattern(), options);
  EXPECT_EQ(told, 1);
  EXPECT_THAT(lines.take(), ElementsAre(testing::StartsWith("snapshot: made " + in_memory + "/")));
  const auto before = objects_in(storage, in_memory);
  options.share = {1, 3};
  EXPECT_EQ(ids_in(storage, files.pattern(), options), expected);
  EXPECT_EQ(objects_in(storage, in_memory), before);
  EXPECT_EQ(told, 1);
  EXPECT_THAT(lines.take(), ElementsAre());
}

TEST_F(AFileSnapshot, ReportsEachFileThatIsWrittenOrOpened) {
  std::atomic<int> reports = 0;
  options.on_file = [&] { ++reports; };
  ids_in(storage, files.pattern(), options);
  EXPECT_GE(reports.load(), 4 + 4);
  reports = 0;
  ids_in(storage, files.pattern(), options);
  EXPECT_EQ(reports.load(), 4) << "all files exist, so they are only opened";
}

TEST_F(AFileSnapshot, OfOtherFilesOrFiltersIsAnotherOneAndTheLogSaysWhy) {
  Lines lines;
  options.log = lines.log();
  ids_in(storage, files.pattern(), options);
  const std::string first = storage.list(in_memory + "/*/manifest").front().url;
  lines.take();
  options.filters.front().max = 12;
  ids_in(storage, files.pattern(), options);
  EXPECT_EQ(lines.take().front(),
            "snapshot: does not use " + first +
                ": it was made by \"records of each file > filter(id int64, from 3 to 11) > "
                "snapshot(file by file)\", and \"records of each file > filter(id int64, from 3 to "
                "12) > snapshot(file by file)\" is asked for");
  options.filters.front().max = 11;
  const auto time = std::filesystem::last_write_time(files.name(1));
  std::filesystem::last_write_time(files.name(1), time + std::chrono::seconds(1));
  EXPECT_EQ(ids_in(storage, files.pattern(), options), expected);
  EXPECT_THAT(lines.take(),
              testing::Contains("snapshot: does not use " + first + ": file://" + files.name(1) + " has changed"));
  EXPECT_EQ(storage.list(in_memory + "/*/manifest").size(), 3u);
}

TEST_F(AFileSnapshot, TakesCompressedFilesToo) {
  const TemporaryFolder folder;
  FileStorage disk(1);
  for (const Compression compression : {Compression::gzip, Compression::zlib}) {
    RecordWriter writer(disk.create(folder.path() + "/x-" + name_of(compression), {}), compression);
    for (std::int64_t id = 0; id < 20; ++id) {
      const NamedValues values[] = {{"id", std::span<const std::int64_t>(&id, 1)}};
      writer.write(example_of(values));
    }
    writer.commit();
  }
  const std::vector<std::int64_t> kept = {3, 4, 5, 6, 7, 8, 9, 10, 11};
  EXPECT_THAT(ids_in(storage, folder.path() + "/*", options), ElementsAre(kept, kept));
  options.filters = {{{"z", Dtype::int64}, 0, {}}};
  EXPECT_EQ(text(std::get<Corrupt>(made(storage, listed(folder.path() + "/*GZIP"), options))),
            folder.path() + "/x-GZIP: record 0 at byte 12 of the inflated data: there is no feature \"z\"");
}

TEST_F(AFileSnapshot, IsRefusedWithTheRecordThatCannotBeUsed) {
  files.flip_bit(2, 3);
  EXPECT_EQ(text(std::get<Corrupt>(made(storage, listed(files.pattern()), options))),
            files.name(2) + ": record 3 at byte " + std::to_string(files.offset(2, 3)) +
                ": the data does not match its checksum");
  options.filters = {{{"id", Dtype::float32}, 0, {}}};
  const std::string said = text(std::get<Corrupt>(made(storage, listed(files.name(1)), options)));
  EXPECT_THAT(said, testing::StartsWith(files.name(1) + ": record 0 at byte "));
  EXPECT_THAT(said, testing::HasSubstr("feature \"id\""));
  EXPECT_TRUE(storage.list(in_memory + "/*/manifest").empty());
}

TEST_F(AFileSnapshot, OfAFileThatChangesMeanwhileIsRefused) {
  const std::vector<Listed> before = listed(files.pattern());
  const auto time = std::filesystem::last_write_time(files.name(3));
  std::filesystem::last_write_time(files.name(3), time + std::chrono::seconds(1));
  EXPECT_THAT(text(std::get<Corrupt>(made(storage, before, options))),
              EndsWith("the file has changed since it was opened"));
}

TEST_F(AFileSnapshot, ThatIsStoppedAnywhereIsFinishedByTheNextAndNothingIsWrittenAgain) {
  options.files_at_once = 1;
  int point = 1;
  for (bool stopped = true; stopped; ++point) {
    MemoryStorage memory;
    WatchedStorage watched(memory, stop_at(point, [] { throw Killed(); }));
    stopped = false;
    try {
      ids_in(watched, files.pattern(), options);
    } catch (const Killed&) {
      stopped = true;
    }
    const auto left = objects_in(memory, in_memory);
    EXPECT_EQ(ids_in(memory, files.pattern(), options), expected) << point;
    const auto now = objects_in(memory, in_memory);
    for (const auto& [url, stat] : left) EXPECT_TRUE(url.ends_with(".index") || now.at(url) == stat) << url;
    EXPECT_EQ(now.size(), 13u);
  }
  EXPECT_EQ(point - 2, 2 * 13);
}

// Each at another of its commits, while the others write.
TEST_F(AFileSnapshot, WhoseMakersAreKilledWithoutWarningIsFinishedByTheNext) {
  int point = 1;
  for (bool ended = false; !ended; ++point) {
    const TemporaryFolder folder;
    options.folder = folder.path();
    options.files_at_once = 1;
    std::vector<pid_t> makers;
    for (std::size_t maker = 0; maker < 3; ++maker) {
      makers.push_back(started([&] {
        FileStorage disk(2 + maker);
        WatchedStorage watched(disk, stop_at(point + static_cast<int>(maker), [] { raise(SIGKILL); }));
        options.share = {maker, 2};
        ids_on(watched);
      }));
    }
    ended = true;
    for (const pid_t maker : makers) ended = has_ended(maker) && ended;
    FileStorage disk(1);
    EXPECT_THAT(ids_on(disk), ElementsAre(ElementsAre(3, 4), ElementsAre(5, 6, 7, 8, 9))) << point;
    EXPECT_EQ(disk.list(folder.path() + "/**").size(), 7u);
  }
  EXPECT_GE(point - 2, 4) << "makers that do not come to their points pass 3 * point in all, and seven files take 14";
}

TEST_F(AFileSnapshot, ThatManyMakeAtOnceIsOne) {
  for (int time = 0; time < 20; ++time) {
    MemoryStorage memory;
    std::array<std::vector<std::vector<std::int64_t>>, 6> got;
    std::vector<std::thread> makers;
    for (std::size_t maker = 0; maker < got.size(); ++maker)
      makers.emplace_back([&, maker, its = options]() mutable {
        its.share = {maker % 4, 3};
        got[maker] = ids_in(memory, files.pattern(), its);
      });
    for (std::thread& maker : makers) maker.join();
    for (const auto& ids : got) EXPECT_EQ(ids, expected);
    EXPECT_EQ(memory.list(in_memory + "/**").size(), 13u);
  }
}

TEST_F(AFileSnapshot, OfWhichAFileIsMadeMeanwhileIsLeftToWhoMadeIt) {
  options.files_at_once = 1;
  options.poll_interval = std::chrono::milliseconds(0);
  int commits = 0, looks = 0;
  WatchedStorage slow(storage, [&] { ++commits; });
  const StorageFor storage_for = [&](const std::string& url) -> Storage& {
    // Once it has looked for what is there, and is about to read, somebody else makes all.
    if (!url.starts_with("memory:") && ++looks == 1) ids_in(storage, files.pattern(), options);
    return url.starts_with("memory:") ? slow : storages.for_url(url);
  };
  EXPECT_EQ(
      ids_of(std::get<std::vector<IndexedFile>>(open_file_snapshot(listed(files.pattern()), storage_for, options))),
      expected);
  EXPECT_EQ(looks, 1);
  EXPECT_EQ(commits, 2) << "before and after that of a manifest, which is there";
}

TEST_F(AFileSnapshot, LacksDamagedRecordsIfThoseAreSkipped) {
  files.flip_bit(0, 3);
  files.flip_bit(1, 2, 0);  // a length
  const std::string first = files.name(0) + ": record 3 at byte " + std::to_string(files.offset(0, 3)) +
                            ": the data does not match its checksum";
  EXPECT_EQ(text(std::get<Corrupt>(made(storage, listed(files.pattern()), options))), first);
  options.on_damage = OnDamage::skip;
  std::vector<std::string> log;
  options.log = [&](const std::string& line) { log.push_back(line); };
  const std::vector<std::vector<std::int64_t>> left = {{4}, {5, 6, 8, 9}, {10, 11}, {}};
  EXPECT_EQ(ids_in(storage, files.pattern(), options), left);
  EXPECT_EQ(log.back(), "the snapshot lacks 2 records that could not be used, the first: " + first);
  EXPECT_EQ(ids_in(storage, files.pattern(), options), left) << "as it is found";
  // A reader that stops finds what the snapshot lacks.
  options.on_damage = OnDamage::stop;
  EXPECT_EQ(text(std::get<Corrupt>(made(storage, listed(files.pattern()), options))), first);
}

TEST_F(AFileSnapshot, LacksRecordsThatLackAFeatureIfThoseAreSkipped) {
  options.filters.push_back({{"other", Dtype::int64}, 0, {}});
  EXPECT_EQ(std::get<Corrupt>(made(storage, listed(files.name(0)), options)).message, "there is no feature \"other\"");
  options.on_damage = OnDamage::skip;
  EXPECT_THAT(ids_in(storage, files.name(0), options), ElementsAre(ElementsAre()));
}

TEST_F(AFileSnapshot, IsMadeByEachInAShareOfItsOwnAndToldOfAsAWhole) {
  options.files_at_once = 1;
  options.poll_interval = std::chrono::milliseconds(0);
  options.share = {0, 2};
  // Behind two files of four, with an index and a part each.
  WatchedStorage watched(storage, stop_at(12, [] { throw Killed(); }));
  EXPECT_THROW(ids_in(watched, files.pattern(), options), Killed);
  EXPECT_THAT(names_in(storage, in_memory),
              ElementsAre("rows-00000.tfrecord", "rows-00000.tfrecord.index", "rows-00000.tfrecord.part",
                          "rows-00001.tfrecord", "rows-00001.tfrecord.index", "rows-00001.tfrecord.part"));
  std::vector<IndexingProgress> told;
  options.on_progress = [&](const IndexingProgress& built) { told.push_back(built); };
  options.share = {1, 2};
  EXPECT_EQ(ids_in(storage, files.pattern(), options), expected);
  // As it begins, and at the end of each file, whose part is not written yet.
  const std::uint64_t size = listed(files.name(0)).front().stat.size;
  EXPECT_THAT(told, ElementsAre(IndexingProgress{2, 4, 2 * size, 4 * size}, IndexingProgress{2, 4, 3 * size, 4 * size},
                                IndexingProgress{3, 4, 4 * size, 4 * size}));
}

}  // namespace
}  // namespace carrack::data
