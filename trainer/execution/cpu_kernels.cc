// The kernels of the CPU: each calls a function of kernels/.
#include <algorithm>
#include <utility>

#include "trainer/error.h"
#include "trainer/execution/cpu_arguments.h"
#include "trainer/execution/cpu_attention.h"
#include "trainer/execution/cpu_columns.h"
#include "trainer/execution/cpu_convolution.h"
#include "trainer/execution/cpu_pooling.h"
#include "trainer/execution/cpu_recurrent.h"
#include "trainer/execution/kernel.h"
#include "trainer/graph/ops/matrix.h"
#include "trainer/kernels/activations.h"
#include "trainer/kernels/arithmetic.h"
#include "trainer/kernels/dropout.h"
#include "trainer/kernels/lanes.h"
#include "trainer/kernels/losses.h"
#include "trainer/kernels/matrix.h"
#include "trainer/kernels/normalization.h"
#include "trainer/kernels/rows.h"
#include "trainer/kernels/sums.h"

namespace carrack::train {
namespace {

Operand operand(const KernelInput& input) {
  return {floats(input), input.extents};
}

Result result(const KernelOutput& output) {
  return {floats(output), output.extents};
}

// A table by its rows along its first dimension, whatever its rank.
Table table_of(const Dimensions& shape) {
  Table table{shape.front().count, 1};
  for (std::size_t i = 1; i < shape.size(); ++i) table.width *= shape[i].count;
  return table;
}

Table rows_along_last_axis(const KernelInput& input) {
  const std::int64_t width = input.extents.back();
  return {element_count(input.extents) / width, width};
}

// The outermost axis along which there is something to divide.
std::size_t divisible_axis(const Extents& extents) {
  const auto found = std::ranges::find_if(extents, [](std::int64_t extent) { return extent != 1; });
  return std::min<std::size_t>(static_cast<std::size_t>(found - extents.begin()), rank_max - 1);
}

// The part of an operand that makes the part `range` of a result along `axis`, in front of which extents are 1.
Operand part_of(Operand operand, std::size_t axis, std::int64_t whole, Range range) {
  if (operand.extents[axis] != whole) return operand;  // broadcast along the axis
  operand.data += range.begin * (element_count(operand.extents) / whole);
  operand.extents[axis] = range.size();
  return operand;
}

Result part_of(Result result, std::size_t axis, Range range) {
  result.data += range.begin * (element_count(result.extents) / result.extents[axis]);
  result.extents[axis] = range.size();
  return result;
}

template <void (*function)(Operand, Operand, Result)>
PreparedKernel binary(const Graph&, const Node&) {
  return [](const KernelCall& call) {
    const Result whole = result(call.outputs[0]);
    const std::size_t axis = divisible_axis(whole.extents);
    const std::int64_t length = whole.extents[axis];
    cpu::divide(call.threads, length, element_count(whole.extents), [&](Range range) {
      function(part_of(operand(call.inputs[0]), axis, length, range),
               part_of(operand(call.inputs[1]), axis, length, range), part_of(whole, axis, range));
    });
  };
}

template <void (*function)(Operand, Result)>
void apply(const KernelCall& call, Operand from) {
  const Result whole = result(call.outputs[0]);
  const std::size_t axis = divisible_axis(whole.extents);
  const std::int64_t length = whole.extents[axis];
  cpu::divide(call.threads, length, element_count(whole.extents),
              [&](Range range) { function(part_of(from, axis, length, range), part_of(whole, axis, range)); });
}

template <void (*function)(Operand, Result)>
PreparedKernel unary(const Graph&, const Node&) {
  return [](const KernelCall& call) { apply<function>(call, operand(call.inputs[0])); };
}

PreparedKernel constant(const Graph&, const Node& node) {
  return [value = node.attributes.get<float>("value")](const KernelCall& call) {
    cpu::fill(value, result(call.outputs[0]));
  };
}

// The input has dimensions of 1 at `axes`, which its shape leaves out.
PreparedKernel expand(const Graph& graph, const Node& node) {
  Dimensions from = graph.value(node.inputs[0]).shape;
  for (const std::int64_t axis : node.attributes.get_or<std::vector<std::int64_t>>("axes", {})) {
    from.insert(from.begin() + axis, 1);
  }
  return [from](const KernelCall& call) {
    apply<cpu::expand>(call, {floats(call.inputs[0]), extents_of(from, call.rows)});
  };
}

PreparedKernel product(const Graph& graph, const Node& node) {
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
    const LaneEnds lane_ends = sizes.k.of_rows ? call.lane_ends.times(sizes.k.count) : LaneEnds();
    cpu::gemm(shape, floats(call.inputs[0]), floats(call.inputs[1]), floats(call.outputs[0]),
              {.lane_ends = lane_ends, .threads = call.threads});
  };
}

PreparedKernel reduce_sum(const Graph& graph, const Node& node) {
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
    const LaneEnds lane_ends = adds_rows ? call.lane_ends.times(per_row) : LaneEnds();
    cpu::reduce_sum(reduction, floats(call.inputs[0]), floats(call.outputs[0]), lane_ends);
  };
}

