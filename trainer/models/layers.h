// Builds the graph of a model of kind Layers (spec.model.layers), layer by layer, for training or for inference.
// model_graph() and inference_graph() in model.h call these functions for such models, and problems_in() in check.h.
#pragma once

#include <string>
#include <vector>

#include "trainer/launch/config.h"
#include "trainer/models/model.h"

namespace carrack::train {

// Returns a name for each layer, in order: its name in the manifest or, if it has none, its kind in lower case, as in
// Keras. From the second layer of a kind without a name on, a number is appended: dense, dense_1, ... Two names may be
// equal; problems_in() (check_layers.h) reports that.
std::vector<std::string> names_of(const std::vector<Layer>& layers);

// Build the graph for training, whose result is the loss, and the graph for inference, whose result is the output. With
// Losses::left_out the second one has only what the output needs. The model must have no problems that problems_in()
// (check_layers.h) finds. Throw Error with Blame::user if the sizes of layers, of the target, of the mask or of labels
// do not fit each other; the message begins with the path of the field.
ModelGraph build(const Layers& model, const Data& data);
InferenceGraph inference(const Layers& model, const Data& data, Losses losses);

}  // namespace carrack::train
