#include "dataloader/pipeline/sequences/held_runs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <mutex>
#include <string>
#include <thread>

#include "dataloader/error.h"
#include "tests/dataloader/pipeline/lossy_rows.h"

namespace carrack::data {
namespace {

std::vector<std::string> texts_of(const Sequence& sequence, std::uint64_t at_once, std::uint64_t epochs = 2) {
  std::vector<std::string> texts;
  for (std::uint64_t epoch = 0; epoch < epochs; ++epoch)
    for (std::uint64_t begin = 0; begin < sequence.size(); begin += at_once)
      append_to(texts, sequence.read(places(epoch, begin, std::min(sequence.size(), begin + at_once))));
  return texts;
}

TEST(HeldRuns, GiveWhatTheOrderSaysAndTellOfWhatIsLost) {
  for (const std::uint64_t size : {1u, 95u, 1000u, 4099u}) {
    for (const Blocks blocks : {Blocks{1, 1}, Blocks{16, 4}, Blocks{200, 3}, Blocks{5000, 3}}) {
      const Sequence rows = sequence_of(std::make_shared<Numbered>(size));
      const std::vector<std::string> expected = texts_of(reordered(rows, block_shuffled(size, blocks, draws)), 32);
      EXPECT_EQ(texts_of(block_shuffled_sequence(rows, BlockOrder(size, blocks, draws)), 32), expected) << size;
    }
  }
}

TEST(HeldRuns, AreReadOnceAndNoMoreThanAWindowIsHeld) {
  const auto source = std::make_shared<Numbered>(40'000);
  const Sequence rows = block_shuffled_sequence(sequence_of(source), BlockOrder(40'000, {500, 8}, draws));
  std::int64_t most = 0;
  for (std::uint64_t begin = 0; begin < 40'000; begin += 100) {
    rows.read(places(0, begin, begin + 100));
    most = std::max<std::int64_t>(most, *source->held);
  }
  EXPECT_EQ(source->rows_read, 40'000u);
  EXPECT_EQ(source->calls, 80u);
  EXPECT_LT(most, 4900) << "a window, the run that was just read, and of each run a piece";
  EXPECT_EQ(*source->held, 0);
}

// None is further ahead of another than by as many batches as there are threads, as where batches are read ahead. With
// many threads, too, the runs that are read ahead must have room once no call is in progress. All of them are within
// half a window.
TEST(HeldRuns, AreReadOnceByManyThreads) {
  const BlockOrder order(24'000, {500, 8}, draws);
  std::vector<std::string> expected =
      texts_of(block_shuffled_sequence(sequence_of(std::make_shared<Numbered>(24'000)), order), 100, 1);
  std::ranges::sort(expected);
  for (const std::uint64_t count : {6u, 12u, 16u}) {
    const auto source = std::make_shared<Numbered>(24'000);
    const Sequence rows = block_shuffled_sequence(sequence_of(source), order);
    std::mutex mutex;
    std::vector<std::string> texts;
    std::barrier turn(static_cast<std::ptrdiff_t>(count));
    {
      std::vector<std::jthread> threads;
      for (std::uint64_t thread = 0; thread < count; ++thread) {
        threads.emplace_back([&, thread] {
          for (std::uint64_t begin = thread * 100; begin < 24'000; begin += count * 100) {
            const Rows batch = rows.read(places(0, begin, begin + 100));
            {
              const std::lock_guard lock(mutex);
              append_to(texts, batch);
            }
            turn.arrive_and_wait();
          }
        });
      }
    }
    EXPECT_EQ(source->rows_read, 24'000u) << count;
    std::ranges::sort(texts);
    EXPECT_EQ(texts, expected) << count;
  }
}

TEST(HeldRuns, OfSeveralWhoReadApartAreReadOnceButForWhatIsHeldWhereOneBegins) {
  const auto source = std::make_shared<Numbered>(80'000);
  const Sequence rows = block_shuffled_sequence(sequence_of(source), BlockOrder(80'000, {100, 8}, draws), {.lanes = 4});
  for (std::uint64_t begin = 0; begin < 20'000; begin += 50)
    for (std::uint64_t lane = 0; lane < 4; ++lane)
      rows.read(places(0, lane * 20'000 + begin, lane * 20'000 + begin + 50));
  EXPECT_LT(source->rows_read, 80'000u + 3 * 800 * 10);
}

// As where lanes go through a sequence that is repeated: one is in the first epoch, another in the second.
TEST(HeldRuns, OfSeveralEpochsInOneCallAreReadOnce) {
  const auto source = std::make_shared<Numbered>(10'000);
  const Sequence rows = block_shuffled_sequence(sequence_of(source), BlockOrder(10'000, {100, 2}, draws), {.lanes = 4});
  for (std::uint64_t begin = 0; begin < 10'000; begin += 50) {
    std::vector<Place> all;
    for (std::uint64_t epoch = 0; epoch < 4; ++epoch)
      for (const Place& place : places(epoch, begin, begin + 50)) all.push_back(place);
    rows.read(all);
  }
  EXPECT_EQ(source->rows_read, 40'000u);
}

TEST(HeldRuns, OfLanesThatAreShortAreReadOnceButForWhatIsHeldWhereOneBegins) {
  for (const std::uint64_t lane : {900u, 1300u, 1700u, 2100u}) {
    const std::uint64_t size = 4 * lane;
    const auto source = std::make_shared<Numbered>(size);
    const Sequence rows = block_shuffled_sequence(sequence_of(source), BlockOrder(size, {100, 8}, draws), {.lanes = 4});
    for (std::uint64_t begin = 0; begin < lane; begin += 50) {
      std::vector<Place> all;
      for (std::uint64_t i = 0; i < 4; ++i)
        for (const Place& place : places(0, i * lane + begin, i * lane + std::min(lane, begin + 50)))
          all.push_back(place);
      rows.read(all);
    }
    EXPECT_LT(source->rows_read, 3 * size) << lane;
  }
}

// Calls that are in progress at once, a hundred times as far apart as what is held: the last one begins first.
TEST(HeldRuns, AreReadOnceForCallsThatAreFarApart) {
  const auto source = std::make_shared<Numbered>(8000);
  const Sequence rows = block_shuffled_sequence(sequence_of(source), BlockOrder(8000, {10, 2}, draws));
  std::barrier turn(4);
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t first = 0; first < 2000; first += 500) {
      threads.emplace_back([&, first] {
        for (std::uint64_t begin = first; begin < 8000; begin += 2000) {
          rows.read(places(0, begin, begin + 500));
          turn.arrive_and_wait();
        }
      });
    }
  }
  EXPECT_LT(source->rows_read, 8000u + 16 * 2 * 40 * 10) << "what is held where a call begins may be read twice";
}

TEST(HeldRuns, AreReadAgainForWhoGoesBack) {
  const auto source = std::make_shared<Numbered>(10'000);
  const Sequence rows = block_shuffled_sequence(sequence_of(source), BlockOrder(10'000, {100, 8}, draws));
  std::vector<std::string> once, again;
  for (std::uint64_t begin = 0; begin < 9'000; begin += 100) append_to(once, rows.read(places(1, begin, begin + 100)));
  for (std::uint64_t begin = 0; begin < 9'000; begin += 100) append_to(again, rows.read(places(1, begin, begin + 100)));
  EXPECT_EQ(once, again);
  EXPECT_LT(source->rows_read, 21'000u);
}

TEST(HeldRuns, ThatCannotBeReadAreTriedAgain) {
  const auto source = std::make_shared<Numbered>(1000);
  const Sequence rows = block_shuffled_sequence(sequence_of(source), BlockOrder(1000, {100, 2}, draws));
  source->fails = true;
  for (int i = 0; i < 2; ++i) {
    try {
      rows.read(places(0, 0, 10));
      ADD_FAILURE();
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), "the bucket is gone");
    }
  }
  source->fails = false;
  EXPECT_EQ(rows.read(places(0, 0, 10)).count + rows.read(places(0, 0, 10)).lost.size(), 10u);
}

TEST(HeldRuns, ThatCannotBeReadAreToldOfToAllWhoWait) {
  const auto source = std::make_shared<Numbered>(100);
  const Sequence rows = block_shuffled_sequence(sequence_of(source), BlockOrder(100, {100, 1}, draws));
  std::atomic<int> told = 0;
  source->fails = source->is_held_up = true;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        try {
          rows.read(places(0, 0, 10));
        } catch (const Error& error) {
          told += error.what() == std::string("the bucket is gone") ? 1 : 0;
        }
      });
    }
    while (source->begun == 0) std::this_thread::yield();
    source->is_held_up = false;
    source->is_held_up.notify_all();
  }
  EXPECT_EQ(told, 4);
  source->fails = false;
  EXPECT_EQ(rows.read(places(0, 0, 100)).count, 99u);
}

// The first places of rows of a run.
std::vector<std::uint64_t> places_of_run(const BlockOrder& order, std::uint64_t run, std::size_t count) {
  BlockOrder::Epoch epoch(order, 0);
  std::vector<std::uint64_t> all;
  for (std::uint64_t place = 0; all.size() < count; ++place)
    if (epoch.read_index_at(place) / order.block() == run) all.push_back(place);
  return all;
}

// Has four threads read a row each of the first run while reading is held up, until `begun` reads have begun.
void read_first_run_by_four(Numbered& source, const BlockOrder& order, const Sequence& rows, std::uint64_t begun) {
  source.is_held_up = true;
  std::vector<std::jthread> threads;
  for (const std::uint64_t place : places_of_run(order, 0, 4))
    threads.emplace_back([&rows, place] { EXPECT_EQ(rows.read(places(0, place, place + 1)).count, 1u); });
  while (source.begun < begun) std::this_thread::yield();
  source.is_held_up = false;
  source.is_held_up.notify_all();
}

TEST(HeldRuns, AreReadAheadByThreadsThatWaitForAnother) {
  const auto source = std::make_shared<Numbered>(2000);
  const BlockOrder order(2000, {100, 8}, draws);
  const Sequence rows = block_shuffled_sequence(sequence_of(source), order);
  read_first_run_by_four(*source, order, rows, 4);
  const std::uint64_t begun = source->begun;
  for (const std::uint64_t run : {1u, 2u, 3u}) {
    const std::uint64_t place = places_of_run(order, run, 1).front();
    rows.read(places(0, place, place + 1));
  }
  EXPECT_EQ(source->begun, begun);
  EXPECT_EQ(texts_of(rows, 10, 1), texts_of(block_shuffled_sequence(sequence_of(source), order), 10, 1));
}

TEST(HeldRuns, AreNotReadAheadWithoutRoomNorBehindTheEndOfAnEpochOrOfALane) {
  const auto source = std::make_shared<Numbered>(1000);
  const BlockOrder small_window(1000, {100, 1}, draws);
  read_first_run_by_four(*source, small_window, block_shuffled_sequence(sequence_of(source), small_window), 2);
  EXPECT_EQ(source->begun, 2u);

  const auto short_one = std::make_shared<Numbered>(150);
  const BlockOrder two_runs(150, {100, 2}, draws);
  read_first_run_by_four(*short_one, two_runs, block_shuffled_sequence(sequence_of(short_one), two_runs), 2);
  EXPECT_EQ(short_one->begun, 2u);

  const auto limited = std::make_shared<Numbered>(2000);
  const BlockShuffleOptions one_gb{.memory = std::make_shared<ShuffleMemory>(1'000'000'000)};
  const BlockOrder order(2000, {100, 8}, draws);
  read_first_run_by_four(*limited, order, block_shuffled_sequence(sequence_of(limited), order, one_gb), 1);
  EXPECT_EQ(limited->begun, 1u) << "while no run was read it is not known how much memory one takes";

  const auto of_lanes = std::make_shared<Numbered>(2000);
  read_first_run_by_four(*of_lanes, order, block_shuffled_sequence(sequence_of(of_lanes), order, {.lanes = 2}), 1);
  EXPECT_EQ(of_lanes->begun, 1u);
}

TEST(HeldRuns, ThatCannotBeReadAheadFailOnlyTheCallsThatNeedThem) {
  const auto source = std::make_shared<Numbered>(2000);
  const BlockOrder order(2000, {100, 8}, draws);
  const Sequence rows = block_shuffled_sequence(sequence_of(source), order);
  BlockOrder::Epoch epoch(order, 0);
  source->failing = epoch.input_number_of(100);  // of the second run
  read_first_run_by_four(*source, order, rows, 4);
  EXPECT_THROW(texts_of(rows, 10, 1), Error);
  source->failing = endless;
  EXPECT_EQ(texts_of(rows, 10, 1), texts_of(block_shuffled_sequence(sequence_of(source), order), 10, 1));
}

}  // namespace
}  // namespace carrack::data
