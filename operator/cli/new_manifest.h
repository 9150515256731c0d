// Composes the manifest that `carrack init` writes: for one kind of model, with the features of given records. Pure.
#pragma once

#include <string>
#include <vector>

#include "dataloader/cli/survey_features.h"

namespace carrack::control {

struct NewJob {
  std::string name;
  std::string model;               // one of model_words()
  std::vector<std::string> files;  // as the user typed them
  std::string target;              // the feature to predict; empty: the one named y, target, label or class
};

// The kinds of models: Linear, MLP, ...
const std::vector<std::string>& model_words();

// Returns YAML with comments. Throws Error with Blame::user if the records do not have what the model needs.
std::string new_manifest(const NewJob& job, const data::cli::RecordsFound& found);

}  // namespace carrack::control
