// Rows as tf.Examples and back, docs/formats/snapshot.md: what comes back has the same columns, values and lists.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "dataloader/pipeline/rows/rows.h"

namespace carrack::data {

// What a column is, whichever rows it has.
struct ColumnType {
  std::string name;
  std::size_t kind = 0;  // of ColumnValues, by its place in it
  std::vector<std::size_t> item = {};
  std::size_t lists = 0;  // of lists of ... items; 0 where each row is one item

  bool operator==(const ColumnType&) const = default;
};

constexpr std::size_t most_lists = 16;

// bytes, float32, int64 and uint8, in the order of ColumnValues.
constexpr const char* kind_names[] = {"bytes", "float32", "int64", "uint8"};

std::vector<ColumnType> types_of(const Rows& rows);
// x: lists of float32 [2,3]
std::string in_words(const ColumnType& type);

// Throws an Error where Examples could not tell these columns apart, or not how many items there are.
void require_writable(const std::vector<ColumnType>& types);
// All columns, which are writable, become one, "record".
void to_examples(Rows& rows);
// The way back: `record` becomes those columns. Rows that do not hold them are lost.
RowsFunction from_examples(std::vector<ColumnType> types);

}  // namespace carrack::data
