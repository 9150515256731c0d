#include "trainer/kernels/dropout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <span>
#include <vector>

namespace carrack::train {
namespace {

std::vector<float> dropped(std::int64_t rows, std::int64_t width, float rate, std::uint64_t first_row = 0,
                           const RowRandomNumbers& numbers = {7, Purpose::dropout, 3, 99}) {
  const std::vector<float> ones(static_cast<std::size_t>(rows * width), 1);
  std::vector<float> y(ones.size(), NAN);
  cpu::dropout({rows, width}, numbers, first_row, rate, ones.data(), y.data());
  return y;
}

TEST(Dropout, DropsItsShareAndScalesTheRest) {
  for (const float rate : {0.0f, 0.1f, 0.5f, 0.999f}) {
    const std::vector<float> y = dropped(100, 1003, rate);
    const auto zeros = static_cast<double>(std::ranges::count(y, 0.0f));
    const auto count = static_cast<double>(y.size());
    EXPECT_NEAR(zeros / count, rate, 4 * std::sqrt(rate * (1 - rate) / count));
    EXPECT_EQ(std::ranges::count(y, 1 / (1 - rate)), std::ssize(y) - static_cast<std::int64_t>(zeros));
  }
}

// Neither a part of the batch nor another width of other rows' parts changes what is dropped of a row.
TEST(Dropout, IsTheSameHoweverTheBatchIsCut) {
  constexpr std::int64_t rows = 12, width = 37;
  const std::vector<float> whole = dropped(rows, width, 0.3f);
  for (std::int64_t begin = 0; begin < rows; ++begin) {
    const std::vector<float> part = dropped(rows - begin, width, 0.3f, static_cast<std::uint64_t>(begin));
    EXPECT_TRUE(std::ranges::equal(part, std::span(whole).subspan(static_cast<std::size_t>(begin * width))));
  }
}

TEST(Dropout, DropsOthersInEachRowStepAndLayer) {
  const std::set<std::vector<float>> all{dropped(1, 64, 0.5f),
                                         dropped(1, 64, 0.5f, 1),
                                         dropped(1, 64, 0.5f, 1ull << 32),
                                         dropped(1, 64, 0.5f, 0, {8, Purpose::dropout, 3, 99}),
                                         dropped(1, 64, 0.5f, 0, {7, Purpose::initial_value, 3, 99}),
                                         dropped(1, 64, 0.5f, 0, {7, Purpose::dropout, 4, 99}),
                                         dropped(1, 64, 0.5f, 0, {7, Purpose::dropout, 3 + (1ull << 32), 99}),
                                         dropped(1, 64, 0.5f, 0, {7, Purpose::dropout, 3, 98})};
  EXPECT_EQ(all.size(), 8u);
}

// A job that goes on with another release must draw what it drew before.
TEST(RowRandomNumbers, AreThoseOfTheFirstRelease) {
  const RowRandomNumbers numbers(5 + (6ull << 32), Purpose::dropout, 3 + (4ull << 32), 99);
  const auto stream = philox({3, 4, 99, 2}, {5, 6});
  const std::array<std::uint32_t, 32> drawn = numbers.block(8 + (9ull << 32), (10 + (11ull << 32)) / 8);
  for (std::uint32_t quad = 0; quad < 8; ++quad) {
    const auto expected = philox({8 + quad, 11 ^ stream[2], 8, 9 ^ stream[3]}, {stream[0], stream[1]});
    EXPECT_TRUE(std::ranges::equal(std::span(drawn).subspan(4 * quad, 4), expected)) << quad;
  }
}

}  // namespace
}  // namespace carrack::train