PreparedKernel gather(const Graph& graph, const Node& node) {
  const Value &data = graph.value(node.inputs[0]), &which = graph.value(node.inputs[1]);
  const Table table = table_of(data.shape);
  const std::string field = graph.path();
  return [table, field, data = data.name, which = which.name](const KernelCall& call) {
    if (const std::int64_t* bad = cpu::first_outside(table, indices(call.inputs[1]))) {
      throw Error(Blame::user, field + ": a record has " + std::to_string(*bad) + " as `" + which + "`, but `" + data +
                                   "` has rows 0 to " + std::to_string(table.rows - 1));
    }
    cpu::gather(table, floats(call.inputs[0]), indices(call.inputs[1]), floats(call.outputs[0]));
  };
}

PreparedKernel scatter_add(const Graph& graph, const Node& node) {
  std::int64_t per_row = 1;
  for (const Dimension& dimension : graph.value(node.inputs[0]).shape) per_row *= dimension.count;
  return [table = table_of(graph.value(node.outputs[0]).shape), per_row,
          by_index = std::vector<std::int64_t>()](const KernelCall& call) mutable {
    cpu::scatter_add(table, indices(call.inputs[0]), floats(call.inputs[1]), floats(call.outputs[0]),
                     call.lane_ends.times(per_row), by_index);
  };
}

template <class T>
std::span<T> part_of(std::span<T> elements, Range range) {
  return elements.subspan(static_cast<std::size_t>(range.begin), static_cast<std::size_t>(range.size()));
}

template <class Function>
void divide_elements(const KernelCall& call, const Function& function) {
  const std::int64_t count = element_count(call.outputs[0].extents);
  cpu::divide(call.threads, count, count, function);
}

// Of a function and of its gradient.
template <void (*function)(std::span<const float>, std::span<float>)>
PreparedKernel activation(const Graph&, const Node&) {
  return [](const KernelCall& call) {
    divide_elements(call, [&](Range range) {
      function(part_of(elements(call.inputs[0]), range), part_of(elements(call.outputs[0]), range));
    });
  };
}

template <void (*function)(std::span<const float>, std::span<const float>, std::span<float>)>
PreparedKernel elementwise(const Graph&, const Node&) {
  return [](const KernelCall& call) {
    divide_elements(call, [&](Range range) {
      function(part_of(elements(call.inputs[0]), range), part_of(elements(call.inputs[1]), range),
               part_of(elements(call.outputs[0]), range));
    });
  };
}

template <void (*function)(float, std::span<const float>, std::span<const float>, std::span<float>)>
PreparedKernel huber(const Graph&, const Node& node) {
  return [delta = node.attributes.get<float>("delta")](const KernelCall& call) {
    divide_elements(call, [&](Range range) {
      function(delta, part_of(elements(call.inputs[0]), range), part_of(elements(call.inputs[1]), range),
               part_of(elements(call.outputs[0]), range));
    });
  };
}

PreparedKernel softmax_cross_entropy(const Graph& graph, const Node& node) {
  const Value &scores = graph.value(node.inputs[0]), &label = graph.value(node.inputs[1]);
  const std::int64_t classes = scores.shape.back().count;
  return [classes, field = graph.path(), label = label.name](const KernelCall& call) {
    const auto labels = indices(call.inputs[1]);
    if (const std::int64_t* bad = cpu::first_outside({classes, 1}, labels)) {
      throw Error(Blame::user, field + ": a record has " + std::to_string(*bad) + " as `" + label +
                                   "`, but the classes are 0 to " + std::to_string(classes - 1));
    }
    cpu::softmax_cross_entropy(classes, floats(call.inputs[0]), labels, floats(call.outputs[0]),
                               floats(call.outputs[1]));
  };
}

