// Templates that make kernels (kernel.h) which sum, normalize or move rows, look rows up, or compute the loss of class
// scores. The tables of cpu_kernels.cc and cuda_kernels.cc use them as Kernel::prepare, each with the function of its
// device as template argument `run`. The comment above each template shows the arguments with which the prepared kernel
// calls `run`: the KernelCall, then what was prepared from the node, then the inputs and outputs of the call. An
// argument of_x is the gradient of the loss with respect to x.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "trainer/execution/arguments.h"
#include "trainer/execution/kernel.h"
#include "trainer/kernels/normalization.h"
#include "trainer/kernels/rows.h"
#include "trainer/kernels/sums.h"

namespace carrack::train {

// run(call, reduction, values, sums, lane_ends). `lane_ends` cut the reduced dimension; they are empty if it does not
// depend on the number of rows.
template <auto run>
PreparedKernel prepare_reduce_sum(const Graph& graph, const Node& node) {
  const auto& axes = node.attributes.get<std::vector<std::int64_t>>("axes");
  return [shape = graph.value(node.inputs[0]).shape, first = axes.front(), last = axes.back()](const KernelCall& call) {
    Reduction3 reduction{1, 1, 1};
    std::int64_t per_row = 1;
    bool adds_rows = false;
    for (std::int64_t axis = 0; axis < std::ssize(shape); ++axis) {
      const Dimension dimension = shape[static_cast<std::size_t>(axis)];
      std::int64_t& part = axis < first ? reduction.outer : axis <= last ? reduction.reduced : reduction.inner;
      part *= dimension.with_rows(call.rows);
      if (axis < first || axis > last) continue;
      per_row *= dimension.count;
      adds_rows = adds_rows || dimension.of_rows;
    }
    run(call, reduction, floats(call.inputs[0]), floats(call.outputs[0]),
        adds_rows ? call.lane_ends.times(per_row) : LaneEnds());
  };
}

// run(call, table, data, indices, gathered). `run` must refuse indices outside of the table.
template <auto run>
PreparedKernel prepare_gather(const Graph& graph, const Node& node) {
  return [table = table_of(graph.value(node.inputs[0]).shape)](const KernelCall& call) {
    run(call, table, floats(call.inputs[0]), indices(call.inputs[1]), floats(call.outputs[0]));
  };
}

// Kernel::refusal of Gather: returns the message for an index that is outside of the table.
inline std::string refusal_of_index(const Graph& graph, const Node& node, const Refused& refused) {
  const Value &data = graph.value(node.inputs[0]), &which = graph.value(node.inputs[1]);
  return graph.path() + ": a record has " + std::to_string(refused.integer) + " as `" + which.name + "`, but `" +
         data.name + "` has rows 0 to " + std::to_string(table_of(data.shape).rows - 1);
}

// run(call, table, indices, updates, sums, lane_ends, memory). `memory` is a Memory that all calls of the prepared
// kernel reuse. A copy of the kernel has a copy of it.
template <class Memory, auto run>
PreparedKernel prepare_scatter_add(const Graph& graph, const Node& node) {
  const Table table = table_of(graph.value(node.outputs[0]).shape);
  return [table, per_row = elements_per_row(graph.value(node.inputs[0]).shape),
          memory = Memory()](const KernelCall& call) mutable {
    run(call, table, indices(call.inputs[0]), floats(call.inputs[1]), floats(call.outputs[0]),
        call.lane_ends.times(per_row), memory);
  };
}

// The size of a tensor as a matrix: the product of the dimensions before the axis is the number of rows, and that of
// the axis and the dimensions after it is the width. {2, 3, 4, 5} at axis 2 -> 6 rows of width 20.
struct SplitAtAxis {
  SplitAtAxis(const Extents& extents, std::size_t axis) {
    for (std::size_t i = 0; i < rank_max; ++i) (i < axis ? rows : width) *= extents[i];
  }

