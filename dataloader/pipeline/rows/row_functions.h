// Functions for rows: parse_examples() parses a column of tf.Examples into columns, for Dataset::parse(), snapshots and
// the trainer. pad_lists() pads lists to one length, for Dataset::padded_batch().
#pragma once

#include <string>
#include <vector>

#include "dataloader/pipeline/rows/rows.h"
#include "dataloader/records/example.h"

namespace carrack::data {

// Returns a function that replaces a column of serialized tf.Examples by one column for each feature, after the other
// columns. The function moves rows whose Example does not have the features to Rows::lost. A feature with Shape::padded
// becomes a list, because only a batch knows its longest list; pad_lists() pads it. parse_examples() throws an Error if
// the features contradict each other (check_features() in example.h). The function throws an Error if the column is
// missing or does not have one string for each row.
RowsFunction parse_examples(std::vector<Feature> features, const std::string& column = "record");

// Converts the values of the parser (records/example.h) to the values of a column of Rows, by moving them.
ColumnValues column_values(Values values);
// Converts a column of the parser to a column of Rows with the feature's name. The shape of its items is
// {feature.count}, or empty if that count is 1.
NamedColumn named_column(const Feature& feature, Column parsed);

// A column whose lists are padded.
struct Padding {
  std::string column;
  ColumnValues value = {};  // its first element is the padding; if empty, 0 or "" is (see pad() in rows.h)
};
// Returns a function that pads the lists of these columns, each column to its longest list among the rows of the call,
// so pass it whole batches. If `columns` is empty, it pads all columns of lists. It throws an Error if the rows lack
// one of the columns. Padding strings are not copied: their memory must outlive the rows.
RowsFunction pad_lists(std::vector<Padding> columns);

}  // namespace carrack::data