PreparedKernel sigmoid_cross_entropy(const Graph& graph, const Node& node) {
  const PreparedKernel compute = elementwise<cpu::sigmoid_cross_entropy>(graph, node);
  return [compute, field = graph.path(), label = graph.value(node.inputs[1]).name](const KernelCall& call) {
    const auto labels = elements(call.inputs[1]);
    const auto bad = std::ranges::find_if(labels, [](float one) { return one < 0 || one > 1; });
    if (bad != labels.end()) {
      throw Error(Blame::user,
                  field + ": a record has " + std::to_string(*bad) + " in `" + label + "`, but labels are from 0 to 1");
    }
    compute(call);
  };
}

PreparedKernel softmax_cross_entropy_gradient(const Graph& graph, const Node& node) {
  return [classes = graph.value(node.inputs[1]).shape.back().count](const KernelCall& call) {
    cpu::softmax_cross_entropy_gradient(classes, floats(call.inputs[0]), floats(call.inputs[1]),
                                        indices(call.inputs[2]), floats(call.outputs[0]));
  };
}

// Calls `draw` for each run of rows that have consecutive numbers in the batch.
void for_each_run_of_numbers(const Draws& draws, Range rows, const std::function<void(Range)>& draw) {
  for (Range run{rows.begin, rows.begin}; run.begin < rows.end; run.begin = run.end) {
    const auto follows = [&] { return draws.number_of(run.end) == draws.number_of(run.end - 1) + 1; };
    do ++run.end;
    while (run.end < rows.end && follows());
    draw(run);
  }
}

PreparedKernel dropout(const Graph& graph, const Node& node) {
  const auto rate = node.attributes.get<float>("ratio");
  const auto number = static_cast<std::uint32_t>(node.attributes.get<std::int64_t>("seed"));
  std::int64_t width = 1;
  for (const Dimension& dimension : graph.value(node.inputs[0]).shape) width *= dimension.count;
  return [rate, number, width](const KernelCall& call) {
    const RowNumbers numbers(call.draws.seed, Purpose::dropout, call.draws.step, number);
    const auto draw = [&](Range rows) {
      const std::int64_t begin = rows.begin * width;
      cpu::dropout({rows.size(), width}, numbers, call.draws.number_of(rows.begin), rate,
                   floats(call.inputs[0]) + begin, floats(call.outputs[0]) + begin);
    };
    cpu::divide(call.threads, call.rows, call.rows * width, [&](Range rows) {
      if (call.draws.rows.empty()) return draw(rows);
      for_each_run_of_numbers(call.draws, rows, draw);
    });
  };
}

PreparedKernel layer_normalization(const Graph&, const Node& node) {
  return [epsilon = node.attributes.get<float>("epsilon")](const KernelCall& call) {
    const Table table = rows_along_last_axis(call.inputs[0]);
    cpu::divide(call.threads, table.rows, table.rows * table.width, [&](Range rows) {
      const std::int64_t begin = rows.begin * table.width;
      cpu::layer_normalization({rows.size(), table.width}, epsilon, floats(call.inputs[0]) + begin,
                               floats(call.outputs[0]) + begin, floats(call.outputs[1]) + rows.begin);
    });
  };
}

PreparedKernel layer_normalization_gradient(const Graph&, const Node&) {
  return [](const KernelCall& call) {
    const Table table = rows_along_last_axis(call.inputs[0]);
    cpu::divide(call.threads, table.rows, table.rows * table.width, [&](Range rows) {
      const std::int64_t begin = rows.begin * table.width;
      cpu::layer_normalization_gradient({rows.size(), table.width}, floats(call.inputs[0]) + begin,
                                        floats(call.inputs[1]) + begin, floats(call.inputs[2]) + rows.begin,
                                        floats(call.outputs[0]) + begin);
    });
  };
}

// By the rows of `shape` along its last axis.
std::function<BatchNormalization(const KernelCall&)> batch_normalization_of(const Dimensions& shape, float epsilon) {
  std::int64_t per_record = 1;
  for (std::size_t i = 0; i + 1 < shape.size(); ++i) per_record *= shape[i].count;
  return [per_record, width = shape.back().count, epsilon](const KernelCall& call) {
    return BatchNormalization{.shape = {call.rows * per_record, width},
                              .rows_per_record = per_record,
                              .epsilon = epsilon,
                              .lane_ends = call.lane_ends.times(per_record)};
  };
}

PreparedKernel batch_normalization(const Graph& graph, const Node& node) {
  const auto by = batch_normalization_of(graph.value(node.inputs[0]).shape, node.attributes.get<float>("epsilon"));
  return [by](const KernelCall& call) {
    cpu::batch_normalization(by(call), floats(call.inputs[0]), floats(call.outputs[0]),
                             {floats(call.outputs[1]), floats(call.outputs[2])}, call.threads);
  };
}

