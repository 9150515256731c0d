// Arrays: the stage of Dataset::arrays(), a source of rows of numpy's arrays, which .npy and .npz files contain.
// record_stages.h explains the members that all stages have.
#pragma once

#include <string>
#include <vector>

#include "dataloader/pipeline/stages/canonical.h"
#include "dataloader/pipeline/stages/opened.h"
#include "dataloader/pipeline/stages/words.h"

namespace carrack::data::stages {

// Each entry along the first axis of an array is a row: an array of shape [1000, 28, 28] has 1,000 rows of shape [28,
// 28]. An .npz file has a column for each of its arrays. An .npy file has a single column, with the name `column`.
// Integers become int64, all other numbers float32. The elements are a sequence. open() throws an Error unless all
// files have the same columns with the same shapes of rows, and all arrays of a file have the same number of rows.
struct Arrays {
  std::vector<std::string> patterns;  // each must match a file
  std::string column = "values";      // name of the column of an .npy file

  static constexpr const char* kind = "arrays";
  std::string canonical() const { return CanonicalStage(kind).add("file", patterns).add("column", column).text(); }
  std::string description() const { return join(patterns) + " as " + column; }
  Opened open(const OpenContext& context) const;
};

}  // namespace carrack::data::stages
