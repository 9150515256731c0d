// Checks a network of layers, and how it uses the features, before its graph is built.
#pragma once

#include <vector>

#include "trainer/launch/config.h"
#include "trainer/models/check.h"

namespace carrack::train {

// Returns all problems with names, numbers and features; empty if there are none. Does not check whether the sizes of
// layers fit each other: build() in layers.h does that.
std::vector<ModelProblem> problems_in(const Layers& model, const Data& data);

}  // namespace carrack::train
