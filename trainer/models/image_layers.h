// Builds the layers that read images in a model's graph. append_layer() (layer_kinds.h) calls these functions by the
// table in layer_kinds.cc. Each appends the layer builder.layer to builder.graph, its tensors to builder.parameters,
// and returns the layer's output. Throws Error with Blame::user if the input is not [rows, height, width, channels], if
// the windows do not fit, or if `groups` does not divide the channels or filters.
#pragma once

#include "trainer/models/layer_kinds.h"

namespace carrack::train {

// The output has the shape [rows, height, width, filters].
ValueId conv2d(LayerBuilder& builder);
// The maximum or the mean of each window, by channel: [rows, height, width, channels].
ValueId max_pool2d(LayerBuilder& builder);
ValueId average_pool2d(LayerBuilder& builder);
// The mean of the whole image, by channel: [rows, channels].
ValueId global_average_pool2d(LayerBuilder& builder);

}  // namespace carrack::train
