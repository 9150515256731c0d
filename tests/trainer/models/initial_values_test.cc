#include "trainer/models/initial_values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "trainer/kernels/random.h"

namespace carrack::train {
namespace {

using enum InitialValues::Kind;

std::vector<float> part_of(const InitialValues& initial, const Shape& shape, Range part, std::uint64_t seed = 7,
                           const std::string& name = "w") {
  std::vector<float> values(static_cast<std::size_t>(part.size()), NAN);
  write_initial_values(initial, {name, shape}, seed, part, values);
  return values;
}

std::vector<float> all_of(const InitialValues& initial, const Shape& shape, std::uint64_t seed = 7,
                          const std::string& name = "w") {
  return part_of(initial, shape, {0, element_count(shape)}, seed, name);
}

// Jobs go on from checkpoints, but a job that starts again must get the values that it got before.
TEST(SecondQuarter, HasItsScaleAndNothingElse) {
  EXPECT_EQ(all_of({forget_gate, 2}, {8}), (std::vector<float>{0, 0, 2, 2, 0, 0, 0, 0}));
  EXPECT_EQ(part_of({forget_gate, 2}, {8}, {1, 3}), (std::vector<float>{0, 2}));
}

TEST(UniformValues, AreThoseOfTheFirstRelease) {
  const std::vector<float> values = all_of({uniform, 0.3f}, {100});
  for (std::uint64_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(values[i], 0.3f * (2 * train::uniform(7, Purpose::initial_value, "w", i) - 1));
  }
}

TEST(ConstantValues, AreAllTheSame) {
  EXPECT_EQ(all_of({constant, 1}, {2, 2}), std::vector<float>(4, 1));
}

TEST(NormalValues, AreWithinTwoDeviationsAndSpreadLikeANormalDistributionThere) {
  std::vector<float> values = all_of({truncated_normal, 3}, {20000});
  const double count = 20000;
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0;
  for (const float value : values) squares += std::pow(value - mean, 2);
  EXPECT_NEAR(mean, 0, 4 * 3 / std::sqrt(count));
  EXPECT_NEAR(std::sqrt(squares / count), 3 * truncated_deviation, 0.05);
  std::ranges::sort(values);
  EXPECT_GE(values.front(), -6.000001f);
  EXPECT_LT(values.front(), -5.97f);
  EXPECT_GT(values.back(), 5.97f);
  EXPECT_LE(values.back(), 6.000001f);
  // As many as there should be below each number.
  const auto below = [](double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; };
  for (double x = -1.9; x < 2; x += 0.2) {
    const auto found = std::ranges::lower_bound(values, static_cast<float>(3 * x)) - values.begin();
    const double expected = (below(x) - below(-2)) / (below(2) - below(-2));
    EXPECT_NEAR(static_cast<double>(found) / count, expected, 4 * std::sqrt(0.25 / count)) << x;
  }
}

// The rows of the matrix, or of its transpose if it has fewer columns.
void expect_orthonormal(const std::vector<float>& values, std::size_t rows, std::size_t columns) {
  const std::size_t count = std::min(rows, columns), width = std::max(rows, columns);
  const auto at = [&](std::size_t i, std::size_t k) -> double {
    return rows <= columns ? values[i * columns + k] : values[k * columns + i];
  };
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double product = 0;
      for (std::size_t k = 0; k < width; ++k) product += at(i, k) * at(j, k);
      ASSERT_NEAR(product, i == j ? 1 : 0, 1e-6) << i << " and " << j;
    }
  }
}

TEST(OrthogonalValues, AreOrthonormalRowsOrColumns) {
  const std::vector<Shape> shapes{{1, 1}, {3, 17}, {17, 3}, {64, 64}, {32, 128}};
  for (const Shape& shape : shapes) {
    expect_orthonormal(all_of({orthogonal}, shape), static_cast<std::size_t>(shape[0]),
                       static_cast<std::size_t>(shape[1]));
  }
}

TEST(OrthogonalValues, PointInEveryDirection) {
  const std::vector<float> values = all_of({orthogonal}, {200, 200});
  const auto positive = std::ranges::count_if(values, [](float value) { return value > 0; });
  EXPECT_NEAR(static_cast<double>(positive), 20000, 4 * 100);
  const auto on_diagonal = [&](std::size_t i) { return values[i * 201] > 0; };
  int positive_there = 0;
  for (std::size_t i = 0; i < 200; ++i) positive_there += on_diagonal(i) ? 1 : 0;
  EXPECT_NEAR(positive_there, 100, 4 * 7.1);
}

class AnyValues : public testing::TestWithParam<InitialValues> {};

TEST_P(AnyValues, AreTheSameInAnyPartAndOthersForAnotherSeedAndName) {
  const Shape shape{12, 30};
  const std::vector<float> whole = all_of(GetParam(), shape);
  const std::vector<float> part = part_of(GetParam(), shape, {100, 251});
  EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + 100));
  EXPECT_NE(all_of(GetParam(), shape, 8), whole);
  EXPECT_NE(all_of(GetParam(), shape, 7, "v"), whole);
}

INSTANTIATE_TEST_SUITE_P(Drawn, AnyValues,
                         testing::Values(InitialValues{uniform, 1}, InitialValues{truncated_normal, 1},
                                         InitialValues{orthogonal}),
                         [](const auto& of) {
                           return of.param.kind == uniform            ? "Uniform"
                                  : of.param.kind == truncated_normal ? "Normal"
                                                                      : "Orthogonal";
                         });

}  // namespace
}  // namespace carrack::train
