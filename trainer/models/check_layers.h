// Checks a model of kind Layers (spec.model.layers and its loss), and how it uses the features, before its graph is
// built: names, numbers and inputs of layers. problems_in() in check.h calls this and then builds the graph.
#pragma once

#include <vector>

#include "trainer/launch/config.h"
#include "trainer/models/check.h"

namespace carrack::train {

// Returns all problems, such as an unknown feature, a number out of its range, or a name that two layers have; empty if
// there are none. Does not check whether the sizes of layers fit each other: build() in layers.h throws if they do not.
std::vector<ModelProblem> problems_in(const Layers& model, const Data& data);

}  // namespace carrack::train
