#include "dataloader/cli/summary/number_summary.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace carrack::data::cli {
namespace {

template <typename Number>
bool is_finite(Number value) {
  if constexpr (std::is_floating_point_v<Number>) return std::isfinite(value);
  return true;
}

// Returns to - from. The difference of two 64-bit integers may overflow a signed integer, but its magnitude always fits
// into an unsigned one.
double distance(std::int64_t to, std::int64_t from) {
  const auto up = static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
  return to >= from ? static_cast<double>(up) : -static_cast<double>(0 - up);
}
double distance(float to, float from) {
  return static_cast<double>(to) - static_cast<double>(from);
}

}  // namespace

template <typename Number>
void NumberSummary<Number>::add(std::span<const Number> values) {
  std::uint64_t finite = 0;
  double sum = 0;
  for (const Number value : values) {
    if (!add_if_finite(value)) continue;
    // Distances from the first value are summed, because a double cannot hold small differences of large numbers.
    if (count + finite++ == 0) pivot = value;
    sum += distance(value, pivot);
  }
  if (finite == 0) return;
  const double their_mean = sum / static_cast<double>(finite);
  double their_squared_distances = 0;
  for (const Number value : values) {
    if (!is_finite(value)) continue;
    const double off = distance(value, pivot) - their_mean;
    their_squared_distances += off * off;
  }
  moments.merge({finite, their_mean, their_squared_distances});
  count = moments.count;
}

template <typename Number>
void NumberSummary<Number>::merge(const NumberSummary& other) {
  nan_count += other.nan_count;
  infinities += other.infinities;
  negative_infinities += other.negative_infinities;
  beyond_float32 += other.beyond_float32;
  min = std::min(min, other.min);
  max = std::max(max, other.max);
  quantiles.merge(other.quantiles);
  distinct.merge(other.distinct);
  counts.merge(other.counts);
  if (other.count == 0) return;
  if (count == 0) pivot = other.pivot;
  const double their_mean = distance(other.pivot, pivot) + other.moments.mean;
  moments.merge({other.count, their_mean, other.moments.squared_distances});
  count = moments.count;
}

// Adds the value to all members except `count`, `pivot` and `moments`. Returns whether it is finite.
template <typename Number>
bool NumberSummary<Number>::add_if_finite(Number value) {
  if (!is_finite(value)) {
    if (std::isnan(static_cast<double>(value)))
      ++nan_count;
    else
      ++(value > 0 ? infinities : negative_infinities);
    return false;
  }
  if constexpr (std::is_integral_v<Number>) {
    constexpr Number exact_max = Number{1} << 24;  // float32 represents all integers up to this one exactly.
    if (value > exact_max || value < -exact_max) ++beyond_float32;
  }
  min = std::min(min, value);
  max = std::max(max, value);
  quantiles.add(value);
  distinct.add(value);
  counts.add(value);
  return true;
}

template struct NumberSummary<float>;
template struct NumberSummary<std::int64_t>;

}  // namespace carrack::data::cli