  std::int64_t rows = 1;
  std::int64_t width = 1;
};

// Returns the index in Extents, which have ones in front, of the axis that the node's attribute `axis` names.
inline std::size_t axis_in_extents(const Graph& graph, const Node& node) {
  const std::size_t ahead = rank_max - graph.value(node.inputs[0]).shape.size();
  return ahead + static_cast<std::size_t>(node.attributes.get<std::int64_t>("axis"));
}

// copy(call, rows, width, from, from_stride, to, to_stride), as in cpu::copy_columns(), once for each input
template <auto copy>
PreparedKernel prepare_concat(const Graph& graph, const Node& node) {
  return [axis = axis_in_extents(graph, node)](const KernelCall& call) {
    const SplitAtAxis to(call.outputs[0].extents, axis);
    float* at = floats(call.outputs[0]);
    for (const KernelInput& input : call.inputs) {
      const std::int64_t width = SplitAtAxis(input.extents, axis).width;
      copy(call, to.rows, width, floats(input), width, at, to.width);
      at += width;
    }
  };
}

// copy(call, rows, width, from, from_stride, to, to_stride)
template <auto copy>
PreparedKernel prepare_slice(const Graph& graph, const Node& node) {
  const auto start = node.attributes.get<std::int64_t>("start");
  return [axis = axis_in_extents(graph, node), start](const KernelCall& call) {
    const SplitAtAxis from(call.inputs[0].extents, axis), to(call.outputs[0].extents, axis);
    const std::int64_t inner = from.width / call.inputs[0].extents[axis];
    copy(call, to.rows, to.width, floats(call.inputs[0]) + start * inner, from.width, floats(call.outputs[0]),
         to.width);
  };
}

// fill(call, value, result) for the whole result, then copy(call, rows, width, from, from_stride, to, to_stride)
template <auto fill, auto copy>
PreparedKernel prepare_pad(const Graph& graph, const Node& node) {
  const auto before = node.attributes.get<std::int64_t>("before");
  return [axis = axis_in_extents(graph, node), before](const KernelCall& call) {
    const SplitAtAxis from(call.inputs[0].extents, axis), to(call.outputs[0].extents, axis);
    const std::int64_t inner = from.width / call.inputs[0].extents[axis];
    fill(call, 0.0f, result(call.outputs[0]));
    copy(call, to.rows, from.width, floats(call.inputs[0]), from.width, floats(call.outputs[0]) + before * inner,
         to.width);
  };
}

// run(call, rows, length, inner, from, to). Both tensors are [rows, length, inner].
template <auto run>
PreparedKernel prepare_reverse(const Graph& graph, const Node& node) {
  return [axis = axis_in_extents(graph, node)](const KernelCall& call) {
    const SplitAtAxis columns(call.outputs[0].extents, axis);
    const std::int64_t length = call.outputs[0].extents[axis];
    run(call, columns.rows, length, columns.width / length, floats(call.inputs[0]), floats(call.outputs[0]));
  };
}

// run(call, classes, scores, labels, loss, log_softmax). `run` must refuse labels that are not classes.
template <auto run>
PreparedKernel prepare_softmax_cross_entropy(const Graph& graph, const Node& node) {
  return [classes = graph.value(node.inputs[0]).shape.back().count](const KernelCall& call) {
    run(call, classes, floats(call.inputs[0]), indices(call.inputs[1]), floats(call.outputs[0]),
        floats(call.outputs[1]));
  };
}

// Kernel::refusal of SoftmaxCrossEntropyLoss: returns the message for a label that is not a class.
inline std::string refusal_of_label(const Graph& graph, const Node& node, const Refused& refused) {
  return graph.path() + ": a record has " + std::to_string(refused.integer) + " as `" +
         graph.value(node.inputs[1]).name + "`, but the classes are 0 to " +
         std::to_string(graph.value(node.inputs[0]).shape.back().count - 1);
}

// run(call, classes, of_loss, log_softmax, labels, of_scores)
template <auto run>
PreparedKernel prepare_softmax_cross_entropy_gradient(const Graph& graph, const Node& node) {
  return [classes = graph.value(node.inputs[1]).shape.back().count](const KernelCall& call) {
    run(call, classes, floats(call.inputs[0]), floats(call.inputs[1]), indices(call.inputs[2]),
        floats(call.outputs[0]));
  };
}

// run(call, table, epsilon, x, normalized, inverse_deviation)
template <auto run>
PreparedKernel prepare_layer_normalization(const Graph&, const Node& node) {
  return [epsilon = node.attributes.get<float>("epsilon")](const KernelCall& call) {
    run(call, rows_along_last_axis(call.inputs[0]), epsilon, floats(call.inputs[0]), floats(call.outputs[0]),
        floats(call.outputs[1]));
  };
}

// run(call, table, of_normalized, normalized, inverse_deviation, of_x)
template <auto run>
PreparedKernel prepare_layer_normalization_gradient(const Graph&, const Node&) {
  return [](const KernelCall& call) {
    run(call, rows_along_last_axis(call.inputs[0]), floats(call.inputs[0]), floats(call.inputs[1]),
        floats(call.inputs[2]), floats(call.outputs[0]));
  };
}

// Returns a function that makes the BatchNormalization of a call from its rows and lanes. Its columns are the elements
// of the last axis of `shape`, and each element of the other axes together is a row.
inline std::function<BatchNormalization(const KernelCall&)> batch_normalization_of(const Dimensions& shape,
                                                                                   float epsilon) {
  std::int64_t per_record = 1;
  for (std::size_t i = 0; i + 1 < shape.size(); ++i) per_record *= shape[i].count;
  return [per_record, width = shape.back().count, epsilon](const KernelCall& call) {
    return BatchNormalization{.shape = {call.rows * per_record, width},
                              .rows_per_record = per_record,
                              .epsilon = epsilon,
                              .lane_ends = call.lane_ends.times(per_record)};
  };
}

// run(call, by, x, normalized, moments)
template <auto run>
PreparedKernel prepare_batch_normalization(const Graph& graph, const Node& node) {
  const auto by = batch_normalization_of(graph.value(node.inputs[0]).shape, node.attributes.get<float>("epsilon"));
  return [by](const KernelCall& call) {
    run(call, by(call), floats(call.inputs[0]), floats(call.outputs[0]),
        Moments{floats(call.outputs[1]), floats(call.outputs[2])});
  };
}

// run(call, by, of_normalized, x, of_x)
template <auto run>
PreparedKernel prepare_batch_normalization_gradient(const Graph& graph, const Node& node) {
  const auto by = batch_normalization_of(graph.value(node.inputs[1]).shape, node.attributes.get<float>("epsilon"));
  return [by](const KernelCall& call) {
    run(call, by(call), floats(call.inputs[0]), floats(call.inputs[1]), floats(call.outputs[0]));
  };
}

}  // namespace carrack::train
