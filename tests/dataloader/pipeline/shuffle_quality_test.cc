// What docs/design/shuffling.md says of orders, of 256,000 rows with one of ten labels, in 1,000 batches.
#include "tests/dataloader/pipeline/shuffle_quality.h"

#include <gtest/gtest.h>

namespace carrack::data {
namespace {

constexpr std::uint64_t rows = 256'000, batch = 256;
const Random random_draws(7, "quality");

LabelMix mix_of_sorted(const RowOrder& order) {
  return label_mix(order, rows / 10, 10, batch);
}

// Rows of 1 KiB to 112 KiB.
std::vector<Blocks> all_default_blocks() {
  return {default_blocks(1 << 10), default_blocks(10 << 10), default_blocks(112 << 10)};
}

// For a table of where from and where to, a sixteenth by a sixteenth: how many standard deviations its chi-square lies
// from what chance has, which has 15 * 15 degrees of freedom.
double deviations(const RowOrder& order) {
  constexpr std::uint64_t parts = 16;
  const double expected = static_cast<double>(order.size()) / (parts * parts);
  std::vector<double> counts(parts * parts);
  for (std::size_t place = 0; place < order.size(); ++place)
    ++counts[place * parts / order.size() * parts + order[place] * parts / order.size()];
  double square = 0;
  for (const double count : counts) square += (count - expected) * (count - expected) / expected;
  constexpr double freedom = (parts - 1) * (parts - 1);
  return (square - freedom) / std::sqrt(2 * freedom);
}

// Of 30,000 orders that chance makes one lies beyond 4.5, and of as many sums of 64 one beyond 4.
TEST(ShuffleQuality, OfAFullShuffleIsNotToldFromChance) {
  double sum = 0;
  for (std::uint64_t seed = 0; seed < 64; ++seed) {
    const double off = deviations(order_of(shuffled(64'000, Random(seed, "quality"))));
    EXPECT_LT(std::abs(off), 4.5) << "seed " << seed;
    sum += off;
  }
  EXPECT_LT(std::abs(sum) / 8, 4);
  EXPECT_GT(deviations(buffer_order(64'000, 10'000, random_draws)), 1000) << "what it would find";
}

TEST(ShuffleQuality, OfAFullShuffleMixesBatchesAndPartsNeighboursAsChanceDoes) {
  const RowOrder full = order_of(shuffled(rows, random_draws));
  EXPECT_NEAR(mix_of_sorted(full).chi_square, 9, 4 * std::sqrt(2 * 9 / 1000.0));
  EXPECT_NEAR(parted(full, batch).mean, rows / 3.0, rows / 300.0);
  EXPECT_NEAR(parted(full, batch).same_batch, 0.001, 0.0003);
}

TEST(ShuffleQuality, OfBlocksByDefaultMixesSortedRowsBetterThanABufferOfTheSameMemory) {
  for (const Blocks& blocks : all_default_blocks()) {
    const RowOrder block = order_of(block_shuffled(rows, blocks, random_draws));
    const RowOrder buffer = buffer_order(rows, blocks.block * blocks.window, random_draws);
    EXPECT_LT(mix_of_sorted(block).off, mix_of_sorted(buffer).off) << blocks.block;
    EXPECT_LT(mix_of_sorted(block).chi_square, mix_of_sorted(buffer).chi_square) << blocks.block;
    EXPECT_GT(parted(block, batch).lay_median, parted(buffer, batch).lay_median) << blocks.block;
  }
}

TEST(ShuffleQuality, OfBlocksIsTheSameHoweverLabelsLieAndThatOfABufferBetterWhereItHoldsAllOfThem) {
  const RowOrder block = order_of(block_shuffled(rows, default_blocks(10 << 10), random_draws));
  const RowOrder buffer = buffer_order(rows, 6544, random_draws);
  for (const std::uint64_t run : {400u, 1600u, 6400u}) {
    EXPECT_LT(label_mix(block, run, 10, batch).off, 0.23) << run;
    EXPECT_EQ(label_mix(block, run, 10, batch).off<label_mix(buffer, run, 10, batch).off, run> 400) << run;
  }
}

TEST(ShuffleQuality, OfBlocksPartsNeighboursAsFarAsABufferOfTheSameMemory) {
  for (const Blocks& blocks : all_default_blocks()) {
    const Parted buffer = parted(buffer_order(rows, blocks.block * blocks.window, random_draws), batch);
    const Parted block = parted(order_of(block_shuffled(rows, blocks, random_draws)), batch);
    EXPECT_GT(block.mean, buffer.mean * 0.99) << blocks.block;
    EXPECT_LT(block.same_batch, buffer.same_batch * 1.05) << blocks.block;
  }
}

}  // namespace
}  // namespace carrack::data
