// The kernels of the CPU for recurrent layers, to be prepared for a node.
#pragma once

#include "trainer/execution/kernel.h"

namespace carrack::train {

PreparedKernel lstm_kernel(const Graph& graph, const Node& node);
PreparedKernel lstm_gradient_kernel(const Graph& graph, const Node& node);
PreparedKernel gru_kernel(const Graph& graph, const Node& node);
PreparedKernel gru_gradient_kernel(const Graph& graph, const Node& node);
PreparedKernel step_inputs_kernel(const Graph& graph, const Node& node);

}  // namespace carrack::train
