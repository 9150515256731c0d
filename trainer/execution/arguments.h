// Converts the inputs and outputs of a KernelCall (kernel.h), which have no type, to the arguments of the functions in
// trainer/kernels, such as float pointers, spans and Table. The prepare_*.h headers use it. The types of elements are
// not checked, because Graph has checked them. Nothing is copied: the results refer to the memory of the argument,
// which may be that of a GPU.
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

// Return all elements.
inline std::span<const float> elements(const KernelInput& input) {
  return {floats(input), static_cast<std::size_t>(element_count(input.extents))};
}

inline std::span<float> elements(const KernelOutput& output) {
  return {floats(output), static_cast<std::size_t>(element_count(output.extents))};
}

inline std::span<const std::int64_t> indices(const KernelInput& input) {
  return {static_cast<const std::int64_t*>(input.data), static_cast<std::size_t>(element_count(input.extents))};
}

// Return the tensor with its extents, for functions that broadcast.
inline Operand operand(const KernelInput& input) {
  return {floats(input), input.extents};
}

inline Result result(const KernelOutput& output) {
  return {floats(output), output.extents};
}

// Returns the shape as a table, such as that of an Embedding: the first dimension counts its rows, and the other
// dimensions together make up a row: [1000, 8, 2] -> 1000 rows of width 16. No dimension may depend on the number of
// records in a batch.
inline Table table_of(const Dimensions& shape) {
  Table table{shape.front().count, 1};
  for (std::size_t i = 1; i < shape.size(); ++i) table.width *= shape[i].count;
  return table;
}

// Returns the input as a table whose rows lie along the last axis: [5, 3, 8] -> 15 rows of width 8. That axis must not
// be empty.
inline Table rows_along_last_axis(const KernelInput& input) {
  const std::int64_t width = input.extents.back();
  return {element_count(input.extents) / width, width};
}

// Returns the number of elements for each row (record) of the batch: [rows, 3, 8] -> 24.
inline std::int64_t elements_per_row(const Dimensions& shape) {
  std::int64_t per_row = 1;
  for (const Dimension& dimension : shape) per_row *= dimension.count;
  return per_row;
}

}  // namespace carrack::train
