// Composes the manifest that `carrack init` writes, from the kind of model that the user chose and the features that
// were found in the user's records. Pure.
#pragma once

#include <string>
#include <vector>

#include "dataloader/cli/survey_features.h"

namespace carrack::control {

// What the user typed. The caller must have checked `name` and `model`.
struct NewJob {
  std::string name;                // the name of the job, a DNS label
  std::string model;               // one of model_words()
  std::vector<std::string> files;  // as the user typed them; not empty
  std::string target;  // the feature to predict, or the input of an Autoencoder; empty: new_manifest() chooses it
};

// The values of --model: Linear, MLP, LSTM and Autoencoder.
const std::vector<std::string>& model_words();

// Returns the YAML of a TrainingJob, with comments. If job.target is empty, the feature to predict is the one named y,
// or else target, label or class, in upper or lower case; an Autoencoder reads an image, or else the numeric feature
// with the most values. Throws Error with Blame::user if there is no such feature, or if the records do not have what
// the model needs.
std::string new_manifest(const NewJob& job, const data::cli::RecordsFound& found);

}  // namespace carrack::control
