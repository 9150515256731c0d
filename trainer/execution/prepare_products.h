// Templates that make kernels (kernel.h) of matrix products, convolutions and pooling. The tables of cpu_kernels.cc and
// cuda_kernels.cc use them as Kernel::prepare, each with the function of its device as template argument `run`. The
// comment above each template shows the arguments with which the prepared kernel calls `run`: the KernelCall, then what
// was prepared from the node, then the inputs and outputs of the call. An argument of_x is the gradient of the loss
// with respect to x.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "trainer/execution/arguments.h"
#include "trainer/execution/kernel.h"
#include "trainer/graph/ops/matrix.h"
#include "trainer/graph/ops/windows.h"
#include "trainer/kernels/convolution.h"
#include "trainer/kernels/matrix.h"
#include "trainer/kernels/pooling.h"

namespace carrack::train {

// run(call, shape, a, b, c, lane_ends). `lane_ends` cut k; they are empty if k does not depend on the number of rows.
template <auto run>
PreparedKernel prepare_product(const Graph& graph, const Node& node) {
  const Dimensions &a = graph.value(node.inputs[0]).shape, &b = graph.value(node.inputs[1]).shape;
  const ProductSizes sizes = product_sizes(a, b, node.attributes).value();
  const bool ta = node.attributes.get_or<std::int64_t>("transA", 0) != 0;
  const bool tb = node.attributes.get_or<std::int64_t>("transB", 0) != 0;
  return [sizes, ta, tb](const KernelCall& call) {
    const GemmShape shape{.transpose_a = ta,
                          .transpose_b = tb,
                          .m = sizes.m.with_rows(call.rows),
                          .n = sizes.n.with_rows(call.rows),
                          .k = sizes.k.with_rows(call.rows)};
    run(call, shape, floats(call.inputs[0]), floats(call.inputs[1]), floats(call.outputs[0]),
        sizes.k.of_rows ? call.lane_ends.times(sizes.k.count) : LaneEnds());
  };
}

// Returns the shape of a convolution with 1 row (record); with_rows() sets the rows of a call. The graph must have
// accepted a node with these shapes and attributes.
inline ConvolutionShape convolution_shape(const Dimensions& images, const Dimensions& weights,
                                          const Attributes& attributes) {
  const auto windows = std::get<Windows>(windows_over(images, weights[0].count, weights[1].count, attributes));
  return {.rows = 1,
          .height = windows.height,
          .width = windows.width,
          .channels = images[3].count,
          .filters = weights[3].count,
          .groups = attributes.get_or<std::int64_t>("group", 1)};
}

// Returns the shape with the rows of the call.
inline ConvolutionShape with_rows(ConvolutionShape shape, const KernelCall& call) {
  shape.rows = call.rows;
  return shape;
}

// run(call, shape, x, weights, y)
template <auto run>
PreparedKernel prepare_convolution(const Graph& graph, const Node& node) {
  const Dimensions &images = graph.value(node.inputs[0]).shape, &weights = graph.value(node.inputs[1]).shape;
  return [shape = convolution_shape(images, weights, node.attributes)](const KernelCall& call) {
    run(call, with_rows(shape, call), floats(call.inputs[0]), floats(call.inputs[1]), floats(call.outputs[0]));
  };
}

// run(call, shape, of_y, weights, of_x)
template <auto run>
PreparedKernel prepare_convolution_input_gradient(const Graph& graph, const Node& node) {
  const Dimensions &images = graph.value(node.outputs[0]).shape, &weights = graph.value(node.inputs[1]).shape;
  return [shape = convolution_shape(images, weights, node.attributes)](const KernelCall& call) {
    run(call, with_rows(shape, call), floats(call.inputs[0]), floats(call.inputs[1]), floats(call.outputs[0]));
  };
}

// run(call, shape, of_y, x, of_weights, lane_ends)
template <auto run>
PreparedKernel prepare_convolution_weight_gradient(const Graph& graph, const Node& node) {
  const Dimensions &images = graph.value(node.inputs[1]).shape, &weights = graph.value(node.outputs[0]).shape;
  return [shape = convolution_shape(images, weights, node.attributes)](const KernelCall& call) {
    run(call, with_rows(shape, call), floats(call.inputs[0]), floats(call.inputs[1]), floats(call.outputs[0]),
        call.lane_ends);
  };
}

// Returns a function that returns the shape of a call, which depends on its number of rows. The graph must have
// accepted a node with these images and attributes.
inline std::function<PoolingShape(const KernelCall&)> pooling_shape(const Dimensions& images,
                                                                    const Attributes& attributes) {
  const auto windows = std::get<Windows>(pooling_windows(images, attributes));
  return [windows, channels = images[3].count](const KernelCall& call) {
    return PoolingShape{.rows = call.rows, .height = windows.height, .width = windows.width, .channels = channels};
  };
}

// run(call, shape, x, y)
template <auto run>
PreparedKernel prepare_pooling(const Graph& graph, const Node& node) {
  return [shape = pooling_shape(graph.value(node.inputs[0]).shape, node.attributes)](const KernelCall& call) {
    run(call, shape(call), floats(call.inputs[0]), floats(call.outputs[0]));
  };
}

// run(call, shape, of_y, x, of_x)
template <auto run>
PreparedKernel prepare_max_pool_gradient(const Graph& graph, const Node& node) {
  return [shape = pooling_shape(graph.value(node.inputs[1]).shape, node.attributes)](const KernelCall& call) {
    run(call, shape(call), floats(call.inputs[0]), floats(call.inputs[1]), floats(call.outputs[0]));
  };
}

// run(call, shape, of_y, of_x)
template <auto run>
PreparedKernel prepare_average_pool_gradient(const Graph& graph, const Node& node) {
  return [shape = pooling_shape(graph.value(node.outputs[0]).shape, node.attributes)](const KernelCall& call) {
    run(call, shape(call), floats(call.inputs[0]), floats(call.outputs[0]));
  };
}

}  // namespace carrack::train
