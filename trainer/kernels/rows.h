// Rows of a table by number: fetched, and added to.
#pragma once

#include <cstdint>
#include <span>

namespace carrack::train::cpu {

// A table of `rows` rows with `width` elements each.
struct Table {
  std::int64_t rows;
  std::int64_t width;
};

// The first of `indices` that is no row of the table, or nullptr. The other two expect that there is none.
const std::int64_t* first_outside(Table shape, std::span<const std::int64_t> indices);

// gathered[i] = table[indices[i]]
void gather(Table shape, const float* table, std::span<const std::int64_t> indices, float* gathered);

// The table becomes zero; then table[indices[i]] += updates[i], in the order of i: an index may come more than once.
void scatter_add(Table shape, std::span<const std::int64_t> indices, const float* updates, float* table);

}  // namespace carrack::train::cpu
