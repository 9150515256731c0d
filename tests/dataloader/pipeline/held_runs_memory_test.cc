// How much of what others give is held, and what is said where it does not fit.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "dataloader/error.h"
#include "dataloader/pipeline/sequences/held_runs.h"
#include "tests/dataloader/pipeline/lossy_rows.h"

namespace carrack::data {
namespace {

// Others give the rest: of each batch all but a share, or whole batches, further apart than what is held.
TEST(HeldRuns, LetGoOfWhatSomebodyElseReads) {
  for (const std::uint64_t stride : {300u, 1000u, 3000u}) {
    const auto source = std::make_shared<Numbered>(40'000);
    const Sequence rows = block_shuffled_sequence(sequence_of(source), BlockOrder(40'000, {100, 8}, draws));
    std::int64_t most = 0;
    for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
      for (std::uint64_t begin = 0; begin < 36'000; begin += stride) {
        rows.read(places(epoch, begin, begin + 100));
        most = std::max<std::int64_t>(most, *source->held);
      }
    }
    EXPECT_LT(most, 2 * (800 + 100) + 100 + 800) << stride << ": and the runs of one call";
    EXPECT_LT(source->rows_read, 3u * 40'000) << stride << ": each run once, or not at all";
  }
}

TEST(HeldRuns, OfManyEpochsOfWhichOnlyAShareIsReadAreNotAllHeld) {
  const auto source = std::make_shared<Numbered>(2000);
  const Sequence rows = block_shuffled_sequence(sequence_of(source), BlockOrder(2000, {100, 8}, draws));
  std::int64_t most = 0;
  for (std::uint64_t epoch = 0; epoch < 40; ++epoch) {
    for (std::uint64_t begin = 0; begin < 2000; begin += 800) rows.read(places(epoch, begin, begin + 100));
    most = std::max<std::int64_t>(most, *source->held);
  }
  EXPECT_LT(most, 3000);
}

BlockShuffleOptions holding_up_to(std::uint64_t bytes) {
  return {.memory = std::make_shared<ShuffleMemory>(bytes), .error_prefix = "stages[1]: "};
}

std::string refusal(std::uint64_t bytes) {
  return "stages[1]: shuffle: the rows of its window do not fit into " + std::to_string(bytes) +
         " bytes, which it may take of this process's memory; ask for a smaller window or block, or give it more "
         "memory";
}

// Rows are read so many at once, to the end of the epoch.
std::string told(const Sequence& rows, std::uint64_t at_once) {
  try {
    for (std::uint64_t begin = 0; begin < rows.size(); begin += at_once)
      rows.read(places(0, begin, std::min(rows.size(), begin + at_once)));
  } catch (const Refused& error) {
    return error.what();
  }
  return "";
}

TEST(HeldRuns, ThatDoNotFitAreRefused) {
  const auto source = std::make_shared<Numbered>(10'000);
  const BlockOrder order(10'000, {100, 8}, draws);
  EXPECT_EQ(told(block_shuffled_sequence(sequence_of(source), order, holding_up_to(100'000)), 100), refusal(100'000));
  EXPECT_LE(source->rows_read, 800u) << "at once";
  EXPECT_EQ(*source->held, 0);
  EXPECT_EQ(told(block_shuffled_sequence(sequence_of(source), order, holding_up_to(600'000)), 100), "");
  const BlockShuffleOptions shared = holding_up_to(200'000);
  const Sequence one = block_shuffled_sequence(sequence_of(source), order, shared),
                 other = block_shuffled_sequence(sequence_of(source), order, shared);
  EXPECT_EQ(told(one, 100), refusal(100'000)) << "each has its part";
}

TEST(HeldRuns, ThatAreReadAgainAndAgainForWantOfMemoryAreRefused) {
  const auto source = std::make_shared<Numbered>(10'000);
  const BlockOrder order(10'000, {100, 8}, draws);
  EXPECT_EQ(told(block_shuffled_sequence(sequence_of(source), order, holding_up_to(100'000)), 1), refusal(100'000));
  EXPECT_LT(source->rows_read, 10'000u);
}

TEST(HeldRuns, OfWhichOthersGiveMostTakeNoMoreThanTheyMay) {
  const auto source = std::make_shared<Numbered>(40'000);
  const Sequence free = block_shuffled_sequence(sequence_of(source), BlockOrder(40'000, {100, 8}, draws));
  const Sequence bounded =
      block_shuffled_sequence(sequence_of(source), BlockOrder(40'000, {100, 8}, draws), holding_up_to(350'000));
  const auto most_held = [&](const Sequence& rows) {
    std::int64_t most = 0;
    for (std::uint64_t begin = 0; begin < 36'000; begin += 300) {
      rows.read(places(0, begin, begin + 20));
      most = std::max<std::int64_t>(most, *source->held);
    }
    return most;
  };
  const std::int64_t most = most_held(bounded);
  constexpr std::int64_t row =
      sizeof(Rows) + sizeof(NamedColumn) + sizeof(Place) + sizeof(Origin) + sizeof(std::string_view);
  EXPECT_LE(most, 350'000 / row + 100) << "and those of the run that was just read";
  EXPECT_GT(most_held(free), most + 200);
}

}  // namespace
}  // namespace carrack::data
