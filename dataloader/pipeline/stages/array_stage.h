// Rows of numpy's arrays, from .npy and .npz files. See record_stages.h for what the members of a stage are.
#pragma once

#include <string>
#include <vector>

#include "dataloader/pipeline/stages/opened.h"

namespace carrack::data::stages {

// A column for each array of an .npz file, and this column for an .npy file.
struct Arrays {
  std::vector<std::string> patterns;
  std::string column = "values";

  static constexpr const char* kind = "arrays";
  std::string canonical() const;
  std::string description() const;
  Opened open(const OpenContext& context) const;
};

}  // namespace carrack::data::stages
