// Joins columns of CSV or JSON lines into one feature (--join): models want a vector where tables have columns.
#pragma once

#include <string>
#include <vector>

#include "dataloader/cli/request.h"
#include "dataloader/pipeline/dataset.h"

namespace carrack::data::cli {

// A column whose type was inferred from the first rows.
struct InferredColumn {
  Feature feature;
  std::string reason;    // a sentence that says why it has this type, or is skipped; empty if the user chose the type
  bool skipped = false;  // No feature can hold the column.
};

struct JoinedFeature {
  std::string name;
  Dtype dtype = Dtype::float32;      // the one that --types names for the feature, else float32; never bytes
  std::vector<std::string> columns;  // in the order of their values in the feature
};

// The column of this name; the end of `columns` if there is none.
std::vector<InferredColumn>::iterator find_column(std::vector<InferredColumn>& columns, const std::string& name);

// "there is no column heigth; did you mean 'height'?"
std::string unknown_column_message(const std::string& name, const std::vector<InferredColumn>& columns);

// Finds the columns of each --join. Changes these in `columns` so that each must hold exactly one number of the joined
// feature's type: if rows are read with the changed columns, a row without that number is unusable. Throws Refused for
// columns that cannot be joined.
std::vector<JoinedFeature> resolve_joins(const Request& request, std::vector<InferredColumn>& columns);

// The rows with the joined features first, and then the columns that are not joined. `rows` must be read with the
// columns as resolve_joins() changed them.
Dataset join_columns(const Dataset& rows, const std::vector<JoinedFeature>& joins);

}  // namespace carrack::data::cli
