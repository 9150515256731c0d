// Converts a trained model to a SavedModel of TensorFlow: its graph with all weights as constants, and the signatures
// by which it is called. docs/formats/saved_model.md describes both.
#pragma once

#include <span>
#include <string>

#include "trainer/export/saved_model.pb.h"
#include "trainer/launch/config.h"

namespace carrack::train {

// Converts the model. `parameters` are those of config.model, in the layout of layout_of() (models/model.h). Throws
// Error with Blame::user if the parameters exceed the 2 GB that a file of this format can have, if a size is beyond
// int32, or if the model is of kind Own.
saved_model::SavedModel saved_model_of(const Config& config, std::span<const float> parameters);

// Serializes the model: equal models give equal bytes. Throws Error with Blame::user if these exceed 2 GB.
std::string bytes_of(const saved_model::SavedModel& model);

}  // namespace carrack::train
