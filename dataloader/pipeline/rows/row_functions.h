// Functions that parse and pad rows.
#pragma once

#include <string>
#include <vector>

#include "dataloader/pipeline/rows/rows.h"
#include "dataloader/records/example.h"

namespace carrack::data {

// Replaces a column of serialized tf.Examples by a column for each feature. Rows that lack a feature are lost. Padded
// features become lists: only a batch knows the longest of them. Throws an Error for features that make no sense.
RowsFunction parse_examples(std::vector<Feature> features, const std::string& column = "record");

// The values of an Example's feature, or their default, as those of a column.
ColumnValues column_values(Values values);
// What was parsed of a feature.
NamedColumn named_column(const Feature& feature, Column parsed);

// Which lists of a batch to pad, and with what: see pad() in rows.h.
struct Padding {
  std::string column;
  ColumnValues value = {};
};
// Pads all lists if `columns` is empty. The function throws an Error if the rows lack one of the columns.
RowsFunction pad_lists(std::vector<Padding> columns);

}  // namespace carrack::data
