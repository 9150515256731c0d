// CPU kernels for float32 tensors, along one axis: concatenate, cut out a part, pad with zeros, reverse the order.
#pragma once

#include "trainer/execution/kernel.h"

namespace carrack::train {

PreparedKernel concat_kernel(const Graph& graph, const Node& node);
PreparedKernel slice_kernel(const Graph& graph, const Node& node);
PreparedKernel pad_kernel(const Graph& graph, const Node& node);
PreparedKernel reverse_kernel(const Graph& graph, const Node& node);

}  // namespace carrack::train
