#include "trainer/execution/cpu_convolution.h"

#include "trainer/execution/cpu_arguments.h"
#include "trainer/graph/ops/windows.h"
#include "trainer/kernels/convolution.h"

namespace carrack::train {
namespace {

// Of one row. The shapes are those of a node that the graph has accepted.
ConvolutionShape shape_of(const Dimensions& images, const Dimensions& weights, const Attributes& attributes) {
  const auto windows = std::get<Windows>(windows_over(images, weights[0].count, weights[1].count, attributes));
  return {.rows = 1,
          .height = windows.height,
          .width = windows.width,
          .channels = images[3].count,
          .filters = weights[3].count,
          .groups = attributes.get_or<std::int64_t>("group", 1)};
}

ConvolutionShape with_rows(ConvolutionShape shape, const KernelCall& call) {
  shape.rows = call.rows;
  return shape;
}

}  // namespace

PreparedKernel convolution_kernel(const Graph& graph, const Node& node) {
  const Dimensions &images = graph.value(node.inputs[0]).shape, &weights = graph.value(node.inputs[1]).shape;
  return [shape = shape_of(images, weights, node.attributes)](const KernelCall& call) {
    cpu::convolution(with_rows(shape, call), floats(call.inputs[0]), floats(call.inputs[1]), floats(call.outputs[0]),
                     call.threads);
  };
}

PreparedKernel convolution_input_gradient_kernel(const Graph& graph, const Node& node) {
  const Dimensions &images = graph.value(node.outputs[0]).shape, &weights = graph.value(node.inputs[1]).shape;
  return [shape = shape_of(images, weights, node.attributes)](const KernelCall& call) {
    cpu::convolution_input_gradient(with_rows(shape, call), floats(call.inputs[0]), floats(call.inputs[1]),
                                    floats(call.outputs[0]), call.threads);
  };
}

PreparedKernel convolution_weight_gradient_kernel(const Graph& graph, const Node& node) {
  const Dimensions &images = graph.value(node.inputs[1]).shape, &weights = graph.value(node.outputs[0]).shape;
  return [shape = shape_of(images, weights, node.attributes)](const KernelCall& call) {
    cpu::convolution_weight_gradient(with_rows(shape, call), floats(call.inputs[0]), floats(call.inputs[1]),
                                     floats(call.outputs[0]), call.lane_ends, call.threads);
  };
}

}  // namespace carrack::train
