// Converts the arguments of a KernelCall to those of the functions in kernels/. The types of elements are not checked,
// because Graph has checked them. Views are valid as long as the memory of the argument.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "trainer/execution/kernel.h"
#include "trainer/kernels/arithmetic.h"
#include "trainer/kernels/rows.h"

namespace carrack::train {

inline const float* floats(const KernelInput& input) {
  return static_cast<const float*>(input.data);
}

inline float* floats(const KernelOutput& output) {
  return static_cast<float*>(output.data);
}

inline std::span<const float> elements(const KernelInput& input) {
  return {floats(input), static_cast<std::size_t>(element_count(input.extents))};
}

inline std::span<float> elements(const KernelOutput& output) {
  return {floats(output), static_cast<std::size_t>(element_count(output.extents))};
}

inline std::span<const std::int64_t> indices(const KernelInput& input) {
  return {static_cast<const std::int64_t*>(input.data), static_cast<std::size_t>(element_count(input.extents))};
}

inline Operand operand(const KernelInput& input) {
  return {floats(input), input.extents};
}

inline Result result(const KernelOutput& output) {
  return {floats(output), output.extents};
}

// Returns the shape as a table: its rows are along the first dimension, and the other dimensions together make up a
// row. No dimension may depend on the number of rows of the batch.
inline Table table_of(const Dimensions& shape) {
  Table table{shape.front().count, 1};
  for (std::size_t i = 1; i < shape.size(); ++i) table.width *= shape[i].count;
  return table;
}

// Returns the input as a table whose rows lie along the last axis. That axis must not be empty.
inline Table rows_along_last_axis(const KernelInput& input) {
  const std::int64_t width = input.extents.back();
  return {element_count(input.extents) / width, width};
}

// Returns the number of elements for each row of the batch.
inline std::int64_t elements_per_row(const Dimensions& shape) {
  std::int64_t per_row = 1;
  for (const Dimension& dimension : shape) per_row *= dimension.count;
  return per_row;
}

}  // namespace carrack::train
