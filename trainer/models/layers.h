// Builds the network of `spec.model.layers` as a graph, layer by layer.
#pragma once

#include <string>
#include <vector>

#include "trainer/launch/config.h"
#include "trainer/models/model.h"

namespace carrack::train {

// The names of the layers: those of the manifest, and for the others the kind in lower case, with a number from the
// second such layer on: dense, dense_1, ...
std::vector<std::string> names_of(const std::vector<Layer>& layers);

// Throws an Error for the user, which begins with the field's path, if sizes do not fit. The model must have none of
// the problems that problems_in() finds (check_layers.h).
ModelGraph build(const Layers& model, const Data& data);
InferenceGraph inference(const Layers& model, const Data& data, Losses losses);

}  // namespace carrack::train
