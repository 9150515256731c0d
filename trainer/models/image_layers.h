// Layers over the pixels of images.
#pragma once

#include "trainer/models/layer_kinds.h"

namespace carrack::train {

ValueId conv2d(LayerBuilder& builder);

}  // namespace carrack::train
