// Converts rows to serialized tf.Examples and back without losing columns, values or lists, for snapshots
// (docs/formats/snapshot.md). write_examples() makes Examples for any other reader instead.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "dataloader/pipeline/rows/rows.h"

namespace carrack::data {

// The name, type and shape of a column, without its values.
struct ColumnType {
  std::string name;
  std::size_t kind = 0;                // index into ColumnValues
  std::vector<std::size_t> item = {};  // the shape of an item; empty: a single value
  std::size_t lists = 0;               // how deep lists are nested; 0: each row is one item, 1: a list of items

  bool operator==(const ColumnType&) const = default;
};

// The deepest nesting that check_writable() accepts.
constexpr std::size_t max_list_depth = 16;

std::vector<ColumnType> types_of(const Rows& rows);
// "[2,3]"
std::string sides_of(const std::vector<std::size_t>& item);
// "x: lists of float32 [2,3]"
std::string describe(const ColumnType& type);

// Throws an Error if from_examples() could not restore columns of these types: if two columns would become the same
// feature, if an item has no values, or if lists are nested deeper than max_list_depth.
void check_writable(const std::vector<ColumnType>& types);
// Replaces all columns by one column, "record", of serialized Examples. check_writable() must accept the columns'
// types.
void to_examples(Rows& rows);
// Returns a function that does the reverse: it replaces the column "record" by columns of these types. It moves rows
// whose Example has no such columns to `lost`.
RowsFunction from_examples(std::vector<ColumnType> types);

// Returns a function that replaces all columns by one, "record": each row as an Example that other readers can use,
// with a feature for each column. An empty list gives no feature. The function throws an Error for columns of lists of
// lists.
RowsFunction write_examples();

}  // namespace carrack::data
