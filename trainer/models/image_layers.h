// The layers that read images, as entries for the table in layer_kinds.cc. Each function appends the layer to the
// builder's graph and returns its output. Throws Error with Blame::user if the input is not [rows, height, width,
// channels], if the windows do not fit, or if groups do not divide the channels or filters.
#pragma once

#include "trainer/models/layer_kinds.h"

namespace carrack::train {

ValueId conv2d(LayerBuilder& builder);
ValueId max_pool2d(LayerBuilder& builder);
ValueId average_pool2d(LayerBuilder& builder);
ValueId global_average_pool2d(LayerBuilder& builder);

}  // namespace carrack::train
