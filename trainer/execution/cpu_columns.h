// The kernels of the CPU that join tensors along an axis, cut parts out of them, and turn them round.
#pragma once

#include "trainer/execution/kernel.h"

namespace carrack::train {

PreparedKernel concat_kernel(const Graph& graph, const Node& node);
PreparedKernel slice_kernel(const Graph& graph, const Node& node);
PreparedKernel pad_kernel(const Graph& graph, const Node& node);
PreparedKernel reverse_kernel(const Graph& graph, const Node& node);

}  // namespace carrack::train
