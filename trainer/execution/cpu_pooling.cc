#include "trainer/execution/cpu_pooling.h"

#include "trainer/execution/cpu_arguments.h"
#include "trainer/graph/ops/windows.h"
#include "trainer/kernels/pooling.h"

namespace carrack::train {
namespace {

// By the windows of a node that the graph has accepted.
std::function<PoolingShape(const KernelCall&)> shape_of(const Dimensions& images, const Attributes& attributes) {
  const auto windows = std::get<Windows>(pooling_windows(images, attributes));
  return [windows, channels = images[3].count](const KernelCall& call) {
    return PoolingShape{.rows = call.rows, .height = windows.height, .width = windows.width, .channels = channels};
  };
}

}  // namespace

PreparedKernel max_pool_kernel(const Graph& graph, const Node& node) {
  return [shape = shape_of(graph.value(node.inputs[0]).shape, node.attributes)](const KernelCall& call) {
    cpu::max_pool(shape(call), floats(call.inputs[0]), floats(call.outputs[0]), call.threads);
  };
}

PreparedKernel max_pool_gradient_kernel(const Graph& graph, const Node& node) {
  return [shape = shape_of(graph.value(node.inputs[1]).shape, node.attributes)](const KernelCall& call) {
    cpu::max_pool_gradient(shape(call), floats(call.inputs[0]), floats(call.inputs[1]), floats(call.outputs[0]),
                           call.threads);
  };
}

PreparedKernel average_pool_kernel(const Graph& graph, const Node& node) {
  return [shape = shape_of(graph.value(node.inputs[0]).shape, node.attributes)](const KernelCall& call) {
    cpu::average_pool(shape(call), floats(call.inputs[0]), floats(call.outputs[0]), call.threads);
  };
}

PreparedKernel average_pool_gradient_kernel(const Graph& graph, const Node& node) {
  return [shape = shape_of(graph.value(node.outputs[0]).shape, node.attributes)](const KernelCall& call) {
    cpu::average_pool_gradient(shape(call), floats(call.inputs[0]), floats(call.outputs[0]), call.threads);
  };
}

}  // namespace carrack::train
