// Builds the network of `spec.model.layers` as a graph, layer by layer.
#pragma once

#include <string>
#include <vector>

#include "trainer/launch/config.h"
#include "trainer/models/model.h"

namespace carrack::train {

// Returns a name for each layer, in order: its name in the manifest or, if it has none, its kind in lower case. From
// the second layer of a kind without a name on, a number is appended: dense, dense_1, ... The names may not be unique,
// which problems_in() reports (check_layers.h).
std::vector<std::string> names_of(const std::vector<Layer>& layers);

// Build the graphs for training and for inference. Throw Error with Blame::user if the sizes of layers, of the target,
// of the mask or of labels do not fit; the message begins with the path of the field. The model must have no problems
// that problems_in() finds (check_layers.h).
ModelGraph build(const Layers& model, const Data& data);
InferenceGraph inference(const Layers& model, const Data& data, Losses losses);

}  // namespace carrack::train
