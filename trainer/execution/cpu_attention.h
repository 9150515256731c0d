// Kernels of the CPU for attention.
#pragma once

#include "trainer/execution/kernel.h"

namespace carrack::train {

PreparedKernel attention_kernel(const Graph& graph, const Node& node);
PreparedKernel attention_gradient_kernel(const Graph& graph, const Node& node);

}  // namespace carrack::train
