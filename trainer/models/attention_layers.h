// The layers of transformers, as entries for the table in layer_kinds.cc. Each function appends the layer to the
// builder's graph and returns its output. Throws Error with Blame::user if the inputs do not fit.
#pragma once

#include "trainer/models/layer_kinds.h"

namespace carrack::train {

// The inputs are queries, optionally keys with values (by default the queries), and optionally a mask of the keys.
ValueId multi_head_attention(LayerBuilder& builder);
// Adds a trained row of values for each time step to the input.
ValueId position_embedding(LayerBuilder& builder);

}  // namespace carrack::train
