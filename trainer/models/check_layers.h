// Checks a network of layers, and how it uses the features, before its graph is built.
#pragma once

#include <vector>

#include "trainer/launch/config.h"
#include "trainer/models/check.h"

namespace carrack::train {

// All problems with names, numbers and features. Whether sizes fit is known once the graph is built.
std::vector<ModelProblem> problems_in(const Layers& model, const Data& data);

}  // namespace carrack::train
