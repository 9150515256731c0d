// Columns of text that become one feature: what models want as their input, and tables have side by side.
#pragma once

#include <string>
#include <vector>

#include "dataloader/cli/request.h"
#include "dataloader/pipeline/dataset.h"

namespace carrack::data::cli {

// A column as it was found: what is asked of it, and a sentence that says why.
struct JudgedColumn {
  Feature feature;
  std::string judged;
  bool is_left_out = false;  // No feature holds it.
};

struct Joined {
  std::string name;
  Dtype dtype = Dtype::float32;
  std::vector<std::string> columns;  // in their order in the feature
};

// "there is no column heigth; did you mean 'height'?"
std::string no_column_text(const std::string& name, const std::vector<JudgedColumn>& columns);

// What the joins stand for. Their columns are then asked for as one number each, so that a row without one is bad.
// Throws Refused where they cannot be joined.
std::vector<Joined> take_joins(const Request& request, std::vector<JudgedColumn>& columns);

// Each joined feature in place of its columns.
Dataset joined(const Dataset& rows, const std::vector<Joined>& joins);

}  // namespace carrack::data::cli
