// Statistics of the numbers of a feature, or of sizes, for `carrack data stats` and `inspect`: count, range, mean,
// standard deviation, quantiles, different values. Computed in one pass; memory grows only with the logarithm of the
// count. Summaries of parts of the numbers can be merged.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

#include "dataloader/cli/summary/distinct_counter.h"
#include "dataloader/cli/summary/moments.h"
#include "dataloader/cli/summary/quantiles.h"
#include "dataloader/cli/summary/value_counts.h"

namespace carrack::data::cli {

// Number is float or std::int64_t. The first three members count the values that are not finite; all other members
// leave these out. Without finite values `min` is larger than `max`, and the mean and standard deviation are 0.
template <typename Number>
struct NumberSummary {
  std::uint64_t nan_count = 0;
  std::uint64_t infinities = 0;           // values that are plus infinity
  std::uint64_t negative_infinities = 0;  // values that are minus infinity
  std::uint64_t count = 0;                // the number of finite values
  std::uint64_t beyond_float32 = 0;       // integers whose magnitude is above 2^24, which float32 may round
  Number min = std::numeric_limits<Number>::max();
  Number max = std::numeric_limits<Number>::lowest();
  // The first finite value. `moments` are those of value - pivot, because a double cannot hold small differences of
  // large numbers. Use mean() and standard_deviation() instead of these two.
  Number pivot = 0;
  Moments moments;
  Quantiles<std::conditional_t<std::is_integral_v<Number>, Number, double>> quantiles;
  DistinctCounter distinct;
  ValueCounts<Number> counts;

  void add(std::span<const Number> values);
  // Adds the numbers that were added to `other`.
  void merge(const NumberSummary& other);

  double mean() const { return static_cast<double>(pivot) + moments.mean; }
  // The standard deviation of the population: divided by `count`, not count - 1.
  double standard_deviation() const { return moments.standard_deviation(); }
  std::uint64_t not_finite() const { return nan_count + infinities + negative_infinities; }

 private:
  bool add_if_finite(Number value);
};

}  // namespace carrack::data::cli
