// The CPU's kernels of the operators LSTM, LSTMGradient, GRU, GRUGradient and StepInputs: each function is a
// Kernel::prepare of kernel.h. The kernels pass their inputs and outputs on to trainer/kernels/recurrent.h, which
// describes them. They do not refer to the graph or the node afterwards, and check no shapes: the graph has done that.
#pragma once

#include "trainer/execution/kernel.h"

namespace carrack::train {

PreparedKernel lstm_kernel(const Graph& graph, const Node& node);
PreparedKernel lstm_gradient_kernel(const Graph& graph, const Node& node);
PreparedKernel gru_kernel(const Graph& graph, const Node& node);
PreparedKernel gru_gradient_kernel(const Graph& graph, const Node& node);
PreparedKernel step_inputs_kernel(const Graph& graph, const Node& node);

}  // namespace carrack::train
