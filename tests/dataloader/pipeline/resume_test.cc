// Pipelines go on from anywhere: in other processes, with other threads, with other numbers of readers.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <span>

#include "dataloader/error.h"
#include "dataloader/order/random.h"
#include "dataloader/pipeline/rows/state.h"
#include "dataloader/records/little_endian.h"
#include "tests/dataloader/pipeline/numbered_rows.h"
#include "tests/dataloader/pipeline/written_files.h"
#include "tests/dataloader/records/files.h"
#include "tests/dataloader/sources/arrays.h"

namespace carrack::data {
namespace {

// Everything here goes on exactly, whatever the threads.
struct Case {
  const char* name;
  Dataset dataset;
  Resume resume = Resume::exact;
};

std::vector<Case> cases() {
  using Kind = Shuffle::Kind;
  const Shuffle buffer{.kind = Kind::buffer, .seed = 1, .buffer = 20};
  const Shuffle block{.kind = Kind::block, .seed = 1, .block = 8, .window = 3};
  return {
      {"rows", ids(0, 900).repeat(2)},
      {"full", ids(0, 100).shuffle().batch(7).repeat(3)},
      {"batches_over_epochs", ids(0, 100).shuffle().repeat(3).batch(7)},
      {"block", ids(0, 100).shuffle(block).repeat(2).batch(9)},
      {"buffer", ids(0, 100).shuffle(buffer).repeat(2).batch(9)},
      {"filtered", ids(0, 200).shuffle().filter("even", even()).repeat(2).batch(9)},
      {"filtered_mapped", ids(0, 200).filter("even", even()).batch(9).map("tens", times_ten())},
      {"joined", Dataset::mix({ids(0, 60).shuffle().repeat(), ids(100, 130).repeat()}, {2, 1}).take(200).batch(8)},
      {"interleaved", Dataset::interleave({ids(0, 40), ids(100, 133), ids(200, 250)}, 2, 3).batch(8)},
      {"cached", ids(0, 100).cache(1 << 20).shuffle().repeat(2).batch(8)},
      {"generated", generated(0, 100).repeat(2).batch(9), Resume::exact_state},
      {"generated_shuffled", generated(0, 100).shuffle(buffer).repeat(2).batch(9), Resume::exact_state},
      {"streams_joined", Dataset::interleave({generated(0, 40), ids(100, 133), generated(200, 250)}, 2, 3).batch(8),
       Resume::exact_state},
      {"streams_mixed", Dataset::mix({generated(0, 60).repeat(), ids(100, 130).repeat()}, {2, 1}).take(200).batch(8),
       Resume::exact_state},
      {"cut", generated(0, 100).skip(13).shard(2, 1).take(30), Resume::exact_state},
  };
}

TEST(Pipeline, GoesOnFromAnyPlaceWithOtherThreads) {
  for (const Case& one : cases()) {
    const Ids all = all_of(one.dataset);
    Reading reading(one.dataset, storages, {.cpus = 2});
    EXPECT_EQ(reading.resume(), one.resume) << one.name;
    Ids before;
    for (bool more = true; more;) {
      const std::string state = reading.state();
      if (one.resume == Resume::exact) {
        EXPECT_LT(state.size(), 100u) << one.name;
      }
      Reading again(one.dataset, storages, {.cpus = static_cast<unsigned>(1 + before.size() % 4)});
      again.restore(state);
      EXPECT_EQ(again.state(), state) << one.name;
      Ids whole = before;
      const Ids rest = rest_of(again);
      whole.insert(whole.end(), rest.begin(), rest.end());
      ASSERT_EQ(whole, all) << one.name << " from " << before.size();
      const std::optional<Rows> rows = reading.next();
      more = rows.has_value();
      if (rows) before.insert(before.end(), ids_in(*rows).begin(), ids_in(*rows).end());
    }
    EXPECT_EQ(before, all);
  }
}

TEST(Pipeline, GoesOnWithOtherNumbersOfReaders) {
  const Dataset dataset = ids(0, 1000).shuffle({.seed = 9}).repeat(2).batch(64);
  const std::vector<Ids> batches = batches_of(dataset);
  std::string state;
  std::size_t at = 0;
  for (const std::uint64_t readers : {1u, 3u, 8u, 2u}) {
    const std::size_t end = std::min(at + 8, batches.size());
    std::string next;
    for (std::size_t batch = at; batch < end; ++batch) {
      Ids together;
      for (std::uint64_t reader = 0; reader < readers; ++reader) {
        Reading reading(dataset, storages, {.cpus = 1, .share = {reader, readers}});
        if (!state.empty()) reading.restore(state);
        for (std::size_t skipped = at; skipped < batch; ++skipped) reading.next();
        const Rows rows = reading.next().value();
        together.insert(together.end(), ids_in(rows).begin(), ids_in(rows).end());
        next = reading.state();
      }
      EXPECT_EQ(together, batches[batch]) << readers << " readers, batch " << batch;
    }
    state = next;
    at = end;
  }
  EXPECT_EQ(at, batches.size());
}

TEST(Pipeline, OfStreamsGoesOnWithOtherNumbersOfReadersToo) {
  const Dataset dataset = generated(0, 1000).shuffle({.kind = Shuffle::Kind::buffer, .buffer = 50}).batch(64);
  const std::vector<Ids> batches = batches_of(dataset);
  std::string state;
  for (std::size_t step = 0; step < batches.size(); ++step) {
    const std::uint64_t readers = step % 3 + 1;
    Ids together;
    std::string behind;
    for (std::uint64_t reader = 0; reader < readers; ++reader) {
      Reading reading(dataset, storages, {.share = {reader, readers}});
      if (!state.empty()) reading.restore(state);
      const Rows rows = reading.next().value();
      together.insert(together.end(), ids_in(rows).begin(), ids_in(rows).end());
      if (reader > 0) {
        EXPECT_EQ(reading.state(), behind);
      }
      behind = reading.state();
    }
    EXPECT_EQ(together, batches[step]);
    state = behind;
  }
}

TEST(Pipeline, OfStreamsGivesSharesOfEachBatchToo) {
  const Dataset dataset = generated(0, 100).batch(16);
  const std::vector<Ids> batches = batches_of(dataset);
  std::vector<std::vector<Ids>> shares;
  for (std::uint64_t reader = 0; reader < 3; ++reader) shares.push_back(batches_of(dataset, {reader, 3}));
  for (std::size_t batch = 0; batch < batches.size(); ++batch) {
    Ids together;
    for (const auto& share : shares) together.insert(together.end(), share[batch].begin(), share[batch].end());
    EXPECT_EQ(together, batches[batch]);
  }
}

// Whatever stands under a good checksum is gone on from or refused.
TEST(State, OfAnyBytesIsTakenOrRefused) {
  const Random random(1, "damage");
  std::uint64_t taken = 0, refused = 0;
  for (const Case& one : cases()) {
    Reading reading(one.dataset, storages, {.cpus = 2});
    reading.next();
    const std::string state = reading.state();
    const SealedState sealed = unseal_state(state);
    EXPECT_FALSE(sealed.is_legacy);
    const std::string body(sealed.state);
    for (std::uint64_t i = 0; i < 60; ++i) {
      std::string damaged = body;
      for (std::uint64_t flips = 0; flips <= i % 3; ++flips) {
        const std::uint64_t drawn = random.bits(i, flips);
        damaged[drawn % damaged.size()] = static_cast<char>(drawn >> 32);
      }
      if (i % 5 == 0) damaged.resize(random.bits(i, 9) % damaged.size());
      try {
        Reading again(one.dataset, storages, {.cpus = 2});
        again.restore(seal_state(sealed.fingerprint, damaged));
        while (again.next()) continue;
        ++taken;
      } catch (const Error&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(taken, 100u);
  EXPECT_GT(refused, 100u);
}

TEST(State, MakesItsTextsWhereItsBytesAreAskedFor) {
  int made = 0;
  StateWriter state, before;
  before.number(7);
  before.text_later([&] {
    ++made;
    return std::string("held");
  });
  state.number(300);
  state.append(before);
  state.number(1);
  EXPECT_EQ(made, 0);
  const std::string bytes = state.bytes();
  EXPECT_EQ(made, 1);
  StateReader reader(bytes);
  EXPECT_EQ(reader.number(), 300u);
  EXPECT_EQ(reader.number(), 7u);
  EXPECT_EQ(reader.text(), "held");
  EXPECT_EQ(reader.number(), 1u);
  EXPECT_TRUE(reader.at_end());
}

// As docs/formats/pipeline_state.md shows it.
TEST(State, IsWrittenAsDocumented) {
  StateWriter state;
  state.number(0);
  state.number(5);
  EXPECT_EQ(seal_state(0x609d42118a5e07c3, state.bytes()),
            std::string("\x02\xc3\x07\x5e\x8a\x11\x42\x9d\x60\x00\x05\xde\xd0\xad\xcd", 15));
}

TEST(State, IsRefusedWhereFilesWereWrittenAnewThoughAllLiesWhereItDid) {
  const WrittenFiles files;
  const std::vector<Feature> id{{"id", Dtype::int64}};
  const Bytes packed = compressed(file_with("id\n1\n2\n"), Compression::gzip);
  const Bytes array = npy_of(dictionary("<i8", "(2,)"), data::numbers(Ids{1, 2}));
  const std::vector<std::pair<std::string, Dataset>> sources = {
      {files.write("x.csv", "id\n1\n2\n"), Dataset::csv({files.path("x.csv")}, id)},
      {files.write("x.csv.gz", packed), Dataset::csv({files.path("x.csv.gz")}, id)},
      {files.write("x.jsonl", "{\"id\": 1}\n"), Dataset::json_lines({files.path("x.jsonl")}, id)},
      {files.write("x.npy", array), Dataset::arrays({files.path("x.npy")}, "id")}};
  for (const auto& [path, dataset] : sources) {
    const std::string state = Reading(dataset, storages, {}).state();
    Reading(dataset, storages, {}).restore(state);
    std::filesystem::last_write_time(path, std::filesystem::last_write_time(path) + std::chrono::seconds(1));
    EXPECT_THROW(Reading(dataset, storages, {}).restore(state), Error) << path;
  }
}

}  // namespace
}  // namespace carrack::data
