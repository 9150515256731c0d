// The values of a graph: their types, and their shapes, which may depend on the number of rows of a batch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trainer/kernels/shape.h"

namespace carrack::train {

enum class Type { float32, int64 };

std::int64_t size_of(Type type);  // size of an element in bytes
std::string_view name_of(Type type);

// A dimension of `count` elements, or, if of_rows is true, of `count` times the number of rows of the batch.
struct Dimension {
  // Not explicit: a shape is written as {3, 4} or {batch_rows, 4}.
  constexpr Dimension(std::int64_t number, bool times_rows = false) : count(number), of_rows(times_rows) {}

  std::int64_t with_rows(std::int64_t rows) const { return of_rows ? count * rows : count; }
  bool operator==(const Dimension&) const = default;

  std::int64_t count;
  bool of_rows;
};

// The dimension with one element for each row of the batch.
inline constexpr Dimension batch_rows{1, true};

// A shape, outermost dimension first; empty for a scalar.
using Dimensions = std::vector<Dimension>;

struct Value {
  std::string name;
  Type type = Type::float32;
  Dimensions shape;
  bool is_fixed = false;  // whether it is a parameter that training never changes
};

// Returns the shape in a batch of `rows` rows.
Shape with_rows(const Dimensions& shape, std::int64_t rows);

// Text for messages, such as "[rows, 3]"; twice the number of rows is "2 rows".
std::string text(const Dimensions& shape);
// Text for messages, such as "`x` [rows, 3]".
std::string text(const Value& value);

}  // namespace carrack::train
