// Kernels of the CPU for convolutions of images.
#pragma once

#include "trainer/execution/kernel.h"

namespace carrack::train {

PreparedKernel convolution_kernel(const Graph& graph, const Node& node);
PreparedKernel convolution_input_gradient_kernel(const Graph& graph, const Node& node);
PreparedKernel convolution_weight_gradient_kernel(const Graph& graph, const Node& node);

}  // namespace carrack::train
