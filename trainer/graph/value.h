// Describes the values of a graph (graph.h), which are its inputs, its parameters and the outputs of its nodes: name,
// type and shape. There are no elements here: an Executor computes them. A graph is built once and then runs on batches
// of any size, so a dimension may be a multiple of the batch's number of rows (records).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trainer/kernels/shape.h"

namespace carrack::train {

enum class Type { float32, int64 };

std::int64_t size_of(Type type);      // size of an element in bytes: 4 or 8
std::string_view name_of(Type type);  // "float32" or "int64"

// One dimension of a shape: `count` elements, or, if of_rows is true, `count` times the number of rows of the batch.
struct Dimension {
  // Not explicit: a shape is written as {3, 4} or {batch_rows, 4}.
  constexpr Dimension(std::int64_t number, bool times_rows = false) : count(number), of_rows(times_rows) {}

  // Returns the number of elements in a batch of `rows` rows.
  std::int64_t with_rows(std::int64_t rows) const { return of_rows ? count * rows : count; }
  bool operator==(const Dimension&) const = default;

  std::int64_t count;
  bool of_rows;
};

// The dimension with one element for each row of the batch.
inline constexpr Dimension batch_rows{1, true};

// A shape, outermost dimension first, such as {batch_rows, 28, 28}; empty for a scalar.
using Dimensions = std::vector<Dimension>;

// A value of a graph, identified there by its ValueId (operator.h).
struct Value {
  std::string name;
  Type type = Type::float32;
  Dimensions shape;
  bool is_fixed = false;  // whether it is a parameter that training never changes
};

// Returns the shape in a batch of `rows` rows: {batch_rows, 28} with 64 rows is {64, 28}.
Shape with_rows(const Dimensions& shape, std::int64_t rows);

// Text for messages, such as "[rows, 3]"; twice the number of rows is "2 rows".
std::string text(const Dimensions& shape);
// Text for messages, such as "`x` [rows, 3]".
std::string text(const Value& value);

}  // namespace carrack::train
