#include "trainer/kernels/dropout.h"

#include <algorithm>
#include <array>

namespace carrack::train::cpu {

void dropout(Table shape, const RowNumbers& numbers, std::uint64_t first_row, float rate, const float* x, float* y) {
  const auto dropped_below = static_cast<std::uint32_t>(static_cast<double>(rate) * 0x1p32);
  const float scale = 1.0f / (1.0f - rate);
  for (std::int64_t row = 0; row < shape.rows; ++row) {
    for (std::int64_t begin = 0; begin < shape.width; begin += 4) {
      const std::array<std::uint32_t, 4> drawn =
          numbers.quad(first_row + static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(begin / 4));
      const std::int64_t count = std::min<std::int64_t>(4, shape.width - begin);
      for (std::int64_t i = 0; i < count; ++i) {
        *y++ = drawn[static_cast<std::size_t>(i)] < dropped_below ? 0.0f : *x * scale;
        ++x;
      }
    }
  }
}

}  // namespace carrack::train::cpu
