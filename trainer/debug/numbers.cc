#include "trainer/debug/numbers.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dataloader/check.h"

namespace carrack::train {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

Numbers numbers_of(std::span<const double> values) {
  Numbers numbers{.min = infinity, .mean = 0, .max = -infinity};
  double finite = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double one = values[i];
    if (!std::isfinite(one)) {
      ++(std::isnan(one) ? numbers.nan : numbers.infinite);
      if (!numbers.first_not_finite) numbers.first_not_finite = i;
      continue;
    }
    numbers.min = std::min(numbers.min, one);
    numbers.max = std::max(numbers.max, one);
    numbers.mean += one;
    ++finite;
  }
  if (finite == 0) numbers.min = numbers.max = std::numeric_limits<double>::quiet_NaN();
  numbers.mean /= finite;
  return numbers;
}

double difference_of(std::span<const float> computed, std::span<const double> expected) {
  CHECK_EQ(computed.size(), expected.size());
  double largest = 0, worst = 0;
  bool is_compared = computed.empty();
  for (std::size_t i = 0; i < computed.size(); ++i) {
    const double one = computed[i];
    if (std::isfinite(one) != std::isfinite(expected[i])) return infinity;
    if (!std::isfinite(one)) continue;
    is_compared = true;
    largest = std::max(largest, std::fabs(expected[i]));
    worst = std::max(worst, std::fabs(one - expected[i]));
  }
  if (!is_compared) return std::numeric_limits<double>::quiet_NaN();
  return worst == 0 ? 0 : worst / largest;
}

}  // namespace carrack::train
