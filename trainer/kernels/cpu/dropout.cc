#include "trainer/kernels/dropout.h"

#include <algorithm>
#include <array>
#include <bit>

namespace carrack::train::cpu {

void dropout(Table shape, const RowNumbers& numbers, std::uint64_t first_row, float rate, const float* x, float* y) {
  const auto dropped_below = static_cast<std::uint32_t>(static_cast<double>(rate) * 0x1p32);
  const float scale = 1.0f / (1.0f - rate);
  std::array<std::uint32_t, 32> drawn;
  constexpr auto block = static_cast<std::int64_t>(drawn.size());
  for (std::int64_t row = 0; row < shape.rows; ++row) {
    for (std::int64_t begin = 0; begin < shape.width; begin += block) {
      drawn = numbers.block(first_row + static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(begin / block));
      const std::int64_t count = std::min(block, shape.width - begin);
      for (std::int64_t i = 0; i < count; ++i) {
        // By a mask: a branch would keep the loop out of vectors.
        const std::uint32_t mask = drawn.data()[i] < dropped_below ? 0 : ~std::uint32_t{0};
        y[i] = std::bit_cast<float>(std::bit_cast<std::uint32_t>(x[i] * scale) & mask);
      }
      x += count;
      y += count;
    }
  }
}

}  // namespace carrack::train::cpu
