#include "dataloader/pipeline/sequences/block_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "dataloader/error.h"
#include "dataloader/pipeline/sequences/record_sequence.h"
#include "tests/dataloader/records/files.h"
#include "tests/dataloader/records/memory_source.h"

namespace carrack::data {
namespace {

// Counts what is read of it, and fails when told to.
class CountedSource final : public ByteSource {
 public:
  explicit CountedSource(Bytes bytes, const std::string& name = "x")
      : ByteSource(name, {bytes.size(), {"1"}}), source_(std::move(bytes), name) {}

  ReadResult read(std::span<const Slice> slices) const override {
    ++calls;
    std::this_thread::sleep_for(pause);
    for (const Slice& slice : slices) bytes_read += slice.into.size();
    if (fails) throw Error("no");
    return changed ? ReadResult::changed : source_.read(slices);
  }

  mutable std::atomic<std::uint64_t> calls = 0, bytes_read = 0;
  std::atomic<bool> fails = false, changed = false;
  std::chrono::milliseconds pause{0};

 private:
  MemorySource source_;
};

Bytes in_hundreds(std::size_t size) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i / 100);
  return bytes;
}

std::vector<std::uint64_t> numbers(std::initializer_list<std::uint64_t> all) {
  return all;
}

std::string problem(const std::function<void()>& of) {
  try {
    of();
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(BlockCache, ReadsEachBlockOnceAndAllThatAreMissingInOneCall) {
  const CountedSource source(in_hundreds(1050));
  BlockCache cache(100, 10'000);
  const auto first = cache.get(0, source, numbers({3, 5, 10}));
  EXPECT_EQ(first[0][0], std::byte{3});
  EXPECT_EQ(first[2][49], std::byte{10});
  EXPECT_EQ(source.calls, 1u);
  EXPECT_EQ(source.bytes_read, 250u) << "the last one is short";
  const auto second = cache.get(0, source, numbers({5, 6}));
  EXPECT_EQ(second[0], first[1]);
  EXPECT_EQ(second[1][7], std::byte{6});
  EXPECT_EQ(source.bytes_read, 350u);
  cache.get(1, source, numbers({5}));
  EXPECT_EQ(source.bytes_read, 450u) << "of another file";
}

TEST(BlockCache, KeepsThoseThatWereUsedLast) {
  const CountedSource source(in_hundreds(1000));
  BlockCache cache(100, 300);
  for (const std::uint64_t number : {0u, 1u, 2u, 0u, 3u}) cache.get(0, source, numbers({number}));
  EXPECT_EQ(source.calls, 4u);
  const auto kept = cache.get(0, source, numbers({0, 2, 3}));
  EXPECT_EQ(source.calls, 4u);
  cache.get(0, source, numbers({1}));
  EXPECT_EQ(source.calls, 5u);
  const auto many = cache.get(0, source, numbers({4, 5, 6, 7, 8}));
  EXPECT_EQ(kept[0][0], std::byte{0}) << "what is in use stays";
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(many[i][9], static_cast<std::byte>(4 + i));
}

TEST(BlockCache, KeepsNothingOfWhatCouldNotBeRead) {
  CountedSource source(in_hundreds(1000));
  BlockCache cache(100, 1000);
  source.changed = true;
  EXPECT_EQ(problem([&] { cache.get(0, source, numbers({1, 2})); }), "x: the file has changed since it was opened");
  source.fails = true;
  EXPECT_EQ(problem([&] { cache.get(0, source, numbers({1})); }), "no");
  source.fails = source.changed = false;
  EXPECT_EQ(cache.get(0, source, numbers({1, 2}))[1][0], std::byte{2});
}

// Not that the file has changed, which is another matter.
TEST(BlockCache, TellsAllWhoWaitForABlockWhyItCannotBeRead) {
  CountedSource source(in_hundreds(1000));
  source.fails = true;
  source.pause = std::chrono::milliseconds(20);
  BlockCache cache(100, 1000);
  std::atomic<int> told = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      if (problem([&] { cache.get(0, source, numbers({1})); }) == "no") ++told;
    });
  threads.clear();
  EXPECT_EQ(told, 4);
}

TEST(BlockCache, ServesManyThreadsAtOnce) {
  const CountedSource source(in_hundreds(10'000));
  BlockCache cache(100, 2'000);
  std::vector<std::jthread> threads;
  for (std::uint64_t thread = 0; thread < 6; ++thread) {
    threads.emplace_back([&, thread] {
      for (std::uint64_t i = 0; i < 400; ++i) {
        const std::uint64_t number = (i * 7 + thread) % 99;
        const auto blocks = cache.get(0, source, numbers({number, number + 1}));
        EXPECT_EQ(blocks[0][50], static_cast<std::byte>(number));
        EXPECT_EQ(blocks[1][50], static_cast<std::byte>(number + 1));
      }
    });
  }
}

// Two files of records of many sizes.
std::vector<IndexedFile> two_files(std::vector<const CountedSource*>& sources) {
  std::vector<IndexedFile> files;
  for (const std::string name : {"a", "b"}) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < 3000; ++i) texts.push_back(name + std::to_string(i) + std::string(i * i % 977, '-'));
    auto source = std::make_unique<CountedSource>(file_of({texts.begin(), texts.end()}), name);
    sources.push_back(source.get());
    Index index = std::get<Index>(build_index(*source));
    source->bytes_read = source->calls = 0;
    files.push_back({std::move(source), std::move(index)});
  }
  return files;
}

std::vector<std::string> read(const Sequence& sequence, const Reorder& order, std::size_t at_once) {
  std::vector<std::string> all;
  for (std::uint64_t begin = 0; begin < order.size; begin += at_once) {
    std::vector<Place> places;
    for (std::uint64_t i = begin; i < std::min(order.size, begin + at_once); ++i) places.push_back({0, i});
    order.to_input_places(places);
    const Rows rows = sequence.read(places);
    EXPECT_TRUE(rows.lost.empty());
    for (const std::string_view record : std::get<0>(rows.columns[0].values)) all.emplace_back(record);
  }
  return all;
}

TEST(RecordSequence, GivesTheSameHoweverItReads) {
  std::vector<const CountedSource*> sources;
  for (const Reorder& order :
       {ranged(6000, {}), block_shuffled(6000, {64, 8}, Random(1, "x")), shuffled(6000, Random(1, "x"))}) {
    std::vector<std::vector<std::string>> given;
    for (const RecordSequenceOptions how : {RecordSequenceOptions{false, 128 << 20}, RecordSequenceOptions{false, 0},
                                            RecordSequenceOptions{true, 1 << 20}})
      given.push_back(read(record_sequence(two_files(sources), how), order, 100));
    EXPECT_EQ(given[0].size(), 6000u);
    EXPECT_EQ(given[0], given[1]);
    EXPECT_EQ(given[0], given[2]);
  }
}

TEST(RecordSequence, ReadsWhatLiesNearOnceAndInTheFarByLargeRequests) {
  std::vector<const CountedSource*> sources;
  const Sequence sequence = record_sequence(two_files(sources), {true, 64 << 20});
  read(sequence, block_shuffled(6000, {64, 8}, Random(1, "x")), 100);
  for (const CountedSource* source : sources) {
    EXPECT_LE(source->bytes_read, source->stat().size);
    EXPECT_LE(source->calls, 3u);
  }
}

TEST(RecordSequence, ReadsEachByItselfWhereNothingLiesNear) {
  std::vector<IndexedFile> files;
  const std::string text(500, 'x');
  std::vector<std::string_view> records(200'000, text);
  auto source = std::make_unique<CountedSource>(file_of(records), "long");
  const CountedSource& counted = *source;
  Index index = std::get<Index>(build_index(*source));
  source->bytes_read = 0;
  files.push_back({std::move(source), std::move(index)});
  const Sequence sequence = record_sequence(std::move(files), {false, 1 << 20});
  read(sequence, ranged(200'000, {}), 1000);
  EXPECT_EQ(counted.bytes_read, counted.stat().size) << "in its order once";
  read(sequence, shuffled(200'000, Random(1, "x")), 100);
  const std::uint64_t before = counted.bytes_read;
  read(sequence, shuffled(200'000, Random(2, "x")), 100);
  EXPECT_LT(counted.bytes_read - before, counted.stat().size * 2) << "blocks were given up";
}

// A changed file is no damaged record that could be left out: others may have gone with it.
TEST(RecordSequence, RefusesFilesThatHaveChangedHoweverItReads) {
  for (const std::uint64_t at_once : {10u, 3000u}) {
    std::vector<const CountedSource*> sources;
    std::vector<IndexedFile> files = two_files(sources);
    const_cast<CountedSource*>(sources[1])->changed = true;
    const Sequence sequence = record_sequence(std::move(files), {});
    EXPECT_EQ(read(sequence, ranged(6000, {0, 3000}), 3000).size(), 3000u);
    EXPECT_EQ(problem([&] { read(sequence, shuffled(6000, Random(1, "x")), at_once); }),
              "b: the file has changed since it was opened");
    EXPECT_EQ(problem([&] {
                read(sequence, ranged(6000, {3000, 6000}), 3000);
              }),
              "b: the file has changed since it was opened");
  }
}

}  // namespace
}  // namespace carrack::data
