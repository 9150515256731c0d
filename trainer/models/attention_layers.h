// Layers of transformers, as functions of layer_kinds.cc.
#pragma once

#include "trainer/models/layer_kinds.h"

namespace carrack::train {

ValueId multi_head_attention(LayerBuilder& builder);
ValueId position_embedding(LayerBuilder& builder);

}  // namespace carrack::train
