// How much of what others give is held, and what is said where it does not fit.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "dataloader/error.h"
#include "dataloader/pipeline/held_runs.h"
#include "tests/dataloader/pipeline/lossy_rows.h"

namespace carrack::data {
namespace {

// Others give the rest: of each batch all but a share, or whole batches, further apart than what is held.
TEST(HeldRuns, LetGoOfWhatSomebodyElseReads) {
  for (const std::uint64_t stride : {300u, 1000u, 3000u}) {
    const auto source = std::make_shared<Numbered>(40'000);
    const SequencePtr rows = in_blocks(source, BlockOrder(40'000, {100, 8}, draws));
    std::int64_t most = 0;
    for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
      for (std::uint64_t begin = 0; begin < 36'000; begin += stride) {
        rows->read(places(epoch, begin, begin + 100));
        most = std::max<std::int64_t>(most, *source->held);
      }
    }
    EXPECT_LT(most, 2 * (800 + 100) + 100 + 800) << stride << ": and the runs of one call";
    EXPECT_LT(source->rows_read, 3u * 40'000) << stride << ": each run once, or not at all";
  }
}

TEST(HeldRuns, OfManyEpochsOfWhichOnlyAShareIsReadAreNotAllHeld) {
  const auto source = std::make_shared<Numbered>(2000);
  const SequencePtr rows = in_blocks(source, BlockOrder(2000, {100, 8}, draws));
  std::int64_t most = 0;
  for (std::uint64_t epoch = 0; epoch < 40; ++epoch) {
    for (std::uint64_t begin = 0; begin < 2000; begin += 800) rows->read(places(epoch, begin, begin + 100));
    most = std::max<std::int64_t>(most, *source->held);
  }
  EXPECT_LT(most, 3000);
}

std::string refusal_of(const Sequence& rows, std::uint64_t count) {
  try {
    rows.read(places(0, 0, count));
  } catch (const Refused& error) {
    return error.what();
  }
  return "none";
}

TEST(HeldRuns, OfAWindowThatDoesNotFitTwiceAreNotRead) {
  const auto source = std::make_shared<Numbered>(1000);
  const auto refusal = [&](Blocks blocks, Holding holding) {
    return refusal_of(*in_blocks(source, BlockOrder(1000, blocks, draws), std::move(holding)), 10);
  };
  const std::string advice =
      " bytes of this process's memory; ask for a smaller window or block, or give it more memory";
  EXPECT_EQ(refusal({100, 2}, {.bytes = 20'000, .place = "stages[1]: "}),
            "stages[1]: shuffle: holds 198 rows of about 68 bytes, and may take 10000" + advice);
  EXPECT_EQ(refusal({10, 1}, {.lanes = 4, .bytes = 4000}),
            "shuffle: holds 40 rows of about 68 bytes, and may take 2000" + advice);
  EXPECT_EQ(refusal({10, 1}, {.lanes = 65'536, .bytes = 10'000}),
            "shuffle: holds 1000 rows of about 68 bytes, and may take 5000" + advice);
  EXPECT_EQ(source->calls, 0u);
  EXPECT_EQ(refusal({10, 1}, {.lanes = 4, .bytes = 200'000}), "none");
}

// As where they are decoded before they are shuffled.
TEST(HeldRuns, OfRowsThatAreLargerThanWasToldAreRefusedWhereTheyDoNotFit) {
  const auto source = std::make_shared<Numbered>(1000);
  const SequencePtr rows = in_blocks(source, BlockOrder(1000, {100, 2}, draws), {.bytes = 30'000});
  const std::string refusal = refusal_of(*rows, 100);
  EXPECT_TRUE(refusal.starts_with("shuffle: the rows it holds take ")) << refusal;
  EXPECT_TRUE(
      refusal.ends_with(" bytes, and may take 30000 bytes of this process's memory; ask for a smaller window "
                        "or block, or give it more memory"))
      << refusal;
  EXPECT_EQ(*source->held, 0);
}

TEST(HeldRuns, OfWhichOthersGiveMostTakeNoMoreThanTheyMay) {
  const auto source = std::make_shared<Numbered>(40'000);
  const SequencePtr free = in_blocks(source, BlockOrder(40'000, {100, 8}, draws));
  const SequencePtr bounded = in_blocks(source, BlockOrder(40'000, {100, 8}, draws), {.bytes = 350'000});
  const auto most_held = [&](const Sequence& rows) {
    std::int64_t most = 0;
    for (std::uint64_t begin = 0; begin < 36'000; begin += 300) {
      rows.read(places(0, begin, begin + 20));
      most = std::max<std::int64_t>(most, *source->held);
    }
    return most;
  };
  const std::int64_t most = most_held(*bounded);
  constexpr std::int64_t row =
      sizeof(Rows) + sizeof(NamedColumn) + sizeof(Place) + sizeof(Origin) + sizeof(std::string_view);
  EXPECT_LE(most, 350'000 / row + 100) << "and those of the run that was just read";
  EXPECT_GT(most_held(*free), most + 200);
}

}  // namespace
}  // namespace carrack::data
