// Statistics of a stream of numbers in one pass: count, range, mean, standard deviation, quantiles, different values.
// Summaries of parts of the stream can be merged.
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

// Number is float or std::int64_t. Everything but the first three counts is about the finite values alone.
template <typename Number>
struct NumberSummary {
  std::uint64_t nan_count = 0;
  std::uint64_t infinities = 0;           // plus infinity
  std::uint64_t negative_infinities = 0;  // minus infinity
  std::uint64_t count = 0;
  std::uint64_t beyond_float32 = 0;  // integers beyond 2^24 in size, which a float32 may have to round
  Number min = std::numeric_limits<Number>::max();
  Number max = std::numeric_limits<Number>::lowest();
  // The mean is kept as a distance from the first value, because a double cannot hold small differences of large
  // numbers.
  Number pivot = 0;
  Moments moments;  // of the distances from the pivot
  Quantiles<std::conditional_t<std::is_integral_v<Number>, Number, double>> quantiles;
  DistinctCounter distinct;
  ValueCounts<Number> counts;

  void add(std::span<const Number> values);
  void merge(const NumberSummary& other);

  double mean() const { return static_cast<double>(pivot) + moments.mean; }
  // Of the population: divided by the number of values.
  double standard_deviation() const { return moments.standard_deviation(); }
  std::uint64_t not_finite() const { return nan_count + infinities + negative_infinities; }

 private:
  bool add_if_finite(Number value);
};

}  // namespace carrack::data::cli
