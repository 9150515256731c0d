// A trained model as a SavedModel of TensorFlow: its graph with all weights as constants, and signatures by which it is
// called. docs/formats/saved_model.md describes both. Pure.
#pragma once

#include <span>
#include <string>

#include "trainer/export/saved_model.pb.h"
#include "trainer/launch/config.h"

namespace carrack::train {

// `parameters` are those of config.model, as layout_of() places them. Throws Error, with Blame::user, if the model is
// larger than the 2 GB that a file of this format can have.
saved_model::SavedModel saved_model_of(const Config& config, std::span<const float> parameters);

// The same model has the same bytes. Throws like saved_model_of().
std::string bytes_of(const saved_model::SavedModel& model);

}  // namespace carrack::train
