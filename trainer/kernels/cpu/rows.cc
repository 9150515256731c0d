#include "trainer/kernels/rows.h"

#include <algorithm>
#include <cstddef>

#include "trainer/kernels/sums.h"

namespace carrack::train::cpu {

const std::int64_t* first_outside(Table shape, std::span<const std::int64_t> indices) {
  for (const std::int64_t& index : indices) {
    if (index < 0 || index >= shape.rows) return &index;
  }
  return nullptr;
}

void gather(Table shape, const float* table, std::span<const std::int64_t> indices, float* gathered) {
  for (const std::int64_t index : indices) {
    gathered = std::copy_n(table + index * shape.width, shape.width, gathered);
  }
}

void scatter_add(Table shape, std::span<const std::int64_t> indices, const float* updates, float* table) {
  std::fill_n(table, shape.rows * shape.width, 0.0f);
  const auto width = static_cast<std::size_t>(shape.width);
  for (const std::int64_t index : indices) {
    accumulate({table + index * shape.width, width}, {updates, width});
    updates += shape.width;
  }
}

void copy_columns(std::int64_t rows, std::int64_t width, const float* from, std::int64_t from_stride, float* to,
                  std::int64_t to_stride) {
  for (std::int64_t row = 0; row < rows; ++row) std::copy_n(from + row * from_stride, width, to + row * to_stride);
}

}  // namespace carrack::train::cpu
