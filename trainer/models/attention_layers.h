// Builds the layers of transformers in a model's graph. append_layer() (layer_kinds.h) calls these functions by the
// table in layer_kinds.cc. Each appends the layer builder.layer to builder.graph, its tensors to builder.parameters,
// and returns the layer's output. Throws Error with Blame::user if the inputs do not fit.
#pragma once

#include "trainer/models/layer_kinds.h"

namespace carrack::train {

// Inputs: the queries [rows, steps, values]; then, optionally, the sequence from which keys and values are computed, by
// default the queries (self-attention); then, optionally, a mask, which must be a feature with a value for each step of
// that sequence. Attention ignores the steps where it is 0. The output has the shape of the queries.
ValueId multi_head_attention(LayerBuilder& builder);
// Adds a trained vector to each time step of the input [rows, steps, values]: another one for each step, the same for
// all records. The output has the same shape.
ValueId position_embedding(LayerBuilder& builder);

}  // namespace carrack::train