PreparedKernel batch_normalization_gradient(const Graph& graph, const Node& node) {
  const auto by = batch_normalization_of(graph.value(node.inputs[1]).shape, node.attributes.get<float>("epsilon"));
  return [by](const KernelCall& call) {
    cpu::batch_normalization_gradient(by(call), floats(call.inputs[0]), floats(call.inputs[1]), floats(call.outputs[0]),
                                      call.threads);
  };
}

constexpr Kernel kernels[] = {
    {"Add", Type::float32, binary<cpu::add>},
    {"Sub", Type::float32, binary<cpu::sub>},
    {"Mul", Type::float32, binary<cpu::mul>},
    {"Div", Type::float32, binary<cpu::div>},
    {"Neg", Type::float32, unary<cpu::neg>},
    {"Abs", Type::float32, unary<cpu::abs>},
    {"Sign", Type::float32, unary<cpu::sign>},
    {"Sqrt", Type::float32, unary<cpu::sqrt>},
    {"Identity", Type::float32, unary<cpu::expand>},
    {"Constant", Type::float32, constant},
    {"Expand", Type::float32, expand},
    {"MatMul", Type::float32, product},
    {"Gemm", Type::float32, product},
    {"ReduceSum", Type::float32, reduce_sum},
    {"Gather", Type::float32, gather},
    {"ScatterAdd", Type::float32, scatter_add},
    {"Concat", Type::float32, concat_kernel},
    {"Slice", Type::float32, slice_kernel},
    {"Pad", Type::float32, pad_kernel},
    {"Reverse", Type::float32, reverse_kernel},
    {"LSTM", Type::float32, lstm_kernel},
    {"LSTMGradient", Type::float32, lstm_gradient_kernel},
    {"GRU", Type::float32, gru_kernel},
    {"GRUGradient", Type::float32, gru_gradient_kernel},
    {"StepInputs", Type::float32, step_inputs_kernel},
    {"Attention", Type::float32, attention_kernel},
    {"AttentionGradient", Type::float32, attention_gradient_kernel},
    {"Conv", Type::float32, convolution_kernel},
    {"ConvInputGradient", Type::float32, convolution_input_gradient_kernel},
    {"ConvWeightGradient", Type::float32, convolution_weight_gradient_kernel},
    {"MaxPool", Type::float32, max_pool_kernel},
    {"MaxPoolGradient", Type::float32, max_pool_gradient_kernel},
    {"AveragePool", Type::float32, average_pool_kernel},
    {"AveragePoolGradient", Type::float32, average_pool_gradient_kernel},
    {"Relu", Type::float32, activation<cpu::relu>},
    {"ReluGradient", Type::float32, elementwise<cpu::relu_gradient>},
    {"Sigmoid", Type::float32, activation<cpu::sigmoid>},
    {"SigmoidGradient", Type::float32, elementwise<cpu::sigmoid_gradient>},
    {"Tanh", Type::float32, activation<cpu::tanh>},
    {"TanhGradient", Type::float32, elementwise<cpu::tanh_gradient>},
    {"Gelu", Type::float32, activation<cpu::gelu>},
    {"GeluGradient", Type::float32, elementwise<cpu::gelu_gradient>},
    {"Swish", Type::float32, activation<cpu::swish>},
    {"SwishGradient", Type::float32, elementwise<cpu::swish_gradient>},
    {"SoftmaxCrossEntropyLoss", Type::float32, softmax_cross_entropy},
    {"SoftmaxCrossEntropyLossGradient", Type::float32, softmax_cross_entropy_gradient},
    {"SigmoidCrossEntropyLoss", Type::float32, sigmoid_cross_entropy},
    {"SigmoidCrossEntropyLossGradient", Type::float32, elementwise<cpu::sigmoid_cross_entropy_slope>},
    {"HuberLoss", Type::float32, huber<cpu::huber>},
    {"HuberLossGradient", Type::float32, huber<cpu::huber_slope>},
    {"Dropout", Type::float32, dropout},
    {"LayerNormalization", Type::float32, layer_normalization},
    {"LayerNormalizationGradient", Type::float32, layer_normalization_gradient},
    {"BatchNormalization", Type::float32, batch_normalization},
    {"BatchNormalizationGradient", Type::float32, batch_normalization_gradient},
};

}  // namespace

std::span<const Kernel> cpu_kernels() {
  return kernels;
}

}  // namespace carrack::train
