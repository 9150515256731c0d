// Pipelines as their users write them: what they give, and what they say where that makes no sense.

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "dataloader/error.h"
#include "dataloader/machine/limits.h"
#include "tests/dataloader/pipeline/examples_on_disk.h"
#include "tests/dataloader/pipeline/numbered_rows.h"

namespace carrack::data {
namespace {

std::string problem(const std::function<void()>& of) {
  try {
    of();
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(Pipeline, OrdersRowsAsAsked) {
  EXPECT_EQ(all_of(ids(0, 10)), up_to(10));
  EXPECT_EQ(all_of(ids(0, 10).skip(3).take(4)), (Ids{3, 4, 5, 6}));
  EXPECT_EQ(all_of(ids(0, 10).shard(3, 1)), (Ids{1, 4, 7}));
  EXPECT_EQ(all_of(ids(0, 3).repeat(2)), (Ids{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(all_of(ids(0, 3).repeat().take(7)), (Ids{0, 1, 2, 0, 1, 2, 0}));
  EXPECT_EQ(all_of(ids(0, 4).map("tens", times_ten())), (Ids{0, 10, 20, 30}));
  EXPECT_EQ(all_of(ids(0, 10).filter("even", even())), (Ids{0, 2, 4, 6, 8}));
  EXPECT_EQ(all_of(Dataset::concatenate({ids(0, 2), ids(5, 7)})), (Ids{0, 1, 5, 6}));
  EXPECT_EQ(all_of(Dataset::interleave({ids(0, 4), ids(10, 12), ids(20, 23)}, 2, 2)),
            (Ids{0, 1, 10, 11, 2, 3, 20, 21, 22}));
  EXPECT_EQ(all_of(ids(0, 0)), Ids{});
  EXPECT_EQ(all_of(ids(0, 0).repeat()), Ids{});
}

TEST(Pipeline, OrdersWhatIsNotKnownBeforeItComesTheSameWay) {
  EXPECT_EQ(all_of(generated(0, 100)), up_to(100));
  EXPECT_EQ(all_of(generated(0, 100).skip(33).take(4)), (Ids{33, 34, 35, 36}));
  EXPECT_EQ(all_of(generated(0, 10).shard(3, 1)), (Ids{1, 4, 7}));
  EXPECT_EQ(all_of(generated(0, 3).repeat(2)), (Ids{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(all_of(generated(0, 3).repeat().take(7)), (Ids{0, 1, 2, 0, 1, 2, 0}));
  EXPECT_EQ(all_of(generated(0, 0).repeat()), Ids{});
  EXPECT_EQ(all_of(generated(0, 4).map("tens", times_ten())), (Ids{0, 10, 20, 30}));
  EXPECT_EQ(all_of(generated(0, 10).filter("even", even())), (Ids{0, 2, 4, 6, 8}));
  EXPECT_EQ(all_of(Dataset::concatenate({generated(0, 2), ids(5, 7)})), (Ids{0, 1, 5, 6}));
  EXPECT_EQ(all_of(Dataset::interleave({ids(0, 4), generated(10, 12), ids(20, 23)}, 2, 2)),
            (Ids{0, 1, 10, 11, 2, 3, 20, 21, 22}));
  EXPECT_EQ(all_of(generated(0, 50).cache(1 << 20).shuffle().take(50)), all_of(ids(0, 50).shuffle()));
}

TEST(Pipeline, WithoutRowsDoesNotRepeatForever) {
  const auto none = [](const Rows& rows) { return std::vector<bool>(rows.count); };
  const Shuffle buffer{.kind = Shuffle::Kind::buffer, .buffer = 50};
  for (const bool deterministic : {true, false}) {
    for (const Dataset& from : {ids(0, 100), ids(0, 100).shuffle(buffer), generated(0, 100)}) {
      int looks = 0;
      const ReadingOptions options{.cpus = 2, .deterministic = deterministic, .check_cancelled = [&looks] {
                                     if (++looks > 10'000) throw Error("it does not end");
                                   }};
      EXPECT_EQ(problem([&] { all_of(from.filter("none", none).repeat(), options); }), "none");
    }
  }
}

TEST(Pipeline, RepeatsAlthoughManyEpochsHaveNoRows) {
  const auto last_of_every_fiftieth = [](const Rows& rows) {
    std::vector<bool> kept;
    for (const Place& place : rows.places) kept.push_back(place.number == 9'999 && place.epoch % 50 == 49);
    return kept;
  };
  const Dataset rare = ids(0, 10'000).filter("last of every fiftieth", last_of_every_fiftieth);
  EXPECT_EQ(all_of(rare.repeat().take(2)), Ids(2, 9'999));
  EXPECT_EQ(all_of(rare.repeat(100)), Ids(2, 9'999));
}

TEST(Pipeline, MakesBatches) {
  for (const Dataset& from : {ids(0, 10), generated(0, 10)}) {
    EXPECT_EQ(batches_of(from.batch(4)), (std::vector<Ids>{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9}}));
    EXPECT_EQ(batches_of(from.batch(4, true)), (std::vector<Ids>{{0, 1, 2, 3}, {4, 5, 6, 7}}));
    EXPECT_EQ(batches_of(from.batch(4).skip(1).take(1)), (std::vector<Ids>{{4, 5, 6, 7}}));
    EXPECT_EQ(batches_of(from.batch(4).shard(2, 1)), (std::vector<Ids>{{4, 5, 6, 7}}));
    EXPECT_EQ(batches_of(from.batch(4).map("tens", times_ten()).skip(2)), (std::vector<Ids>{{80, 90}}));
    EXPECT_EQ(batches_of(from.batch(8).repeat(2)),
              (std::vector<Ids>{{0, 1, 2, 3, 4, 5, 6, 7}, {8, 9}, {0, 1, 2, 3, 4, 5, 6, 7}, {8, 9}}));
    EXPECT_EQ(batches_of(from.repeat(2).batch(16)).front(), (Ids{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5}));
  }
  EXPECT_EQ(batches_of(ids(0, 9).filter("even", even()).batch(2)), (std::vector<Ids>{{0, 2}, {4, 6}, {8}}));
}

TEST(Pipeline, ShufflesNothingInAnotherOrderThatIsShuffledInBlocks) {
  using Kind = Shuffle::Kind;
  const Shuffle block{.kind = Kind::block, .block = 10, .window = 4}, full{}, buffer{.kind = Kind::buffer, .buffer = 9};
  const Dataset blocks = ids(0, 300).shuffle(block);
  const std::string refused =
      "shuffle: its rows are shuffled in blocks already, and to take them in another order would read each block again "
      "and again; leave one of the two out, or make the first one full";
  for (const Dataset& from :
       {blocks, blocks.cache(1 << 20), blocks.batch(16), blocks.repeat(2).skip(1),
        Dataset::mix({ids(0, 300).shuffle(full), blocks}, {1, 1}), Dataset::concatenate({blocks, ids(0, 300)})}) {
    EXPECT_EQ(problem([&] { all_of(from.shuffle(full)); }), refused);
    EXPECT_EQ(problem([&] { all_of(from.shuffle(block)); }), refused);
  }
  EXPECT_EQ(sorted(all_of(blocks.shuffle(buffer))), up_to(300));
  EXPECT_EQ(all_of(blocks.filter("even", even()).cache(1 << 20).shuffle(full)).size(), 150u) << "all lie in memory";
  EXPECT_EQ(sorted(all_of(ids(0, 300).shuffle(full).shuffle(block))), up_to(300));
  EXPECT_EQ(sorted(all_of(ids(0, 300).batch(10).shuffle(block).shuffle(full))), up_to(300));
}

TEST(Pipeline, ShufflesInEachWay) {
  using Kind = Shuffle::Kind;
  for (const Shuffle& how : {Shuffle{.kind = Kind::full, .seed = 3}, Shuffle{.kind = Kind::by_place, .seed = 3},
                             Shuffle{.kind = Kind::block, .seed = 3, .block = 10, .window = 4},
                             Shuffle{.kind = Kind::buffer, .seed = 3, .buffer = 50}}) {
    const Ids two = all_of(ids(0, 300).shuffle(how).repeat(2));
    const Ids first(two.begin(), two.begin() + 300), second(two.begin() + 300, two.end());
    EXPECT_EQ(sorted(first), up_to(300));
    EXPECT_EQ(sorted(second), up_to(300));
    EXPECT_NE(first, up_to(300));
    EXPECT_NE(first, second);
    EXPECT_EQ(first, all_of(ids(0, 300).shuffle(how)));
    Shuffle other = how;
    other.seed = 4;
    EXPECT_NE(first, all_of(ids(0, 300).shuffle(other)));
  }
  const Ids two = all_of(generated(0, 300).shuffle({.kind = Kind::buffer, .buffer = 50}).repeat(2));
  const Ids first(two.begin(), two.begin() + 300), second(two.begin() + 300, two.end());
  EXPECT_EQ(sorted(first), up_to(300));
  EXPECT_EQ(sorted(second), up_to(300));
  EXPECT_NE(first, second);
}

// As with tf.data: an element waits in the buffer until it is drawn, and comes no earlier than it can be there.
TEST(Pipeline, ShufflesThroughABufferOfNoMoreThanAsked) {
  const Shuffle how{.kind = Shuffle::Kind::buffer, .seed = 3, .buffer = 50};
  for (const Dataset& from : {ids(0, 3000), generated(0, 3000)}) {
    const Ids shuffled = all_of(from.shuffle(how));
    std::size_t latest = 0;
    for (std::size_t place = 0; place < shuffled.size(); ++place) {
      const auto id = static_cast<std::size_t>(shuffled[place]);
      EXPECT_LT(id, place + 50);
      latest = std::max(latest, place - std::min(place, id));
    }
    EXPECT_GT(latest, 100u) << "none waited for long";
    EXPECT_EQ(sorted(shuffled), up_to(3000));
    EXPECT_EQ(all_of(from.shuffle({.kind = Shuffle::Kind::buffer, .buffer = 1})), up_to(3000));
  }
}

TEST(Pipeline, MixesByWeight) {
  for (const Dataset& second : {ids(1000, 1010), generated(1000, 1010)}) {
    const Ids mixed = all_of(Dataset::mix({ids(0, 10).repeat(), second.repeat()}, {3, 1}, 5).take(2048));
    EXPECT_EQ(mixed.size(), 2048u);
    EXPECT_EQ(std::ranges::count_if(mixed, [](std::int64_t id) { return id >= 1000; }), 512);
  }
}

TEST(Pipeline, ZipsRowsSideBySide) {
  const auto renamed = [](Rows& rows) { rows.columns[0].name = "other"; };
  for (const Dataset& other : {ids(100, 108), generated(100, 108)}) {
    Reading reading(Dataset::zip({ids(0, 10), other.map("rename", renamed)}).batch(20), storages, {.cpus = 2});
    const Rows rows = reading.next().value();
    EXPECT_EQ(ids_in(rows), up_to(8));
    EXPECT_EQ(std::get<Ids>(rows.column("other").values), (Ids{100, 101, 102, 103, 104, 105, 106, 107}));
    EXPECT_FALSE(reading.next());
  }
}

TEST(Pipeline, ParsesRecordsOfFilesAndNamesWhatIsBad) {
  const ExamplesOnDisk files(3, 40);
  const std::vector<Feature> features{{"id", Dtype::int64, 1}};
  const Dataset dataset = Dataset::records({files.pattern()}).shuffle({.seed = 2}).parse(features).batch(16);
  EXPECT_EQ(sorted(all_of(dataset)), up_to(120));
  EXPECT_EQ(all_of(dataset, {.cpus = 1}), all_of(dataset, {.cpus = 4, .memory = 1}));
  Reading before(dataset, storages, {});
  files.flip_bit(1, 7);
  const std::string bad = files.name(1) + ": record 7 at byte " + std::to_string(files.offset(1, 7)) +
                          ": the data does not match its checksum";
  try {
    all_of(dataset);
    FAIL() << "took a damaged record";
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), bad + "; 31 bytes lost");
  }
  Reading reading(dataset, storages, {.cpus = 2, .on_damage = OnDamage::skip});
  const Ids left = sorted(rest_of(reading));
  EXPECT_EQ(left.size(), 119u);
  EXPECT_FALSE(std::ranges::binary_search(left, 47));
  EXPECT_EQ(reading.lost(), 1u);
  ASSERT_EQ(reading.first_lost().size(), 1u);
  EXPECT_EQ(text(reading.first_lost()[0]), bad);
}

TEST(Pipeline, PadsTheListsOfABatch) {
  const auto list = [](Rows& rows) {
    NamedColumn column{"list", LargeVector<float>(), {}, {{0}}};
    auto& values = std::get<LargeVector<float>>(column.values);
    for (const std::int64_t id : ids_in(rows)) {
      values.insert(values.end(), static_cast<std::size_t>(id), static_cast<float>(id));
      column.splits[0].push_back(values.size());
    }
    rows.columns.push_back(std::move(column));
  };
  Reading reading(ids(0, 4).map("lists", list).padded_batch(3, {{"list", LargeVector<float>{-1}}}), storages, {});
  const Rows rows = reading.next().value();
  EXPECT_EQ(rows.column("list").item, (std::vector<std::size_t>{2}));
  EXPECT_EQ(std::get<LargeVector<float>>(rows.column("list").values), (LargeVector<float>{-1, -1, 1, -1, 2, 2}));
  EXPECT_EQ(reading.next().value().column("list").item, (std::vector<std::size_t>{3}));
}

TEST(Pipeline, SaysWhatMakesNoSense) {
  const auto opened = [](const Dataset& dataset) { return problem([&] { all_of(dataset); }); };
  EXPECT_EQ(opened(Dataset::records({"/nowhere/x-*.tfrecord"})), "no file matches /nowhere/x-*.tfrecord");
  EXPECT_EQ(opened(ids(0, 5).batch(2).batch(2)), "batch: takes rows, and its input gives batches");
  EXPECT_EQ(opened(ids(0, 5).batch(0)), "batch: a batch holds at least one row");
  EXPECT_EQ(opened(ids(0, 5).batch(2).filter("even", even())),
            "filter: takes rows, and its input gives batches; filter before it");
  EXPECT_EQ(opened(ids(0, 5).filter("even", even()).shuffle()),
            "shuffle: what comes is not known before it comes, so it is shuffled through a buffer (kind: buffer), or "
            "before the stage that makes it so");
  EXPECT_EQ(opened(Dataset::zip({ids(0, 5), ids(0, 5)})), "zip: two inputs have a column \"id\"");
  EXPECT_EQ(opened(ids(0, 5).parse({{"x", Dtype::float32, 1}})), "there is no column \"record\"; there are: id");
  EXPECT_EQ(opened(ids(0, 50'000).cache(1000)),
            "cache: takes more than the 1000 bytes it may have; give it more, or leave it out");
  EXPECT_EQ(opened(ids(0, 2).batch(1).repeat(1 << 30).repeat(1 << 29).cache(1000)),
            "cache: takes more than the 1000 bytes it may have; give it more, or leave it out");
  EXPECT_EQ(problem([] { Dataset::zip({}); }), "zip: there is no input");
  Reading reading(ids(0, 5).batch(2), storages, {}), other(ids(0, 5).batch(3), storages, {}),
      unordered(ids(0, 5).batch(3), storages, {.deterministic = false});
  EXPECT_EQ(problem([&] { other.restore(reading.state()); }),
            "the state is that of another pipeline, or of other data; start again, or put the pipeline back");
  EXPECT_EQ(problem([&] { other.restore("nonsense"); }), "this is not a state of a pipeline");
  std::string damaged = reading.state();
  damaged.back() ^= 1;
  EXPECT_EQ(problem([&] { reading.restore(damaged); }), "the state of the pipeline is damaged");
  const std::string begin = reading.state();
  reading.next();
  EXPECT_EQ(problem([&] { reading.restore(begin); }),
            "a state is restored before the first next(); open the data set again, and restore it there");
  EXPECT_EQ(ids_in(reading.next().value()), (Ids{2, 3})) << "and goes on as it did";
  EXPECT_EQ(problem([&] { unordered.state(); }),
            "there is no state of rows that come as they are ready; read with `deterministic` to go on later");
  EXPECT_EQ(unordered.resume(), Resume::none);
}

TEST(Pipeline, TellsWhatAFunctionThrowsAndEnds) {
  const Dataset dataset = ids(0, 1000).batch(10).map("throws", [](Rows& rows) {
    if (ids_in(rows).front() == 500) throw Error("no 500");
  });
  Reading reading(dataset, storages, {.cpus = 4});
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(reading.next());
  EXPECT_EQ(problem([&] { reading.next(); }), "no 500");
}

TEST(Pipeline, HoldsNoMoreReadyThanItMay) {
  std::atomic<int> made = 0;
  const Dataset dataset = ids(0, 1000).batch(1).map("big", [&](Rows& rows) {
    rows.columns.push_back({"big", LargeVector<float>(1000), {1000}});
    ++made;
  });
  Reading reading(dataset, storages, {.cpus = 8, .memory = 12'000});
  for (int taken = 1; taken <= 100; ++taken) {
    reading.next();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    // Before anything came nobody knew how large they are.
    EXPECT_LE(made, std::max(17, taken + 3));
  }
}

// Fifty texts, each of them in two rows that are a chunk and have memory of their own, which is appended to `memory`.
Dataset texts_in(std::vector<std::weak_ptr<const void>>& memory) {
  return Dataset::generate("texts", [&memory]() -> Generator {
    return [&memory, at = 0]() mutable -> std::optional<Rows> {
      if (at == 50) return std::nullopt;
      const auto text = std::make_shared<const std::string>("text " + std::to_string(at++));
      Rows rows;
      rows.count = 2;
      rows.columns.push_back({"text", LargeVector<std::string_view>(2, std::string_view(*text))});
      rows.memory.push_back(text);
      memory.emplace_back(text);
      return rows;
    };
  });
}

bool is_free(const std::vector<std::weak_ptr<const void>>& memory) {
  return std::ranges::all_of(memory, [](const std::weak_ptr<const void>& one) { return one.expired(); });
}

std::size_t different_texts(const Rows& rows) {
  const auto& texts = std::get<LargeVector<std::string_view>>(rows.column("text").values);
  return std::set<std::string_view>(texts.begin(), texts.end()).size();
}

TEST(Pipeline, CachesTheRowsOfAStreamWithoutTheMemoryOfTheirChunks) {
  std::vector<std::weak_ptr<const void>> memory;
  Reading reading(texts_in(memory).cache(1 << 20), storages, {});
  const Rows rows = reading.next().value();
  EXPECT_EQ(memory.size(), 50u);
  EXPECT_TRUE(is_free(memory));
  EXPECT_EQ(rows.count, 100u);
  EXPECT_EQ(different_texts(rows), 50u);
  EXPECT_EQ(rows.memory.size(), 1u) << "each read would go through the memory of all chunks";
}

// The memory of a chunk may be a whole block of a file.
TEST(Pipeline, ShufflesTheFewRowsThatAFilterLeavesWithoutTheMemoryOfTheirChunks) {
  std::vector<std::weak_ptr<const void>> memory;
  const auto first = [](const Rows& rows) {
    std::vector<bool> is_first(rows.count);
    is_first.at(0) = true;
    return is_first;
  };
  const Dataset few = texts_in(memory).filter("first", first).shuffle({.kind = Shuffle::Kind::buffer, .buffer = 50});
  Reading reading(few, storages, {.cpus = 2});
  const Rows rows = reading.next().value();
  EXPECT_EQ(memory.size(), 50u);
  EXPECT_TRUE(is_free(memory));
  EXPECT_EQ(rows.count, 50u);
  EXPECT_EQ(different_texts(rows), 50u);
}

TEST(Pipeline, UsesWhatTheProcessMayUnlessTold) {
  EXPECT_EQ(Reading(ids(0, 4), storages, {}).measured().cpus, std::ceil(cpus_of_this_process()));
  EXPECT_EQ(Reading(ids(0, 4), storages, {.cpus = 7}).measured().cpus, 7u);
}

TEST(Pipeline, GivesRowsAsTheyAreReadyWhereAsked) {
  const ReadingOptions unordered{.cpus = 4, .deterministic = false};
  EXPECT_EQ(sorted(all_of(ids(0, 10'000).repeat(2).take(15'000), unordered)).size(), 15'000u);
  for (const Dataset& from : {ids(0, 10'000), generated(0, 10'000)})
    EXPECT_EQ(sorted(all_of(from.filter("even", even()).map("tens", times_ten()).batch(16), unordered)).size(), 5'000u);
}

}  // namespace
}  // namespace carrack::data
