#include <cmath>

#include "trainer/graph/ops/windows.h"
#include "trainer/reference/functions.h"

namespace carrack::train::reference {
namespace {

// One channel of a window: the index of its value in the output, and the indices of its pixels in X.
struct Pool {
  std::size_t y;
  std::vector<std::size_t> x;
};

std::vector<Pool> pools_of(const Call& call, const Dimensions& images) {
  const auto [height, width] = std::get<Windows>(pooling_windows(images, call.node.attributes));
  const std::int64_t channels = images[3].count;
  std::vector<Pool> pools;
  for (std::int64_t place = 0; place < call.rows * height.output * width.output * channels; ++place) {
    const std::int64_t channel = place % channels, pixel = place / channels, row = pixel / width.output / height.output;
    Pool pool{static_cast<std::size_t>(place), {}};
    for (std::int64_t tap = 0; tap < height.size * width.size; ++tap) {
      const std::int64_t i = height.at(pixel / width.output % height.output, tap / width.size),
                         j = width.at(pixel % width.output, tap % width.size);
      if (!height.is_inside(i) || !width.is_inside(j)) continue;
      pool.x.push_back(static_cast<std::size_t>(((row * height.input + i) * width.input + j) * channels + channel));
    }
    pools.push_back(std::move(pool));
  }
  return pools;
}

// Returns the index in `x` of the first maximum in the window, or of its first NaN.
std::size_t index_of_maximum(const Doubles& x, const Pool& pool) {
  std::size_t best = pool.x.front();
  for (const std::size_t one : pool.x) {
    if (!std::isnan(x[best]) && (std::isnan(x[one]) || x[one] > x[best])) best = one;
  }
  return best;
}

void max_pool(const Call& call) {
  for (const Pool& pool : pools_of(call, call.input_values[0]->shape)) {
    call.out()[pool.y] = call.in(0)[index_of_maximum(call.in(0), pool)];
  }
}

void max_pool_gradient(const Call& call) {
  for (const Pool& pool : pools_of(call, call.input_values[1]->shape)) {
    call.out()[index_of_maximum(call.in(1), pool)] += call.in(0)[pool.y];
  }
}

void average_pool(const Call& call) {
  for (const Pool& pool : pools_of(call, call.input_values[0]->shape)) {
    for (const std::size_t one : pool.x) call.out()[pool.y] += call.in(0)[one] / static_cast<double>(pool.x.size());
  }
}

void average_pool_gradient(const Call& call) {
  for (const Pool& pool : pools_of(call, call.output_values[0]->shape)) {
    for (const std::size_t one : pool.x) call.out()[one] += call.in(0)[pool.y] / static_cast<double>(pool.x.size());
  }
}

constexpr Function functions[] = {
    {"MaxPool", max_pool},
    {"MaxPoolGradient", max_pool_gradient},
    {"AveragePool", average_pool},
    {"AveragePoolGradient", average_pool_gradient},
};

}  // namespace

std::span<const Function> pooling_functions() {
  return functions;
}

}  // namespace carrack::train::reference
