// Rows as tf.Examples: for snapshots, docs/formats/snapshot.md, without losing columns, values or lists; and for any
// other reader.
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
  std::size_t lists = 0;               // how deep lists are nested; 0: each row is one item

  bool operator==(const ColumnType&) const = default;
};

constexpr std::size_t max_list_depth = 16;

std::vector<ColumnType> types_of(const Rows& rows);
// "[2,3]"
std::string sides_of(const std::vector<std::size_t>& item);
// "x: lists of float32 [2,3]"
std::string describe(const ColumnType& type);

// Throws an Error if from_examples() could not restore these columns: two that become one feature, items without
// values, lists nested too deeply.
void check_writable(const std::vector<ColumnType>& types);
// Replaces the columns, for which check_writable() must have passed, by one column "record".
void to_examples(Rows& rows);
// The reverse: replaces the column "record" by these columns. Rows that do not hold them are lost.
RowsFunction from_examples(std::vector<ColumnType> types);

// Replaces the columns by one, "record": each row as an Example as other readers expect it, with a feature for each
// column, without features for empty lists. The function throws an Error for columns of lists of lists.
RowsFunction write_examples();

}  // namespace carrack::data
