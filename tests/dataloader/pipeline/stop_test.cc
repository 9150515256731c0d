// A reading that skips nothing gives all records before a damaged one, in the order in which it gives records, and then
// the error: wherever the damage is, by any stages, and with any number of threads.
#include <gtest/gtest.h>

#include <functional>

#include "tests/dataloader/pipeline/stops.h"

namespace carrack::data {
namespace {

constexpr const char* bad_data = "the data does not match its checksum";
constexpr const char* bad_length = "the length does not match its checksum";
constexpr std::int64_t damaged_ids[] = {0, 57, 100, 199};

std::vector<Ids> cut_into(const Ids& ids, std::size_t size) {
  std::vector<Ids> batches;
  for (std::size_t at = 0; at < ids.size(); at += size)
    batches.emplace_back(ids.begin() + static_cast<std::ptrdiff_t>(at),
                         ids.begin() + static_cast<std::ptrdiff_t>(std::min(at + size, ids.size())));
  return batches;
}

TEST(Stop, GivesAllBatchesBeforeADamagedRecordAndAShortOne) {
  for (const std::int64_t id : damaged_ids) {
    for (const auto& [byte, what] : {std::pair(frame::header_size, bad_data), std::pair(std::size_t{0}, bad_length)}) {
      for (const Compression compression : {Compression::none, Compression::gzip, Compression::zlib}) {
        const Damageable files;
        files.flip(id, byte);
        if (compression != Compression::none) files.pack(compression);
        const std::string error =
            files.error(id, what, compression == Compression::none ? ": " : " of the inflated data: ");
        for (const unsigned cpus : {1u, 4u}) {
          const Stopped by_place = read_to_stop(files.rows().batch(7), {.cpus = cpus});
          EXPECT_EQ(by_place.batches, cut_into(up_to(id), 7)) << id;
          EXPECT_EQ(by_place.error, error);
          const Stopped in_turn = read_to_stop(files.rows().filter("every", every()).batch(7), {.cpus = cpus});
          EXPECT_EQ(in_turn.batches, by_place.batches) << id;
          EXPECT_EQ(in_turn.error, error);
          const Stopped chunks = read_to_stop(files.rows(), {.cpus = cpus});
          EXPECT_EQ(chunks.ids(), up_to(id));
          EXPECT_EQ(chunks.error, error);
        }
      }
    }
  }
}

TEST(Stop, LeavesOutTheShortBatchIfRemaindersAreDropped) {
  for (const std::int64_t id : damaged_ids) {
    const Damageable files;
    files.flip(id);
    const Dataset by_place = files.rows(), streamed = by_place.filter("every", every());
    for (const Dataset& dataset :
         {by_place, streamed, files.rows().shuffle({.kind = Shuffle::Kind::buffer, .buffer = 1})}) {
      const Stopped stopped = read_to_stop(dataset.batch(7, true));
      EXPECT_EQ(stopped.batches, cut_into(up_to(id - id % 7), 7)) << id;
      const bool is_read = id < 196 || &dataset.plan() != &by_place.plan();  // By place, the remainder is not read.
      EXPECT_EQ(stopped.error, is_read ? files.error(id, bad_data) : "");
    }
  }
}

// Each by place and in turn.
std::vector<Dataset> orders_of(const Damageable& files) {
  const Dataset rows = files.rows(), streamed = rows.filter("every", every());
  const std::vector<Dataset> by_file{files.rows_of(0), files.rows_of(1)};
  const std::vector<Dataset> streams{by_file[0].filter("every", every()), by_file[1].filter("every", every())};
  const auto cut = [](const Dataset& dataset) { return dataset.skip(3).take(180).shard(3, 0); };
  return {rows.shuffle({.kind = Shuffle::Kind::full, .seed = 3}),
          rows.shuffle({.kind = Shuffle::Kind::block, .seed = 3, .block = 10, .window = 4}),
          rows.shuffle({.kind = Shuffle::Kind::buffer, .seed = 3, .buffer = 50}),
          rows.cache(1 << 20).shuffle({.kind = Shuffle::Kind::full, .seed = 3}),
          rows.repeat(2),
          streamed.repeat(2),
          cut(rows),
          streamed.map("same", [](Rows&) {}),
          Dataset::records(RecordFiles{{files.name(0), files.name(1)}, 2, 3}).parse({{"id", Dtype::int64, 1}}),
          Dataset::concatenate(by_file),
          Dataset::concatenate(streams),
          Dataset::interleave(by_file, 2, 3),
          Dataset::interleave(streams, 2, 3),
          Dataset::interleave({streams[0], by_file[1]}, 1, 3),
          Dataset::mix(by_file, {0.3, 0.7}),
          Dataset::mix(streams, {0.3, 0.7})};
}

TEST(Stop, GivesWhatComesBeforeTheDamagedRecordInItsOrder) {
  for (const std::int64_t id : damaged_ids) {
    const Damageable files;
    const std::vector<Dataset> orders = orders_of(files);
    for (std::size_t i = 0; i < orders.size(); ++i) {
      const Ids whole = all_of(orders[i]);
      const bool is_read = std::ranges::count(whole, id) > 0;
      files.flip(id);
      for (const unsigned cpus : {1u, 4u}) {
        const Stopped rows = read_to_stop(orders[i], {.cpus = cpus});
        EXPECT_EQ(rows.ids(), before(whole, id)) << "order " << i << ", record " << id;
        EXPECT_EQ(rows.error, is_read ? files.error(id, bad_data) : "") << i;
        const Stopped batches = read_to_stop(orders[i].batch(7), {.cpus = cpus});
        EXPECT_EQ(batches.batches, cut_into(before(whole, id), 7)) << "order " << i << ", record " << id;
        EXPECT_EQ(batches.error, rows.error) << i;
      }
      files.flip(id);
    }
  }
}

TEST(Stop, OfZippedRowsIsWhereOneInputStops) {
  const Damageable files;
  files.flip(157);
  const auto renamed = [](Rows& rows) { rows.column("id").name = "other"; };
  for (const bool in_turn : {false, true}) {
    const auto rows = [&](std::size_t file) {
      return in_turn ? files.rows_of(file).filter("every", every()) : files.rows_of(file);
    };
    const Stopped stopped = read_to_stop(Dataset::zip({rows(0), rows(1).map("renamed", renamed)}).batch(10));
    EXPECT_EQ(stopped.batches, cut_into(up_to(57), 10));
    EXPECT_EQ(stopped.error, files.error(157, bad_data));
  }
}

// Which of the rows in the buffer comes next does not matter to whether they come.
TEST(Stop, EmptiesTheBufferOfAShuffledStreamFirst) {
  for (const std::int64_t id : damaged_ids) {
    const Damageable files;
    files.flip(id);
    const Dataset streamed = files.rows().filter("every", every());
    const Stopped stopped = read_to_stop(streamed.shuffle({.kind = Shuffle::Kind::buffer, .buffer = 30}).batch(7));
    EXPECT_EQ(sorted(stopped.ids()), up_to(id));
    EXPECT_EQ(stopped.error, files.error(id, bad_data));
  }
}

// A stream reads what later stages leave out, too.
TEST(Stop, OfAStreamIsWhereItReadsADamagedRecord) {
  for (const std::int64_t id : damaged_ids) {
    const Damageable files;
    files.flip(id);
    const Dataset third = files.rows().filter("every", every()).skip(3).take(180).shard(3, 0);
    Ids expected;
    for (std::int64_t read = 3; read < std::min<std::int64_t>(id, 183); read += 3) expected.push_back(read);
    const Stopped stopped = read_to_stop(third.batch(7));
    EXPECT_EQ(stopped.batches, cut_into(expected, 7)) << id;
    EXPECT_EQ(stopped.error, id < 183 ? files.error(id, bad_data) : "");
  }
}

TEST(Stop, IsNoErrorOfWhatIsNotRead) {
  const Damageable files;
  files.flip(57);
  EXPECT_EQ(all_of(files.rows().take(57).batch(10)), up_to(57));
  EXPECT_EQ(all_of(files.rows().filter("every", every()).take(57).batch(10)), up_to(57));
  EXPECT_EQ(all_of(files.rows().filter("every", every()).batch(19).take(3)), up_to(57));
}

TEST(Stop, OfAFunctionThatFindsABadRow) {
  const auto lose = [](Rows& rows) {
    std::vector<BadRow> bad;
    for (std::size_t row = 0; row < rows.count; ++row)
      if (ids_in(rows)[row] % 100 == 57) bad.push_back({row, bad_row(rows, row, Fault::bad_row, "it is 57")});
    drop_bad_rows(rows, std::move(bad));
  };
  const auto odd = [](const Rows& rows) {
    std::vector<bool> kept;
    for (const std::int64_t id : ids_in(rows)) kept.push_back(id % 2 == 1);
    return kept;
  };
  const Damageable files;
  Ids odds;
  for (std::int64_t id = 1; id < 57; id += 2) odds.push_back(id);
  for (const Dataset& from : {files.rows(), files.rows().filter("every", every()), generated(0, 200)}) {
    EXPECT_EQ(read_to_stop(from.map("lose", lose).batch(10)).batches, cut_into(up_to(57), 10));
    EXPECT_EQ(read_to_stop(from.filter("odd", odd).map("lose", lose).batch(5)).batches, cut_into(odds, 5));
    EXPECT_EQ(read_to_stop(from.map("lose", lose).filter("odd", odd).batch(5)).batches, cut_into(odds, 5));
    EXPECT_EQ(read_to_stop(from.batch(10).map("lose", lose)).batches, cut_into(up_to(57), 10));
    EXPECT_EQ(read_to_stop(from.batch(10, true).map("lose", lose)).batches, cut_into(up_to(50), 10));
  }
}

TEST(Stop, OfSeveralReadersIsThatOfWhoseShareIsDamaged) {
  const Damageable files;
  files.flip(57);
  for (const Dataset& dataset : {files.rows(), files.rows().filter("every", every())}) {
    const bool by_place = Reading(dataset, storages, {}).stages().back().is_sequence;
    const Stopped first = read_to_stop(dataset.batch(10), {.cpus = 2, .share = {0, 2}});
    const Stopped second = read_to_stop(dataset.batch(10), {.cpus = 2, .share = {1, 2}});
    EXPECT_EQ(second.error, files.error(57, bad_data));
    EXPECT_EQ(first.error, by_place ? "" : second.error) << "a stream is read by each of them";
    EXPECT_EQ(first.batches.size(), by_place ? 20u : 6u);
    if (by_place) {
      EXPECT_EQ(second.batches.back(), (Ids{55, 56}));
    }
  }
}

TEST(Stop, ComesAfterSomeOfTheOthersIfRowsComeUnordered) {
  const Damageable files;
  files.flip(57);
  const Stopped stopped = read_to_stop(files.rows().batch(7), {.cpus = 4, .deterministic = false});
  EXPECT_EQ(stopped.error, files.error(57, bad_data));
  const Ids ids = sorted(stopped.ids());
  EXPECT_EQ(std::ranges::count(ids, 56), 1);
  EXPECT_EQ(std::ranges::adjacent_find(ids), ids.end());
  for (std::int64_t id = 57; id < 63; ++id) EXPECT_EQ(std::ranges::count(ids, id), 0);
}

// From every state on, a reading comes to the same place again, and one that skips it reads all the rest. `is_exact` is
// false for rows in a buffer, which come in another order if more rows follow.
void expect_the_same_from_every_state(const Dataset& dataset, bool is_exact) {
  const Stopped expected = read_to_stop(dataset);
  const std::size_t good = all_of(dataset, {.cpus = 2, .on_damage = OnDamage::skip}).size();
  const Ids whole = expected.ids();
  Reading reading(dataset, storages, {.cpus = 2});
  std::size_t given = 0;
  for (std::size_t i = 0; i <= expected.batches.size(); ++i) {
    const std::string state = reading.state();
    Reading again(dataset, storages, {.cpus = 3});
    again.restore(state);
    const Stopped rest = rest_before_stop(again);
    EXPECT_EQ(rest.error, expected.error);
    // By place, a batch that was cut short comes again.
    if (rest.batches == std::vector<Ids>{expected.batches.back()}) given = whole.size() - rest.ids().size();
    EXPECT_EQ(rest.ids(), Ids(whole.begin() + static_cast<std::ptrdiff_t>(given), whole.end())) << i;
    if (is_exact) {
      Reading skipping(dataset, storages, {.cpus = 3, .on_damage = OnDamage::skip});
      skipping.restore(state);
      const Ids others = rest_of(skipping);
      EXPECT_EQ(given + others.size(), good) << i;
      EXPECT_TRUE(std::equal(whole.begin() + static_cast<std::ptrdiff_t>(given), whole.end(), others.begin())) << i;
      EXPECT_EQ(skipping.lost(), 1u) << i;
    }
    if (i < expected.batches.size()) given += ids_in(reading.next().value()).size();
  }
}

TEST(Stop, IsReachedAgainFromEveryState) {
  const Damageable files;
  const Dataset rows = files.rows(), streamed = rows.filter("every", every());
  const Shuffle buffer{.kind = Shuffle::Kind::buffer, .seed = 3, .buffer = 30};
  files.flip(57);
  expect_the_same_from_every_state(rows.batch(7), true);
  expect_the_same_from_every_state(rows.shuffle(buffer).batch(7), true);
  expect_the_same_from_every_state(streamed.batch(7), true);
  expect_the_same_from_every_state(streamed.skip(2).batch(7).map("same", [](Rows&) {}), true);
  expect_the_same_from_every_state(streamed.shuffle(buffer).batch(7), false);
}

}  // namespace
}  // namespace carrack::data
