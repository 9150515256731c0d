#include "dataloader/cli/summary/quantiles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

namespace carrack::data::cli {
namespace {

// The largest distance between the requested rank and the nearest rank of the answer, which may occur many times.
std::uint64_t worst_error(std::vector<double> values, const Quantiles<double>& quantiles) {
  std::sort(values.begin(), values.end());
  const Distribution distribution(quantiles);
  std::uint64_t worst = 0;
  for (double share = 0; share <= 1; share += 0.001) {
    const double answer = distribution.quantile(share);
    const double wanted = std::max(1.0, std::ceil(share * static_cast<double>(values.size())));
    const auto [first, last] = std::equal_range(values.begin(), values.end(), answer);
    const auto low = static_cast<double>(first - values.begin() + 1), high = static_cast<double>(last - values.begin());
    EXPECT_LE(low, high) << "no value of those";
    const double off = wanted < low ? low - wanted : wanted > high ? wanted - high : 0;
    worst = std::max(worst, static_cast<std::uint64_t>(off));
  }
  return worst;
}

TEST(Quantiles, AreExactForFewValues) {
  Quantiles<double> quantiles;
  std::vector<double> values;
  for (int i = 2047; i > 0; --i) {
    values.push_back(i % 100);
    quantiles.add(i % 100);
  }
  EXPECT_EQ(quantiles.rank_error_max(), 0U);
  EXPECT_EQ(worst_error(values, quantiles), 0U);
  const Distribution distribution(quantiles);
  EXPECT_EQ(distribution.quantile(0), 0);
  EXPECT_EQ(distribution.quantile(1), 99);
  EXPECT_EQ(distribution.count_up_to(-1), 0U);
  EXPECT_EQ(distribution.count_up_to(99), 2047U);
}

TEST(Quantiles, AreNotShiftedByRounding) {
  Quantiles<double> quantiles;
  for (int i = 1; i <= 100; ++i) quantiles.add(i);
  const Distribution distribution(quantiles);
  for (int percent = 1; percent <= 100; ++percent) EXPECT_EQ(distribution.quantile(percent / 100.), percent);
}

TEST(Quantiles, AreZeroWithoutValues) {
  const Distribution distribution{Quantiles<double>()};
  EXPECT_EQ(distribution.quantile(0.5), 0);
  EXPECT_EQ(distribution.count_up_to(1), 0U);
}

TEST(Quantiles, HaveErrorsWithinTheirBound) {
  std::mt19937_64 random(1);
  std::lognormal_distribution<double> skewed;
  for (const std::string order : {"random", "rising", "falling", "zigzag"}) {
    std::vector<double> values;
    for (int i = 0; i < 300'000; ++i) values.push_back(skewed(random));
    if (order == "rising") std::sort(values.begin(), values.end());
    if (order == "falling") std::sort(values.rbegin(), values.rend());
    if (order == "zigzag")
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<double>(i % 2 == 0 ? i : values.size() - i);
    Quantiles<double> quantiles;
    for (const double value : values) quantiles.add(value);
    EXPECT_EQ(quantiles.count(), values.size());
    EXPECT_GT(quantiles.rank_error_max(), 0U);
    EXPECT_LT(quantiles.rank_error_max(), values.size() / 200) << "half a percent";
    EXPECT_LE(worst_error(values, quantiles), quantiles.rank_error_max()) << order;
  }
}

TEST(Quantiles, MergePartsWithinTheirBound) {
  std::mt19937_64 random(2);
  std::normal_distribution<double> normal;
  std::vector<double> values;
  Quantiles<double> merged;
  for (const int size : {0, 1, 5, 3000, 100'000, 2047, 70'000}) {
    Quantiles<double> part;
    for (int i = 0; i < size; ++i) {
      values.push_back(normal(random));
      part.add(values.back());
    }
    merged.merge(part);
  }
  EXPECT_EQ(merged.count(), values.size());
  EXPECT_LT(merged.rank_error_max(), values.size() / 200);
  EXPECT_LE(worst_error(values, merged), merged.rank_error_max());
}

TEST(Quantiles, MergeManySmallPartsExactly) {
  Quantiles<double> merged;
  for (int i = 0; i < 2000; ++i) {
    Quantiles<double> part;
    part.add(i);
    merged.merge(part);
  }
  EXPECT_EQ(merged.rank_error_max(), 0U);
  EXPECT_EQ(Distribution(merged).quantile(0.5), 999);
}

}  // namespace
}  // namespace carrack::data::cli
