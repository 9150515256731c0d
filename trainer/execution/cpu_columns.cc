#include "trainer/execution/cpu_columns.h"

#include <algorithm>

#include "trainer/execution/cpu_arguments.h"
#include "trainer/kernels/rows.h"

namespace carrack::train {
namespace {

// A tensor as the rows in front of an axis, and the elements of a row from the axis on.
struct Columns {
  std::int64_t rows;
  std::int64_t width;
};

Columns columns_of(const Extents& extents, std::size_t axis) {
  Columns columns{1, 1};
  for (std::size_t i = 0; i < rank_max; ++i) (i < axis ? columns.rows : columns.width) *= extents[i];
  return columns;
}

// The position of the attribute `axis` in extents.
std::size_t axis_in_extents(const Graph& graph, const Node& node) {
  const std::size_t ahead = rank_max - graph.value(node.inputs[0]).shape.size();
  return ahead + static_cast<std::size_t>(node.attributes.get<std::int64_t>("axis"));
}

}  // namespace

PreparedKernel concat_kernel(const Graph& graph, const Node& node) {
  return [axis = axis_in_extents(graph, node)](const KernelCall& call) {
    const Columns to = columns_of(call.outputs[0].extents, axis);
    float* at = floats(call.outputs[0]);
    for (const KernelInput& input : call.inputs) {
      const std::int64_t width = columns_of(input.extents, axis).width;
      cpu::copy_columns(to.rows, width, floats(input), width, at, to.width);
      at += width;
    }
  };
}

PreparedKernel slice_kernel(const Graph& graph, const Node& node) {
  const auto start = node.attributes.get<std::int64_t>("start");
  return [axis = axis_in_extents(graph, node), start](const KernelCall& call) {
    const Columns from = columns_of(call.inputs[0].extents, axis), to = columns_of(call.outputs[0].extents, axis);
    const std::int64_t inner = from.width / call.inputs[0].extents[axis];
    cpu::copy_columns(to.rows, to.width, floats(call.inputs[0]) + start * inner, from.width, floats(call.outputs[0]),
                      to.width);
  };
}

PreparedKernel pad_kernel(const Graph& graph, const Node& node) {
  const auto before = node.attributes.get<std::int64_t>("before");
  return [axis = axis_in_extents(graph, node), before](const KernelCall& call) {
    const Columns from = columns_of(call.inputs[0].extents, axis), to = columns_of(call.outputs[0].extents, axis);
    const std::int64_t inner = from.width / call.inputs[0].extents[axis];
    std::ranges::fill(elements(call.outputs[0]), 0.0f);
    cpu::copy_columns(to.rows, from.width, floats(call.inputs[0]), from.width, floats(call.outputs[0]) + before * inner,
                      to.width);
  };
}

PreparedKernel reverse_kernel(const Graph& graph, const Node& node) {
  return [axis = axis_in_extents(graph, node)](const KernelCall& call) {
    const Extents& extents = call.outputs[0].extents;
    const Columns columns = columns_of(extents, axis);
    const std::int64_t length = extents[axis], inner = columns.width / length;
    cpu::divide(call.threads, columns.rows, columns.rows * columns.width, [&](Range rows) {
      const float* from = floats(call.inputs[0]) + rows.begin * columns.width;
      float* to = floats(call.outputs[0]) + rows.begin * columns.width;
      for (std::int64_t i = 0; i < length; ++i) {
        cpu::copy_columns(rows.size(), inner, from + i * inner, columns.width, to + (length - 1 - i) * inner,
                          columns.width);
      }
    });
  };
}

}  // namespace carrack::train
