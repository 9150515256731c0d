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
  std::string reason;    // a sentence that says why it has this type; empty if the user has said the type
  bool skipped = false;  // No feature can hold the column.
};

struct JoinedFeature {
  std::string name;
  Dtype dtype = Dtype::float32;
  std::vector<std::string> columns;  // in the order of their values in the feature
};

// The column of this name; the end of `columns` if there is none.
std::vector<InferredColumn>::iterator find_column(std::vector<InferredColumn>& columns, const std::string& name);

// "there is no column heigth; did you mean 'height'?"
std::string unknown_column_message(const std::string& name, const std::vector<InferredColumn>& columns);

// Resolves --join against the columns that there are. It also changes the joined columns so that each must hold one
// number of the feature's type; a row without one is then unusable. Throws Refused for columns that cannot be joined.
std::vector<JoinedFeature> resolve_joins(const Request& request, std::vector<InferredColumn>& columns);

// The rows with each joined feature first, in place of its columns.
Dataset join_columns(const Dataset& rows, const std::vector<JoinedFeature>& joins);

}  // namespace carrack::data::cli
