// Converts rows to serialized tf.Examples. to_examples() and from_examples() are for snapshots
// (docs/formats/snapshot.md) and lose no columns, values or lists. write_examples() makes Examples for any other
// reader.
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
// Returns a text such as "[2,3]"; "[]" for an item of one value.
std::string sides_of(const std::vector<std::size_t>& item);
// Returns a text such as "x: lists of float32 [2,3]".
std::string describe(const ColumnType& type);

// Throws an Error if from_examples() could not restore columns of these types: if two columns would become features of
// the same name, if an item has no values, or if lists are nested deeper than max_list_depth.
void check_writable(const std::vector<ColumnType>& types);
// Replaces all columns by one column, "record", of serialized Examples. The caller must have checked the columns' types
// with check_writable().
void to_examples(Rows& rows);
// Returns the inverse function: it replaces the column "record" by columns of these types, in this order. It moves rows
// whose Example does not have such columns to `lost`. It throws an Error if the rows have no column "record" of
// strings.
RowsFunction from_examples(std::vector<ColumnType> types);

// Returns a function that replaces all columns by one column, "record". Each row becomes an Example with a feature for
// each column; a row's empty list becomes no feature. The function throws an Error for columns of lists of lists.
RowsFunction write_examples();

}  // namespace carrack::data
