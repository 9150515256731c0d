#include "trainer/kernels/dropout.h"

#include <algorithm>
#include <array>

#include "trainer/kernels/elementwise.h"

namespace carrack::train::cpu {

void dropout(Table shape, const RowRandomNumbers& numbers, std::uint64_t first_row, float rate, const float* x,
             float* y) {
  const Drop drop(rate);
  std::array<std::uint32_t, 32> drawn;
  constexpr auto block = static_cast<std::int64_t>(drawn.size());
  for (std::int64_t row = 0; row < shape.rows; ++row) {
    for (std::int64_t begin = 0; begin < shape.width; begin += block) {
      drawn = numbers.block(first_row + static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(begin / block));
      const std::int64_t count = std::min(block, shape.width - begin);
      for (std::int64_t i = 0; i < count; ++i) y[i] = drop(x[i], drawn.data()[i]);
      x += count;
      y += count;
    }
  }
}

}  // namespace carrack::train::cpu
