#include "dataloader/pipeline/lanes/batches.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <thread>
#include <utility>

#include "dataloader/error.h"
#include "dataloader/order/permutation.h"
#include "dataloader/pipeline/rows/row_functions.h"
#include "dataloader/pipeline/sequences/record_sequence.h"
#include "dataloader/records/example_writer.h"
#include "dataloader/records/frame.h"
#include "dataloader/storage/file/file_storage.h"
#include "tests/dataloader/records/files.h"
#include "tests/dataloader/records/memory_source.h"
#include "tests/dataloader/storage/temporary_folder.h"

namespace carrack::data {
namespace {

const std::vector<Feature> features = {{"id", Dtype::int64, 1}, {"x", Dtype::float32, 2}, {"name", Dtype::bytes, 1}};

// Records first..first+count-1 of a data set, each telling its own number in each feature.
Bytes examples(std::int64_t first, std::int64_t count, std::size_t padding = 0) {
  const std::string ballast(padding, '-');
  Bytes file;
  for (std::int64_t id = first; id < first + count; ++id) {
    const float x[2] = {static_cast<float>(id), static_cast<float>(-id)};
    const std::string name = "record " + std::to_string(id);
    const std::string_view names[1] = {name};
    const std::string_view ballasts[1] = {ballast};
    const NamedValues values[] = {{"ballast", std::span<const std::string_view>(ballasts)},
                                  {"id", std::span<const std::int64_t>(&id, 1)},
                                  {"x", std::span<const float>(x)},
                                  {"name", std::span<const std::string_view>(names)}};
    frame::append(file, example_of(values));
  }
  return file;
}

IndexedFile indexed(Bytes file, std::string name) {
  auto source = std::make_unique<MemorySource>(std::move(file), std::move(name));
  Index index = std::get<Index>(build_index(*source));
  return {std::move(source), std::move(index)};
}

std::vector<IndexedFile> two_files(std::size_t padding = 0) {
  std::vector<IndexedFile> files;
  files.push_back(indexed(examples(0, 70, padding), "a.tfrecord"));
  files.push_back(indexed(examples(70, 33, padding), "b.tfrecord"));
  return files;
}

// Shuffled.
Batches batches_in(std::vector<IndexedFile> files, std::vector<Feature> asked, std::uint64_t seed, Batching batching) {
  Sequence records = record_sequence(std::move(files), {});
  records = reordered(records, shuffled(records.size(), Random(seed, "order")));
  return Batches(mapped(records, parse_examples(std::move(asked))), "some", batching);
}

const LargeVector<std::int64_t>& ids_in(const Batch& batch) {
  return std::get<LargeVector<std::int64_t>>(batch.rows.column("id").values);
}

Batch batch_of(const Batches& batches, Position position, Range lanes) {
  std::variant<Batch, Corrupt> read = batches.read(position, lanes);
  if (const Corrupt* corrupt = std::get_if<Corrupt>(&read)) throw Error(text(*corrupt));
  return std::get<Batch>(std::move(read));
}

std::string contents_of_files(std::vector<std::pair<std::string, Bytes>> all) {
  std::vector<IndexedFile> files;
  for (auto& [name, bytes] : all) files.push_back(indexed(std::move(bytes), name));
  return data_fingerprint_of(files);
}

TEST(Contents, AreTheSameForCopiesAndTellAllElseApart) {
  const Bytes one = examples(0, 70), other = examples(70, 33);
  const std::string both = contents_of_files({{"a", one}, {"b", other}});
  EXPECT_EQ(both, "files 2, records 103, bytes 9263, crc32c 62ef409b");
  EXPECT_EQ(contents_of_files({{"copy/a", one}, {"copy/b", other}, {"copy/empty", {}}}), both);
  EXPECT_NE(contents_of_files({{"a", other}, {"b", one}}), both) << "in another order";
  EXPECT_NE(contents_of_files({{"a", one}, {"b", examples(71, 33)}}), both) << "other records of the same sizes";
  EXPECT_NE(contents_of_files({{"a", one}}), both);
}

TEST(Batches, ReadTheRecordsThatTheOrderNames) {
  for (const std::size_t padding : {0u, 40'000u}) {  // Neighbours in one piece, and each record alone.
    const Batches batches = batches_in(two_files(padding), features, 5, {16, 4});
    const Permutation epoch(103, Random(5, "order"), 2);
    std::vector<int> seen(103);
    for (Position at{2, 0}; at.epoch == 2; at = batches.order().after(at)) {
      const Batch batch = batch_of(batches, at, {0, 4});
      const auto& columns = batch.rows.columns;
      for (std::size_t row = 0; row < batch.rows.count; ++row) {
        const std::uint64_t id = epoch.at(at.step * 16 + row);
        ++seen.at(id);
        EXPECT_EQ(ids_in(batch)[row], static_cast<std::int64_t>(id));
        EXPECT_EQ(std::get<1>(columns[1].values)[2 * row], static_cast<float>(id));
        EXPECT_EQ(std::get<1>(columns[1].values)[2 * row + 1], -static_cast<float>(id));
        EXPECT_EQ(std::get<0>(columns[2].values)[row], "record " + std::to_string(id));
      }
    }
    EXPECT_EQ(seen, std::vector<int>(103, 1));
  }
}

TEST(Batches, AreTheSameWhicheverWorkersReadTheirLanes) {
  const Batches batches = batches_in(two_files(), features, 5, {16, 8});
  for (const std::uint64_t step : {0u, 6u}) {  // The last holds 7 records: its last lane is empty.
    const Batch whole = batch_of(batches, {0, step}, {0, 8});
    std::vector<std::int64_t> ids;
    for (const Range lanes : {Range{0, 2}, Range{2, 3}, Range{3, 8}}) {
      const Batch part = batch_of(batches, {0, step}, lanes);
      for (std::uint64_t lane = lanes.begin; lane < lanes.end; ++lane)
        EXPECT_EQ(part.lanes[lane - lanes.begin].size(), whole.lanes[lane].size());
      EXPECT_EQ(part.first_row, ids.size());
      if (part.rows.count > 0) ids.insert(ids.end(), ids_in(part).begin(), ids_in(part).end());
    }
    EXPECT_EQ(ids, std::vector<std::int64_t>(ids_in(whole).begin(), ids_in(whole).end()));
  }
  EXPECT_EQ(batch_of(batches, {0, 6}, {0, 8}).lanes[7], (Range{7, 7}));
  EXPECT_TRUE(batch_of(batches, {0, 6}, {7, 8}).rows.count == 0);
}

TEST(Batches, HaveTheSameRecordsInWhateverNumberOfLanesTheyAreCut) {
  const Batches batches = batches_in(two_files(), features, 5, {16, 8});
  for (const std::uint64_t step : {0u, 6u}) {  // The last holds 7 records.
    const Batch whole = batch_of(batches, {0, step}, {0, 8});
    std::vector<std::int64_t> ids;
    for (const Range lanes : {Range{0, 5}, Range{5, 5}, Range{5, 11}, Range{11, 16}}) {
      const Batch part = std::get<Batch>(batches.read({0, step}, lanes, 16));
      EXPECT_EQ(part.lanes, (std::vector<Range>{{0, part.rows.count}}));
      EXPECT_EQ(part.first_row, ids.size());
      if (part.rows.count > 0) ids.insert(ids.end(), ids_in(part).begin(), ids_in(part).end());
    }
    EXPECT_EQ(ids, std::vector<std::int64_t>(ids_in(whole).begin(), ids_in(whole).end()));
  }
}

TEST(Batches, WhoseLanesHaveRunsOfTheirOwnAreCutIntoThese) {
  const Batches batches = batches_in(two_files(), features, 5, {16, 8, true});
  const Batch lanes = batch_of(batches, {0, 1}, {2, 5}), again = std::get<Batch>(batches.read({0, 1}, {2, 5}, 8));
  EXPECT_EQ(again.rows.columns, lanes.rows.columns);
  EXPECT_EQ(again.lanes, lanes.lanes);
  EXPECT_EQ(lanes.first_row, 4u);
  EXPECT_EQ(again.first_row, 4u);
}

// Records in their order, of which these are damaged: a record that is left out leaves a gap in its lane, and no other
// record changes its batch or lane.
Batches with_damaged(const std::vector<std::uint64_t>& damaged, OnDamage on_damage) {
  Bytes file = examples(0, 40);
  const Index index = std::get<Index>(build_index(MemorySource(file, "a.tfrecord")));
  for (const std::uint64_t record : damaged) flip_bit(file, index.at(record).offset + frame::header_size);
  std::vector<IndexedFile> files;
  files.push_back(indexed(std::move(file), "a.tfrecord"));
  return {mapped(record_sequence(std::move(files), {}), parse_examples(features)), "some", {16, 4}, on_damage};
}

TEST(Batches, LeaveOutDamagedRecordsAndSayOfWhichLaneTheyAre) {
  const Batches batches = with_damaged({16, 21, 22, 23, 30}, OnDamage::skip);
  const Batch whole = batch_of(batches, {0, 1}, {0, 4});
  EXPECT_EQ(std::vector<std::int64_t>(ids_in(whole).begin(), ids_in(whole).end()),
            (std::vector<std::int64_t>{17, 18, 19, 20, 24, 25, 26, 27, 28, 29, 31}));
  EXPECT_EQ(whole.lanes, (std::vector<Range>{{0, 3}, {3, 4}, {4, 8}, {8, 11}}));
  EXPECT_EQ(whole.lost, (std::vector<Range>{{0, 1}, {1, 4}, {4, 4}, {4, 5}}));
  EXPECT_EQ(indexes_of(whole.rows), (std::vector<std::size_t>{1, 2, 3, 4, 8, 9, 10, 11, 12, 13, 15}));
  const Batch part = batch_of(batches, {0, 1}, {1, 3});
  EXPECT_EQ(part.first_row, 4u);
  EXPECT_EQ(part.lanes, (std::vector<Range>{{0, 1}, {1, 5}}));
  EXPECT_EQ(part.lost, (std::vector<Range>{{0, 3}, {3, 3}}));
  EXPECT_EQ(part.rows.lost.front().why.record, 21u);
  EXPECT_EQ(text(part.rows.lost.front().why).substr(0, 30), "a.tfrecord: record 21 at byte ");
}

TEST(Batches, OfDamagedRecordsAloneHaveNoRows) {
  const Batches batches = with_damaged({32, 33, 34, 35, 36, 37, 38, 39}, OnDamage::skip);
  const Batch last = batch_of(batches, {0, 2}, {0, 4});
  EXPECT_EQ(last.rows.count, 0u);
  EXPECT_EQ(last.lanes, std::vector<Range>(4));
  EXPECT_EQ(last.lost, (std::vector<Range>{{0, 2}, {2, 4}, {4, 6}, {6, 8}}));
}

TEST(Batches, StopAtTheFirstDamagedRecordUnlessSuchAreLeftOut) {
  const Batches batches = with_damaged({22, 21}, OnDamage::stop);
  EXPECT_EQ(std::get<Corrupt>(batches.read({0, 1}, {0, 4})).record, 21u);
  EXPECT_EQ(batch_of(batches, {0, 0}, {0, 4}).rows.count, 16u);
}

TEST(Batches, OfTheNextStepAreReadByAnotherThreadWhileOneIsInUse) {
  const Batches batches = batches_in(two_files(), features, 5, {16, 4});
  const Batch before = batch_of(batches, {0, 1}, {0, 4});
  std::vector<std::jthread> threads;
  for (std::uint64_t i = 0; i < 4; ++i) {
    threads.emplace_back([&batches, i] {
      for (std::uint64_t step = 0; step < 6; ++step) batch_of(batches, {i, step}, {0, 4});
    });
  }
  threads.clear();
  const Batch after = batch_of(batches, {0, 1}, {0, 4});
  EXPECT_EQ(after.rows.columns, before.rows.columns);
}

// Lists are parsed row after row, though records are read in the order of their files.
TEST(Batches, HoldListsOfEachRecord) {
  const Batches batches = batches_in(two_files(),
                                     {{.name = "id", .dtype = Dtype::int64},
                                      {.name = "x", .shape = Shape::list},
                                      {.name = "name", .dtype = Dtype::bytes, .shape = Shape::list}},
                                     5, {40, 1});
  const Batch batch = batch_of(batches, {0, 0}, {0, 1});
  const NamedColumn& column = batch.rows.column("x");
  const auto& x = std::get<1>(column.values);
  const auto& names = std::get<0>(batch.rows.column("name").values);
  ASSERT_EQ(column.splits[0].size(), 41u);
  for (std::size_t row = 0; row < 40; ++row) {
    const auto id = static_cast<float>(ids_in(batch)[row]);
    EXPECT_EQ(column.splits[0][row + 1], 2 * (row + 1));
    EXPECT_EQ(std::vector(x.data() + 2 * row, x.data() + 2 * row + 2), (std::vector{id, -id}));
    EXPECT_EQ(names[row], "record " + std::to_string(static_cast<int>(id)));
  }
}

std::string problem(std::vector<IndexedFile> files, std::vector<Feature> asked) {
  const Batches batches = batches_in(std::move(files), std::move(asked), 5, {200, 1});
  try {
    return text(std::get<Corrupt>(batches.read({0, 0}, {0, 1})));
  } catch (const Error& error) {
    return error.what();
  }
}

// One file whose bytes are changed after it was indexed.
std::vector<IndexedFile> changed(const std::function<void(Bytes&)>& change) {
  auto source = std::make_unique<MemorySource>(examples(0, 10), "a.tfrecord");
  Index index = std::get<Index>(build_index(*source));
  change(source->bytes);
  std::vector<IndexedFile> files;
  files.push_back({std::move(source), std::move(index)});
  return files;
}

TEST(Batches, SayWhichRecordIsBad) {
  const std::uint64_t fourth = std::get<Index>(build_index(MemorySource(examples(0, 10)))).at(3).offset;
  const auto at = [&](std::uint64_t offset) { return "a.tfrecord: record 3 at byte " + std::to_string(offset) + ": "; };
  EXPECT_EQ(problem(changed([&](Bytes& file) { flip_bit(file, fourth + 20); }), features),
            at(fourth) + "the data does not match its checksum");
  EXPECT_EQ(problem(changed([&](Bytes& file) { flip_bit(file, fourth); }), features),
            at(fourth) + "the length does not match its checksum");
  EXPECT_EQ(problem(changed([&](Bytes& file) {
                      const Bytes other = file_of({"short"});
                      std::copy(other.begin(), other.end(), file.begin() + static_cast<std::ptrdiff_t>(fourth));
                    }),
                    features),
            at(fourth) + "the file has changed since it was opened");
  EXPECT_EQ(problem(changed([](Bytes& file) { file.pop_back(); }), features),
            "a.tfrecord: the file has changed since it was opened");
}

TEST(Batches, SayWhichFeatureOfWhichRecordIsNotWhatWasAskedFor) {
  EXPECT_EQ(problem(two_files(), {{"y", Dtype::float32, 1}}),
            "a.tfrecord: record 0 at byte 12: there is no feature \"y\"");
  EXPECT_EQ(problem(two_files(), {{"x", Dtype::int64, 2}}),
            "a.tfrecord: record 0 at byte 51: feature \"x\" holds float32 values, and int64 was asked for; `carrack "
            "data convert` with --types x=int64 makes such records of CSV and of JSON lines");
  EXPECT_EQ(problem(two_files(), {{"x", Dtype::float32, 3}}),
            "a.tfrecord: record 0 at byte 51: feature \"x\" has 2 values, and 3 are needed");
}

TEST(Batches, RefuseAnIndexOfAnotherVersion) {
  std::vector<IndexedFile> files = two_files();
  files[1].index = files[0].index;
  try {
    batches_in(std::move(files), features, 5, {16, 4});
    FAIL() << "took the index of another file";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "b.tfrecord: its index is that of another version; make it again");
  }
}

TEST(Batches, AreReadFromAStorageUntilAFileIsReplaced) {
  const TemporaryFolder folder;
  FileStorage storage(1);
  const std::string url = folder.path() + "/a.tfrecord";
  const auto write = [&] {
    const auto writer = storage.create(url, {});
    writer->write(examples(0, 20));
    return writer->commit().value();
  };
  auto source = std::make_unique<const StoredObject>(storage, url, write());
  Index index = std::get<Index>(build_index(*source));
  std::vector<IndexedFile> files;
  files.push_back({std::move(source), std::move(index)});
  const Batches batches = batches_in(std::move(files), features, 1, {20, 1});
  EXPECT_EQ(batch_of(batches, {0, 0}, {0, 1}).rows.count, 20);
  write();
  EXPECT_THROW(batches.read({0, 0}, {0, 1}), Error);
}

}  // namespace
}  // namespace carrack::data
