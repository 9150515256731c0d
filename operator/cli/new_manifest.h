// Composes the manifest that `carrack init` writes: for one kind of model, with the features of given records. Pure.
#pragma once

#include <string>
#include <vector>

#include "dataloader/cli/survey_features.h"

namespace carrack::control {

// The caller checks `name` and `model`.
struct NewJob {
  std::string name;                // the name of the job, a DNS label
  std::string model;               // one of model_words()
  std::vector<std::string> files;  // as the user typed them; not empty
  std::string target;  // the feature to predict, or the input of an Autoencoder; empty: it is chosen from the records
};

// The words for kinds of models: Linear, MLP, LSTM and Autoencoder.
const std::vector<std::string>& model_words();

// Returns YAML with comments. If job.target is empty, the target is the feature named y, or else target, label or
// class, in upper or lower case; an Autoencoder reads an image, or else the numeric feature with the most values.
// Throws Error with Blame::user if the records do not have what the model needs.
std::string new_manifest(const NewJob& job, const data::cli::RecordsFound& found);

}  // namespace carrack::control
