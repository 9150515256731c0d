// The layers of transformers, as entries for the table in layer_kinds.cc. Each function appends the layer to the
// builder's graph and returns its output. Throws Error with Blame::user if the inputs do not fit.
#pragma once

#include "trainer/models/layer_kinds.h"

namespace carrack::train {

// The inputs are the queries; optionally the sequence from which keys and values are computed, which is the queries if
// it is left out; and optionally a mask, a feature with a value for each step of that sequence, where 0 hides the step.
ValueId multi_head_attention(LayerBuilder& builder);
// Adds to each time step of the input a row of trained values.
ValueId position_embedding(LayerBuilder& builder);

}  // namespace carrack::train
