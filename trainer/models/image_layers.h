// Layers over the pixels of images.
#pragma once

#include "trainer/models/layer_kinds.h"

namespace carrack::train {

ValueId conv2d(LayerBuilder& builder);
ValueId max_pool2d(LayerBuilder& builder);
ValueId average_pool2d(LayerBuilder& builder);
ValueId global_average_pool2d(LayerBuilder& builder);

}  // namespace carrack::train
