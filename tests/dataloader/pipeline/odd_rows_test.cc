// Rows that do not fit together: of inputs that differ, of functions that make them wrong, lost behind others that were
// left out, and fewer than there are readers.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "dataloader/error.h"
#include "tests/dataloader/pipeline/examples_on_disk.h"
#include "tests/dataloader/pipeline/numbered_rows.h"

namespace carrack::data {
namespace {

const std::vector<Feature> features{{"id", Dtype::int64, 1}};

std::string problem_of(const Dataset& dataset, const ReadingOptions& options = {}) {
  try {
    all_of(dataset, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

RowsFunction renamed(const std::string& name) {
  return [name](Rows& rows) { rows.columns[0].name = name; };
}

TEST(Joined, InputsHaveTheSameColumns) {
  const auto wide = [](Rows& rows) { rows.columns[0].item = {2}; };
  const auto floats = [](Rows& rows) { rows.columns[0].values = LargeVector<float>(rows.count); };
  for (const Dataset& second : {ids(5, 9), generated(5, 9)}) {
    EXPECT_EQ(problem_of(Dataset::concatenate({ids(0, 4), second.map("rename", renamed("x"))}).batch(10)),
              "rows of one kind are expected, but after columns id (int64) come columns x (int64)");
    EXPECT_EQ(problem_of(Dataset::concatenate({ids(0, 4), second.map("floats", floats)}).batch(10)),
              "rows of one kind are expected, but after columns id (int64) come columns id (float32)");
  }
  Rows pairs = numbers(0, 8);
  pairs.count = 4;
  wide(pairs);
  EXPECT_EQ(problem_of(Dataset::interleave({Dataset::rows(pairs), ids(0, 4)}, 2).batch(10)),
            "rows of one kind are expected, but after columns id (int64, 2) come columns id (int64)");
}

TEST(Joined, InputsGiveRows) {
  const std::string behind = ": takes rows, and an input gives batches; batch after it";
  for (const Dataset& batches : {ids(0, 4).batch(2), generated(0, 4).batch(2)}) {
    EXPECT_EQ(problem_of(Dataset::concatenate({ids(0, 4), batches})), "concatenate" + behind);
    EXPECT_EQ(problem_of(Dataset::interleave({ids(0, 4), batches}, 2)), "interleave" + behind);
    EXPECT_EQ(problem_of(Dataset::mix({ids(0, 4), batches}, {1, 1})), "mix" + behind);
    EXPECT_EQ(problem_of(Dataset::zip({ids(0, 4), batches})), "zip" + behind);
    EXPECT_EQ(problem_of(batches.batch(2)), "batch: takes rows, and its input gives batches");
  }
  EXPECT_EQ(problem_of(generated(0, 4).batch(2).shuffle({.kind = Shuffle::Kind::buffer})),
            "shuffle: takes rows, and its input gives batches; shuffle before it");
}

TEST(Joined, RowsOfFilesAndOthersKnowWhereTheyComeFromOrNone) {
  const ExamplesOnDisk files(1, 4);
  const Dataset parsed = Dataset::records({files.pattern()}).parse(features);
  Reading reading(Dataset::interleave({ids(10, 14), parsed}, 2).batch(8), storages, {});
  const Rows rows = reading.next().value();
  EXPECT_EQ(ids_in(rows), (Ids{10, 0, 11, 1, 12, 2, 13, 3}));
  EXPECT_TRUE(rows.origins.empty());
  EXPECT_EQ(rows.places.size(), 8u);
  Reading streams(Dataset::interleave({generated(10, 14), parsed}, 2).batch(8), storages, {});
  EXPECT_TRUE(streams.next().value().places.empty());
}

// Of four inputs without an end the sum of their lengths would not fit into 64 bits.
TEST(Joined, InputsWithoutAnEnd) {
  std::vector<Dataset> inputs;
  for (std::int64_t i = 0; i < 4; ++i) inputs.push_back(ids(10 * i, 10 * i + 2).repeat());
  EXPECT_EQ(all_of(Dataset::interleave(inputs, 4).take(10)), (Ids{0, 10, 20, 30, 1, 11, 21, 31, 0, 10}));
}

TEST(Mixed, EndsInEachEpochWhereItsFirstInputDoes) {
  for (const Dataset& first : {ids(0, 100), generated(0, 100)}) {
    const Dataset mixed = Dataset::mix({first, ids(1000, 2000)}, {3, 1}, 5);
    const Ids once = all_of(mixed);
    Ids often;
    for (int i = 0; i < 9; ++i) often.insert(often.end(), once.begin(), once.end());
    EXPECT_EQ(all_of(mixed.repeat(9)), often);
  }
}

TEST(Functions, AreToldWhereTheyMakeRowsWrong) {
  const auto shorten = [](Rows& rows) { std::get<Ids>(rows.columns[0].values).pop_back(); };
  const auto too_few = [](const Rows&) { return std::vector<bool>(3); };
  const auto broken = [] {
    return [] {
      Rows rows = numbers(0, 4);
      rows.count = 5;
      return std::optional(rows);
    };
  };
  const auto all = [](const Rows& rows) { return std::vector<bool>(rows.count, true); };
  const auto drop = [](Rows& rows) { filter_rows(rows, {true, false, true, true}); };
  const std::string dropped = "map drop: 4 rows and 0 lost ones became 3 and 0; drop rows by filter, before batch";
  const Dataset buffered = ids(0, 4).shuffle({.kind = Shuffle::Kind::buffer});
  for (const Dataset& from : {ids(0, 4), ids(0, 4).filter("all", all), buffered, generated(0, 4)}) {
    EXPECT_EQ(problem_of(from.map("drop", drop)), dropped);
    EXPECT_EQ(problem_of(from.batch(4).map("drop", drop)), dropped);
    EXPECT_EQ(problem_of(from.map("shorten", shorten)),
              "map shorten: column \"id\" has 3 values, and there are 4 rows");
    EXPECT_EQ(problem_of(from.filter("some", too_few)),
              "filter some: returned 3 values for 4 rows; return one for each row");
  }
  EXPECT_EQ(problem_of(Dataset::generate("broken", broken)),
            "generate broken: column \"id\" has 4 values, and there are 5 rows");
}

TEST(Functions, MustReportLostRowsByTheirIndexes) {
  const auto lose_first = [](std::size_t index) {
    return [index](Rows& rows) {
      std::vector<bool> kept(rows.count, true);
      kept[0] = false;
      filter_rows(rows, kept);
      rows.lost.push_back({index, {Fault::bad_row, "x", 0, 0, 0, "bad"}});
    };
  };
  const auto lose_two = [&](const Dataset& from, std::size_t first, std::size_t second) {
    return from.map("one", lose_first(first)).map("two", lose_first(second));
  };
  const Shuffle in_blocks{.kind = Shuffle::Kind::block};
  const std::string wrong = ": Rows::lost must have each index once, in order and below 4; use drop_bad_rows";
  EXPECT_EQ(problem_of(lose_two(ids(0, 4), 0, 0).shuffle(in_blocks)), "map two" + wrong);
  EXPECT_EQ(problem_of(lose_two(ids(0, 4), 1, 0).shuffle(in_blocks)), "map two" + wrong);
  EXPECT_EQ(problem_of(lose_two(ids(0, 4), 0, 4).shuffle(in_blocks)), "map two" + wrong);
  EXPECT_EQ(problem_of(lose_two(ids(0, 4), 4, 1).shuffle(in_blocks)), "map one" + wrong);
  const ReadingOptions skip{.on_damage = OnDamage::skip};
  EXPECT_EQ(all_of(lose_two(ids(0, 4), 0, 1), skip), (Ids{2, 3}));
  EXPECT_EQ(all_of(lose_two(ids(0, 4), 0, 1).shuffle(in_blocks), skip).size(), 2u);
  // In a stream the indexes mean nothing.
  EXPECT_EQ(all_of(lose_two(generated(0, 4), 0, 0), skip), (Ids{2, 3}));
}

TEST(Functions, OfAGeneratorAreNotCalledBehindTheEnd) {
  const auto open = [] {
    return [calls = 0]() mutable -> std::optional<Rows> {
      if (++calls > 2) throw Error("called behind its end");
      return calls == 1 ? std::optional(numbers(0, 1)) : std::nullopt;
    };
  };
  EXPECT_EQ(all_of(Dataset::generate("one", open).batch(2)), Ids{0});
}

// What throws for a later chunk waits for its turn.
TEST(Functions, ThrowInTheirTurn) {
  const Dataset dataset = Dataset::generate("throws", [] {
                            return [at = std::int64_t{0}]() mutable -> std::optional<Rows> {
                              if (at == 3) throw Error("no 3");
                              const std::int64_t first = at++;
                              return numbers(first, first + 1);
                            };
                          }).map("tens", times_ten());
  Reading reading(dataset, storages, {.cpus = 2});
  Ids before;
  for (int i = 0; i < 3; ++i) before.push_back(ids_in(reading.next().value())[0]);
  EXPECT_EQ(before, (Ids{0, 10, 20}));
  EXPECT_THROW(reading.next(), Error);
}

// A filter leaves few of many rows, so that numbers of those lost before it are larger than there are rows.
TEST(Lost, AreTheRowsThatAreBadBehindAFilterToo) {
  const ExamplesOnDisk files(1, 1000);
  files.flip_bit(0, 999);
  const auto last = [](const Rows& rows) {
    std::vector<bool> kept;
    for (const std::int64_t id : ids_in(rows)) kept.push_back(id >= 995);
    return kept;
  };
  const auto bad_second = [](Rows& rows) { drop_bad_rows(rows, {{1, {Fault::bad_row, "x", 1, 0, 0, "bad"}}}); };
  Reading reading(Dataset::records({files.pattern()}).parse(features).filter("last", last).map("bad", bad_second),
                  storages, {.on_damage = OnDamage::skip});
  EXPECT_EQ(rest_of(reading), (Ids{995, 997, 998}));
  EXPECT_EQ(reading.lost(), 2u);
}

TEST(Lost, AreLeftOutOfTheCacheOfAStreamAndCounted) {
  const ExamplesOnDisk files(1, 100);
  files.flip_bit(0, 57);
  const auto all = [](const Rows& rows) { return std::vector<bool>(rows.count, true); };
  const Dataset cached = Dataset::records({files.pattern()}).parse(features).filter("all", all).cache(1 << 20);
  Reading reading(cached.repeat(2), storages, {.on_damage = OnDamage::skip});
  EXPECT_EQ(rest_of(reading).size(), 198u);
  EXPECT_EQ(reading.lost(), 1u);
  ASSERT_EQ(reading.first_lost().size(), 1u);
  EXPECT_EQ(reading.first_lost()[0].record, 57u);
  EXPECT_EQ(problem_of(cached), "cache: " + text(reading.first_lost()[0]));
}

// All readers take as many steps.
TEST(Shares, OfABatchMayBeEmpty) {
  for (const Dataset& from : {ids(0, 10), generated(0, 10)}) {
    std::vector<std::size_t> sizes(3);
    for (std::uint64_t reader = 0; reader < 8; ++reader) {
      Reading reading(from.batch(4), storages, {.share = {reader, 8}});
      std::size_t step = 0;
      for (; const std::optional<Rows> rows = reading.next(); ++step) sizes.at(step) += rows->count;
      EXPECT_EQ(step, 3u) << "reader " << reader;
    }
    EXPECT_EQ(sizes, (std::vector<std::size_t>{4, 4, 2}));
  }
}

std::size_t steps_of(const Dataset& dataset, const ReadingOptions& options) {
  Reading reading(dataset, storages, options);
  std::size_t steps = 0;
  while (reading.next()) ++steps;
  return steps;
}

TEST(Shares, ThatAreEmptyCountAsBatches) {
  const Dataset buffered = ids(0, 10).batch(4).shuffle({.kind = Shuffle::Kind::buffer});
  for (const Dataset& from : {ids(0, 10).batch(4), generated(0, 10).batch(4), buffered}) {
    for (std::uint64_t reader = 0; reader < 8; ++reader) {
      const ReadingOptions options{.share = {reader, 8}};
      EXPECT_EQ(steps_of(from.take(2), options), 2u) << "reader " << reader;
      EXPECT_EQ(steps_of(from.skip(1), options), 2u) << "reader " << reader;
      EXPECT_EQ(steps_of(from.shard(2, 1), options), 1u) << "reader " << reader;
      EXPECT_EQ(steps_of(from.repeat(2), options), 6u) << "reader " << reader;
      EXPECT_EQ(steps_of(from.take(2).repeat().take(5), options), 5u) << "reader " << reader;
    }
  }
}

RowsFunction lose(std::int64_t id) {
  return [id](Rows& rows) {
    std::vector<BadRow> bad;
    for (std::size_t row = 0; row < rows.count; ++row)
      if (ids_in(rows)[row] == id) bad.push_back({row, bad_row(rows, row, Fault::bad_row, "bad")});
    drop_bad_rows(rows, std::move(bad));
  };
}

TEST(Shares, ThatLoseAllRowsCountAsBatches) {
  for (const Dataset& from : {ids(0, 8), generated(0, 8)}) {
    const Dataset dataset = from.batch(2).map("lose", lose(2)).skip(2);
    for (std::uint64_t reader = 0; reader < 2; ++reader)
      EXPECT_EQ(steps_of(dataset, {.share = {reader, 2}, .on_damage = OnDamage::skip}), 2u) << "reader " << reader;
  }
}

TEST(Shares, AreRepeatedIfTheBatchHasRowsOnlyForOthers) {
  const Dataset dataset = generated(0, 3).map("lose", lose(2)).batch(4).repeat(2);
  for (std::uint64_t reader = 0; reader < 8; ++reader)
    EXPECT_EQ(steps_of(dataset, {.share = {reader, 8}, .on_damage = OnDamage::skip}), 2u) << "reader " << reader;
}

// The records of both inputs have a column "record" until they are parsed, and no function is called without rows.
TEST(Zipped, RowsMayBeNone) {
  const ExamplesOnDisk files(1, 10);
  const Dataset parsed = Dataset::records({files.pattern()}).parse(features);
  const Dataset zipped = Dataset::zip({parsed, parsed.map("rename", renamed("other"))});
  for (std::uint64_t reader = 0; reader < 3; ++reader)
    EXPECT_EQ(steps_of(zipped.batch(4), {.share = {reader, 3}}), 3u) << "reader " << reader;
  files.flip_bit(0, 7);
  EXPECT_EQ(all_of(zipped.batch(1), {.on_damage = OnDamage::skip}), (Ids{0, 1, 2, 3, 4, 5, 6, 8, 9}));
}

// A filter may have dropped any number of rows before a lost one, so a stream does not know its place.
TEST(Zipped, RowsStayInPairsByPlaceAndMoveUpInAStream) {
  const auto renamed_and_without_2 = [](const Dataset& from) {
    return from.map("lose", lose(2)).map("rename", renamed("other"));
  };
  const auto others_of = [](const Dataset& from) {
    Reading reading(Dataset::zip({ids(0, 6), from}).batch(6), storages, {.on_damage = OnDamage::skip});
    const Rows rows = reading.next().value();
    return std::pair(ids_in(rows), std::get<Ids>(rows.column("other").values));
  };
  EXPECT_EQ(others_of(renamed_and_without_2(ids(0, 6))), std::pair(Ids{0, 1, 3, 4, 5}, Ids{0, 1, 3, 4, 5}));
  EXPECT_EQ(others_of(renamed_and_without_2(generated(0, 6))), std::pair(Ids{0, 1, 2, 3, 4}, Ids{0, 1, 3, 4, 5}));
}

}  // namespace
}  // namespace carrack::data
