// The manifest that `carrack init` writes: for one kind of model, with the features of the records at hand. Pure.
#pragma once

#include <string>
#include <vector>

#include "dataloader/cli/survey_features.h"

namespace carrack::control {

struct NewJob {
  std::string name;
  std::string model;               // one of model_words()
  std::vector<std::string> files;  // as the user typed them
  std::string target;              // the feature to be predicted; empty: the one that is named as if it were
};

// Linear, MLP, ...
const std::vector<std::string>& model_words();

// YAML with comments. Throws Error (user) if the records do not have what the model needs.
std::string new_manifest(const NewJob& job, const data::cli::RecordsFound& found);

}  // namespace carrack::control
