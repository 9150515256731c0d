#include "dataloader/storage/remote/ranges.h"

#include <gtest/gtest.h>

#include <random>

namespace carrack::data {
namespace {

struct Asked {
  std::uint64_t offset;
  std::uint64_t size;
  bool operator==(const Asked&) const = default;
};

class Ranges : public testing::Test {
 protected:
  // Slices of memory that is never touched.
  std::vector<ObjectRange> ranges_of(const std::vector<Asked>& asked) {
    std::vector<Slice> slices;
    for (const auto& [offset, size] : asked) slices.push_back({offset, {memory.data(), size}});
    return ranges_for(slices);
  }
  std::vector<Asked> asked_for(const std::vector<Asked>& asked) {
    std::vector<Asked> found;
    for (const ObjectRange& range : ranges_of(asked)) found.push_back({range.offset, range.size});
    return found;
  }

  std::vector<std::byte> memory = std::vector<std::byte>(5 * range_bytes_max);
};

TEST_F(Ranges, OfNothingAreNone) {
  EXPECT_TRUE(ranges_of({}).empty());
  EXPECT_TRUE(ranges_of({{5, 0}, {7, 0}}).empty());
}

TEST_F(Ranges, OfALongSliceAreSeveral) {
  EXPECT_EQ(asked_for({{10, 2 * range_bytes_max + 1}}),
            (std::vector<Asked>{
                {10, range_bytes_max}, {10 + range_bytes_max, range_bytes_max}, {10 + 2 * range_bytes_max, 1}}));
  EXPECT_EQ(asked_for({{0, range_bytes_max}}), (std::vector<Asked>{{0, range_bytes_max}}));
}

TEST_F(Ranges, OfNearSlicesAreOneInWhateverOrderTheyAre) {
  EXPECT_EQ(asked_for({{1000, 10}, {0, 10}, {500, 10}}), (std::vector<Asked>{{0, 1010}}));
  EXPECT_EQ(asked_for({{0, 10}, {10 + gap_bytes_max, 10}}), (std::vector<Asked>{{0, 20 + gap_bytes_max}}));
  EXPECT_EQ(asked_for({{0, 10}, {11 + gap_bytes_max, 10}}), (std::vector<Asked>{{0, 10}, {11 + gap_bytes_max, 10}}));
}

TEST_F(Ranges, GrowNoLongerByWhatIsNear) {
  EXPECT_EQ(asked_for({{0, range_bytes_max - 10}, {range_bytes_max - 10, 20}}),
            (std::vector<Asked>{{0, range_bytes_max - 10}, {range_bytes_max - 10, 20}}));
}

TEST_F(Ranges, FillSlicesThatLieWithinEachOther) {
  const auto ranges = ranges_of({{0, 100}, {20, 10}, {20, 10}});
  ASSERT_EQ(ranges.size(), 1u);
  EXPECT_EQ(ranges[0].size, 100u);
  EXPECT_EQ(ranges[0].into.size(), 3u);
}

TEST_F(Ranges, InTurnAreThoseOfAllOfAnObject) {
  EXPECT_TRUE(are_in_turn(ranges_of({{0, 3 * range_bytes_max}})));
  EXPECT_TRUE(are_in_turn(ranges_of({{5, 10}, {0, 5}})));
  EXPECT_FALSE(are_in_turn(ranges_of({{1, 10}})));
  EXPECT_FALSE(are_in_turn(ranges_of({{0, 10}, {range_bytes_max, 10}})));
}

// Each byte of each slice is in a range, and no range is longer than it may be or asks for what nobody is near.
TEST_F(Ranges, HoldEachSliceOnce) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<Asked> asked;
    std::uint64_t wanted = 0;
    for (int i = 0; i < 20; ++i) {
      asked.push_back({random() % (50 * range_bytes_max), random() % (i % 4 == 0 ? 3 * range_bytes_max : 1000)});
      wanted += asked.back().size;
    }
    std::uint64_t held = 0;
    std::uint64_t before = 0;
    for (const ObjectRange& range : ranges_of(asked)) {
      EXPECT_LE(range.size, range_bytes_max);
      EXPECT_GE(range.offset, before);
      before = range.offset;
      std::uint64_t covered = range.offset;
      for (const Slice& slice : range.into) {
        held += slice.into.size();
        EXPECT_LE(slice.offset, covered + gap_bytes_max);
        covered = std::max(covered, slice.offset + slice.into.size());
      }
      EXPECT_EQ(covered, range.offset + range.size);
      EXPECT_EQ(range.into.front().offset, range.offset);
    }
    EXPECT_EQ(held, wanted);
  }
}

}  // namespace
}  // namespace carrack::data
