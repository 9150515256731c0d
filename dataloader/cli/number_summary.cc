#include "dataloader/cli/number_summary.h"

#include <algorithm>
#include <type_traits>

namespace carrack::data::cli {
namespace {

template <typename Number>
bool is_finite(Number value) {
  if constexpr (std::is_floating_point_v<Number>) return std::isfinite(value);
  return true;
}

}  // namespace

template <typename Number>
void NumberSummary<Number>::add(std::span<const Number> values) {
  std::uint64_t finite = 0;
  double sum = 0;
  for (const Number value : values) {
    if (!take(value)) continue;
    ++finite;
    sum += static_cast<double>(value);
  }
  if (finite == 0) return;
  const double their_mean = sum / static_cast<double>(finite);
  double their_squares = 0;
  for (const Number value : values) {
    if (!is_finite(value)) continue;
    const double distance = static_cast<double>(value) - their_mean;
    their_squares += distance * distance;
  }
  add_moments(finite, their_mean, their_squares);
}

template <typename Number>
void NumberSummary<Number>::merge(const NumberSummary& other) {
  nans += other.nans;
  infinite += other.infinite;
  negative_infinite += other.negative_infinite;
  inexact += other.inexact;
  least = std::min(least, other.least);
  most = std::max(most, other.most);
  quantiles.merge(other.quantiles);
  distinct.merge(other.distinct);
  few.merge(other.few);
  if (other.count > 0) add_moments(other.count, other.mean, other.squares);
}

// False of what is not finite.
template <typename Number>
bool NumberSummary<Number>::take(Number value) {
  if (!is_finite(value)) {
    if (std::isnan(static_cast<double>(value)))
      ++nans;
    else
      ++(value > 0 ? infinite : negative_infinite);
    return false;
  }
  if constexpr (std::is_integral_v<Number>) {
    constexpr Number exact_up_to = Number{1} << 24;
    if (value > exact_up_to || value < -exact_up_to) ++inexact;
  }
  least = std::min(least, value);
  most = std::max(most, value);
  quantiles.add(static_cast<double>(value));
  distinct.add(value);
  few.add(value);
  return true;
}

// Chan, Golub and LeVeque, "Updating formulae and a pairwise algorithm for computing sample variances" (1979).
template <typename Number>
void NumberSummary<Number>::add_moments(std::uint64_t more, double their_mean, double their_squares) {
  const auto ours = static_cast<double>(count), theirs = static_cast<double>(more), all = ours + theirs;
  const double apart = their_mean - mean;
  mean += apart * theirs / all;
  squares += their_squares + apart * apart * ours * theirs / all;
  count += more;
}

template struct NumberSummary<float>;
template struct NumberSummary<std::int64_t>;

}  // namespace carrack::data::cli
