// What is done to rows, as functions: parsing, padding.
#pragma once

#include <string>
#include <vector>

#include "dataloader/pipeline/rows/rows.h"
#include "dataloader/records/example.h"

namespace carrack::data {

// Parses the column `from`, which is replaced by a column for each feature. Rows that do not give them are lost. Padded
// features come as lists, as how long the longest is only a batch knows. Throws an Error where what is asked for makes
// no sense.
RowsFunction parse_examples(std::vector<Feature> features, const std::string& from = "record");

// Makes lists of a batch as long as the longest; all lists where no name is given.
struct Padding {
  std::string column;
  ColumnValues value = {};
};
RowsFunction pad_lists(std::vector<Padding> columns);

}  // namespace carrack::data
