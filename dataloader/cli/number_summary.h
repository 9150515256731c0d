// What numbers are, in one pass: how many, from where to where, how they are spread. Parts that saw parts of them can
// be merged.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

#include "dataloader/cli/distinct.h"
#include "dataloader/cli/few_values.h"
#include "dataloader/cli/quantiles.h"

namespace carrack::data::cli {

// Of float or std::int64_t. All but the first three is about the finite ones.
template <typename Number>
struct NumberSummary {
  std::uint64_t nans = 0;
  std::uint64_t infinite = 0;           // plus infinity
  std::uint64_t negative_infinite = 0;  // minus infinity
  std::uint64_t count = 0;
  std::uint64_t inexact = 0;  // Whole numbers beyond 2^24, which a float32 need not hold exactly.
  Number least = std::numeric_limits<Number>::max();
  Number most = std::numeric_limits<Number>::lowest();
  Number first = 0;       // From which the mean is measured: a double has no room for small distances of large numbers.
  double from_first = 0;  // The mean.
  double squares = 0;     // The sum of squared distances from the mean.
  Quantiles<std::conditional_t<std::is_integral_v<Number>, Number, double>> quantiles;
  Distinct distinct;
  FewValues<Number> few;

  void add(std::span<const Number> values);
  void merge(const NumberSummary& other);

  double mean() const { return static_cast<double>(first) + from_first; }
  double deviation() const { return count == 0 ? 0 : std::sqrt(squares / static_cast<double>(count)); }
  std::uint64_t not_finite() const { return nans + infinite + negative_infinite; }

 private:
  bool take(Number value);
  void add_moments(std::uint64_t more, double their_mean, double their_squares);
};

}  // namespace carrack::data::cli
