// Implements --join of `carrack data convert`, `bench` and `explain`. With --join x=age,height, the columns `age` and
// `height` of CSV or JSON lines become one feature `x` with two values in each row, because models read vectors where
// tables have columns.
#pragma once

#include <string>
#include <vector>

#include "dataloader/cli/request.h"
#include "dataloader/pipeline/dataset.h"

namespace carrack::data::cli {

// A column of the files, with the type that was inferred from its first rows or that --types says.
struct InferredColumn {
  Feature feature;  // the name of the column, and how it is read
  // A sentence that says why it has this type, or is skipped; empty if the user chose the type, or it is joined.
  std::string reason;
  bool skipped = false;  // The column is not read, because no feature can hold it.
};

// The result of one --join.
struct JoinedFeature {
  std::string name;
  Dtype dtype = Dtype::float32;      // as --types says for the feature, otherwise float32; never bytes
  std::vector<std::string> columns;  // names, in the order of their values in the feature; `a..b` is expanded
};

// Returns the column of this name, or columns.end() if it does not exist.
std::vector<InferredColumn>::iterator find_column(std::vector<InferredColumn>& columns, const std::string& name);

// "there is no column heigth; did you mean 'height'?"
std::string unknown_column_message(const std::string& name, const std::vector<InferredColumn>& columns);

// The first step: returns a feature for each --join, in their order; empty without --join. Changes the joined columns
// in `columns` so that each must hold exactly one number of the joined feature's type; a row that lacks the number
// cannot be used, unless --fill sets it. Reads no files. Throws Refused for columns that do not exist, hold no numbers
// or are joined twice, and for a feature whose name is not unique.
std::vector<JoinedFeature> resolve_joins(const Request& request, std::vector<InferredColumn>& columns);

// The second step: returns a data set with the joined features first, then the columns that are not joined. Each joined
// feature has one value for each of its columns. `rows` must read the columns as resolve_joins() has changed them.
// Returns `rows` if `joins` is empty.
Dataset join_columns(const Dataset& rows, const std::vector<JoinedFeature>& joins);

}  // namespace carrack::data::cli
