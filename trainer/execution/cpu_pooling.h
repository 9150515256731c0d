// Kernels of the CPU for pooling of images.
#pragma once

#include "trainer/execution/kernel.h"

namespace carrack::train {

PreparedKernel max_pool_kernel(const Graph& graph, const Node& node);
PreparedKernel max_pool_gradient_kernel(const Graph& graph, const Node& node);
PreparedKernel average_pool_kernel(const Graph& graph, const Node& node);
PreparedKernel average_pool_gradient_kernel(const Graph& graph, const Node& node);

}  // namespace carrack::train
