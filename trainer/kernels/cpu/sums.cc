#include "trainer/kernels/sums.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace carrack::train::cpu {

namespace {

// Of value(0), value(1), ... value(size - 1). So vectors of 4, 8 and 16 floats give the same bits.
template <class Value>
float sum_of(std::size_t size, Value value) {
  constexpr std::size_t width = partial_sums;
  std::array<float, width> sums{};
  const std::size_t whole = size - size % width;
  for (std::size_t i = 0; i < whole; i += width) {
    for (std::size_t j = 0; j < width; ++j) sums[j] += value(i + j);
  }
  for (std::size_t i = whole; i < size; ++i) sums[i - whole] += value(i);
  for (std::size_t half = width / 2; half > 0; half /= 2) {
    for (std::size_t j = 0; j < half; ++j) sums[j] += sums[j + half];
  }
  return sums[0];
}

}  // namespace

float sum(std::span<const float> values) {
  return sum_of(values.size(), [&](std::size_t i) { return values[i]; });
}

float sum_of_products(std::span<const float> a, std::span<const float> b) {
  return sum_of(a.size(), [&](std::size_t i) { return a[i] * b[i]; });
}

void reduce_sum(Reduction3 shape, const float* values, float* sums) {
  if (shape.inner == 1) {
    const auto length = static_cast<std::size_t>(shape.reduced);
    for (std::int64_t i = 0; i < shape.outer; ++i) sums[i] = sum({values + i * shape.reduced, length});
    return;
  }
  const auto length = static_cast<std::size_t>(shape.inner);
  for (std::int64_t i = 0; i < shape.outer; ++i) {
    float* into = sums + i * shape.inner;
    std::fill_n(into, length, 0.0f);
    for (std::int64_t j = 0; j < shape.reduced; ++j, values += shape.inner)
      accumulate({into, length}, {values, length});
  }
}

void accumulate(std::span<float> into, std::span<const float> values) {
  for (std::size_t i = 0; i < into.size(); ++i) into[i] += values[i];
}

}  // namespace carrack::train::cpu
