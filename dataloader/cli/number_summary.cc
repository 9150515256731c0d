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

// How far it is to the one from the other. Any two whole numbers of 64 bits have a difference that is whole, unsigned.
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
    if (!take(value)) continue;
    if (count + finite++ == 0) first = value;
    sum += distance(value, first);
  }
  if (finite == 0) return;
  const double their_mean = sum / static_cast<double>(finite);
  double their_squares = 0;
  for (const Number value : values) {
    if (!is_finite(value)) continue;
    const double off = distance(value, first) - their_mean;
    their_squares += off * off;
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
  if (other.count == 0) return;
  if (count == 0) first = other.first;
  add_moments(other.count, distance(other.first, first) + other.from_first, other.squares);
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
  quantiles.add(value);
  distinct.add(value);
  few.add(value);
  return true;
}

// Chan, Golub and LeVeque, "Updating formulae and a pairwise algorithm for computing sample variances" (1979).
template <typename Number>
void NumberSummary<Number>::add_moments(std::uint64_t more, double their_mean, double their_squares) {
  const auto ours = static_cast<double>(count), theirs = static_cast<double>(more), all = ours + theirs;
  const double apart = their_mean - from_first;
  from_first += apart * theirs / all;
  squares += their_squares + apart * apart * ours * theirs / all;
  count += more;
}

template struct NumberSummary<float>;
template struct NumberSummary<std::int64_t>;

}  // namespace carrack::data::cli
