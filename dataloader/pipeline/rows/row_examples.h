// Converts rows to serialized tf.Examples and back. There are two ways:
// - for snapshots (docs/formats/snapshot.md): to_examples(), and its exact inverse from_examples();
// - for files that TensorFlow reads (`carrack data convert`): write_examples(), which has no inverse.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "dataloader/pipeline/rows/rows.h"

namespace carrack::data {

// The name, type and shape of a column, without its values.
struct ColumnType {
  std::string name;
  std::size_t kind = 0;                // index into ColumnValues and kind_names
  std::vector<std::size_t> item = {};  // the shape of an item; empty: an item is one value
  std::size_t lists = 0;               // levels of lists; 0: each row is one item, 1: each row is a list of items

  bool operator==(const ColumnType&) const = default;
};

// The maximum of ColumnType::lists that check_writable() accepts.
constexpr std::size_t max_list_depth = 16;

// Returns the types of the columns, in their order.
std::vector<ColumnType> types_of(const Rows& rows);
// Returns the shape of an item as a text, such as "[2,3]"; "[]" for an item of one value.
std::string shape_text(const std::vector<std::size_t>& item);
// Returns a text for messages, such as "x: lists of float32 [2,3]".
std::string describe(const ColumnType& type);

// Call this before to_examples(). Throws an Error if from_examples() could not restore columns of these types: if two
// columns would become features of the same name, if an item has no values, or if lists are nested deeper than
// max_list_depth.
void check_writable(const std::vector<ColumnType>& types);
// Replaces all columns by one column, "record", of serialized Examples with a feature for each column, and one for the
// lengths of each level of nested lists. The caller must have checked the columns' types with check_writable().
void to_examples(Rows& rows);
// Returns the inverse of to_examples(): a function that replaces the column "record" by columns of these types, in this
// order. The function moves rows whose Example does not have such columns to Rows::lost. It throws an Error if the rows
// have no column "record" of strings.
RowsFunction from_examples(std::vector<ColumnType> types);

// Returns a function that replaces all columns by one column, "record". Each row becomes an Example with a feature for
// each column. Differs from to_examples(): a row's empty list becomes no feature, and the function throws an Error for
// columns of lists of lists. It needs no check_writable().
RowsFunction write_examples();

}  // namespace carrack::data
