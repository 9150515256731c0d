// Functions that parse and pad rows.
#pragma once

#include <string>
#include <vector>

#include "dataloader/pipeline/rows/rows.h"
#include "dataloader/records/example.h"

namespace carrack::data {

// Returns a function that replaces a column of serialized tf.Examples by a column for each feature. It moves rows that
// do not have the features to `lost`. Features with Shape::padded become lists, since only a batch knows its longest
// list; pad_lists() pads them. Throws an Error if the features contradict each other. The function throws an Error if
// the column is missing or does not hold one string for each row.
RowsFunction parse_examples(std::vector<Feature> features, const std::string& column = "record");

// Converts the values of a feature, or its default, to the values of a column.
ColumnValues column_values(Values values);
// Returns the column for a feature that was parsed. The shape of its items is {feature.count}, or empty if that is 1.
NamedColumn named_column(const Feature& feature, Column parsed);

// A column whose lists are padded, and the value to pad with: see pad() in rows.h.
struct Padding {
  std::string column;
  ColumnValues value = {};
};
// Returns a function that pads the lists of these columns, or all lists if `columns` is empty, to the longest list
// among the rows of the call. It throws an Error if the rows lack one of the columns.
RowsFunction pad_lists(std::vector<Padding> columns);

}  // namespace carrack::data
