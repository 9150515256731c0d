#include "trainer/loop/data/column_moments.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/trainer/kernels/naive.h"

namespace carrack::train {
namespace {

// In two passes and in long double, as numpy's mean() and std() compute them in double.
checkpoint::ColumnStatistics naive_of(std::span<const float> values, std::size_t column, std::size_t columns) {
  long double sum = 0, squares = 0;
  const auto rows = static_cast<long double>(values.size() / columns);
  for (std::size_t i = column; i < values.size(); i += columns) sum += values[i];
  for (std::size_t i = column; i < values.size(); i += columns) {
    squares += (values[i] - sum / rows) * (values[i] - sum / rows);
  }
  return {static_cast<float>(sum / rows), static_cast<float>(std::sqrt(squares / rows))};
}

void expect_near_naive(std::span<const float> values, std::size_t columns) {
  ColumnMoments moments(columns);
  moments.add(values);
  const auto found = moments.result();
  ASSERT_EQ(found.size(), columns);
  for (std::size_t i = 0; i < columns; ++i) {
    const auto expected = naive_of(values, i, columns);
    EXPECT_NEAR(found[i].mean, expected.mean, 2e-7 * std::fabs(expected.mean)) << i;
    EXPECT_NEAR(found[i].deviation, expected.deviation, 2e-7 * expected.deviation) << i;
  }
}

TEST(ColumnMoments, AreThoseOfTwoPasses) {
  std::vector<float> values = naive::numbers(3 * 10'000, 1);
  for (std::size_t i = 1; i < values.size(); i += 3) values[i] = values[i] / 1e9f - 7;  // all but equal
  for (std::size_t i = 2; i < values.size(); i += 3) values[i] = 1e9f + 64 * std::floor(values[i] / 64);
  values[2] = -1e12f;  // an outlier at the beginning
  expect_near_naive(values, 3);
  expect_near_naive(values, 1);
  expect_near_naive(naive::numbers(8, 2), 4);
}

TEST(ColumnMoments, DoNotOverflow) {
  const std::vector<float> values{3e38f, -3e38f, 3e38f, 3e38f};
  expect_near_naive(values, 1);
}

TEST(ColumnMoments, HaveTheSameBitsHoweverTheRowsAreCut) {
  const std::vector<float> values = naive::numbers(2 * 1000, 3);
  ColumnMoments whole(2), cut(2);
  whole.add(values);
  for (std::size_t begin = 0; begin < values.size();) {
    const std::size_t count = std::min<std::size_t>(values.size() - begin, 2 * (1 + begin % 7));
    cut.add(std::span(values).subspan(begin, count));
    begin += count;
  }
  EXPECT_EQ(cut.result(), whole.result());
}

// So that what is standardized is 0 there: x - mean is exactly 0.
TEST(ColumnMoments, OfAColumnThatNeverChangesAreItsValueAndOne) {
  ColumnMoments moments(3);
  for (int i = 0; i < 1000; ++i) moments.add(std::vector<float>{0.1f, -1e30f, 0});
  const std::vector<checkpoint::ColumnStatistics> expected{{0.1f, 1}, {-1e30f, 1}, {0, 1}};
  EXPECT_EQ(moments.result(), expected);
  ColumnMoments tiny(1);
  tiny.add(std::vector<float>{1e-45f, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  EXPECT_EQ(tiny.result()[0].deviation, 1) << "float32 has no number as small";
}

}  // namespace
}  // namespace carrack::train
