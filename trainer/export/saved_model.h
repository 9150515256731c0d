// Converts a trained model to a SavedModel of TensorFlow: its graph with all weights as constants, and the signatures
// by which it is called. docs/formats/saved_model.md describes both. Pure.
#pragma once

#include <span>
#include <string>

#include "trainer/export/saved_model.pb.h"
#include "trainer/launch/config.h"

namespace carrack::train {

// `parameters` are those of config.model, as layout_of() places them. Throws Error with Blame::user if the model
// exceeds the 2 GB that a file of this format can have, or if its kind is Own.
saved_model::SavedModel saved_model_of(const Config& config, std::span<const float> parameters);

// Serializes the model, always to the same bytes. Throws Error with Blame::user if these exceed 2 GB.
std::string bytes_of(const saved_model::SavedModel& model);

}  // namespace carrack::train
