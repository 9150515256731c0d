// The source of rows of numpy's arrays, from .npy and .npz files. record_stages.h explains the members of a stage.
#pragma once

#include <string>
#include <vector>

#include "dataloader/pipeline/stages/canonical.h"
#include "dataloader/pipeline/stages/opened.h"
#include "dataloader/pipeline/stages/words.h"

namespace carrack::data::stages {

// Each entry along the first axis of an array is a row. An .npz file gives a column for each of its arrays; an .npy
// file gives one column, which is named here. Whole numbers become int64, all others float32. All files must have the
// same columns with the same shapes of rows.
struct Arrays {
  std::vector<std::string> patterns;
  std::string column = "values";  // of an .npy file

  static constexpr const char* kind = "arrays";
  std::string canonical() const { return CanonicalStage(kind).add("file", patterns).add("column", column).text(); }
  std::string description() const { return join(patterns) + " as " + column; }
  Opened open(const OpenContext& context) const;
};

}  // namespace carrack::data::stages
