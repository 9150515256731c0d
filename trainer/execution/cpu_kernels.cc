// The table of the kernels of the CPU. Each calls a function of kernels/cpu, and most divide its work among threads.
#include <algorithm>
#include <vector>

#include "trainer/execution/prepare_elements.h"
#include "trainer/execution/prepare_products.h"
#include "trainer/execution/prepare_rows.h"
#include "trainer/execution/prepare_sequences.h"
#include "trainer/kernels/activations.h"
#include "trainer/kernels/dropout.h"
#include "trainer/kernels/losses.h"

namespace carrack::train {
namespace {

// Returns the outermost axis whose extent is not 1, along which work can be divided; the last axis if all extents are
// 1.
std::size_t divisible_axis(const Extents& extents) {
  const auto found = std::ranges::find_if(extents, [](std::int64_t extent) { return extent != 1; });
  return std::min<std::size_t>(static_cast<std::size_t>(found - extents.begin()), rank_max - 1);
}

// Returns the part of an operand that is needed for the part `range` of a result along `axis`, where the result has the
// extent `whole`. All extents before `axis` must be 1.
Operand part_of(Operand operand, std::size_t axis, std::int64_t whole, Range range) {
  if (operand.extents[axis] != whole) return operand;  // extent 1: the element is repeated along the axis
  operand.data += range.begin * (element_count(operand.extents) / whole);
  operand.extents[axis] = range.size();
  return operand;
}

Result part_of(Result result, std::size_t axis, Range range) {
  result.data += range.begin * (element_count(result.extents) / result.extents[axis]);
  result.extents[axis] = range.size();
  return result;
}

// Calls function(operand..., result) for parts of the result `whole`, divided among threads.
template <auto function, class... Operands>
void by_parts(const KernelCall& call, Result whole, const Operands&... operands) {
  const std::size_t axis = divisible_axis(whole.extents);
  const std::int64_t length = whole.extents[axis];
  cpu::parallel_for(call.threads, length, element_count(whole.extents), [&](Range range) {
    function(part_of(operands, axis, length, range)..., part_of(whole, axis, range));
  });
}

template <auto function>
constexpr auto of_one = [](const KernelCall& call, Operand a, Result y) { by_parts<function>(call, y, a); };
template <auto function>
constexpr auto of_two =
    [](const KernelCall& call, Operand a, Operand b, Result y) { by_parts<function>(call, y, a, b); };

template <class T>
std::span<T> part_of(std::span<T> elements, Range range) {
  return elements.subspan(static_cast<std::size_t>(range.begin), static_cast<std::size_t>(range.size()));
}

// Calls function(span...) with the same part of each span, for parts that make up the spans, divided among threads. All
// spans must have the size of the output.
template <auto function>
constexpr auto of_spans = [](const KernelCall& call, const auto&... spans) {
  const std::int64_t count = element_count(call.outputs[0].extents);
  cpu::parallel_for(call.threads, count, count, [&](Range range) { function(part_of(spans, range)...); });
};

template <auto function>
constexpr auto of_spans_and_delta = [](const KernelCall& call, float delta, const auto&... spans) {
  const std::int64_t count = element_count(call.outputs[0].extents);
  cpu::parallel_for(call.threads, count, count, [&](Range range) { function(delta, part_of(spans, range)...); });
};

template <auto function>
constexpr auto on_one_thread = [](const KernelCall&, const auto&... arguments) { function(arguments...); };
template <auto function>
constexpr auto on_threads =
    [](const KernelCall& call, const auto&... arguments) { function(arguments..., call.threads); };
template <auto function>
constexpr auto recurrent = [](const KernelCall& call, const RecurrentShape& shape, const auto& of) {
  function(shape, of, cpu::RecurrentOptions{.threads = call.threads});
};

constexpr auto product = [](const KernelCall& call, const GemmShape& shape, const float* a, const float* b, float* c,
                            const LaneEnds& lane_ends) {
  cpu::gemm(shape, a, b, c, {.lane_ends = lane_ends, .threads = call.threads});
};

constexpr auto gather = [](const KernelCall& call, Table table, const float* data,
                           std::span<const std::int64_t> indices, float* gathered) {
  if (const std::int64_t* bad = cpu::first_outside(table, indices)) return call.refuse(*bad);
  cpu::gather(table, data, indices, gathered);
};

constexpr auto scatter_add = [](const KernelCall&, auto&&... arguments) { cpu::scatter_add(arguments...); };

constexpr auto reverse = [](const KernelCall& call, std::int64_t rows, std::int64_t length, std::int64_t inner,
                            const float* from, float* to) {
  const std::int64_t width = length * inner;
  cpu::parallel_for(call.threads, rows, rows * width, [&](Range some) {
    for (std::int64_t i = 0; i < length; ++i) {
      cpu::copy_columns(some.size(), inner, from + some.begin * width + i * inner, width,
                        to + some.begin * width + (length - 1 - i) * inner, width);
    }
  });
};

constexpr auto dropout = [](const KernelCall& call, std::int64_t width, const auto& drop) {
  cpu::parallel_for(call.threads, call.rows, call.rows * width, [&](Range rows) { drop(rows, cpu::dropout); });
};

constexpr auto softmax_cross_entropy = [](const KernelCall& call, std::int64_t classes, const float* scores,
                                          std::span<const std::int64_t> labels, float* loss, float* log_softmax) {
  if (const std::int64_t* bad = cpu::first_outside({classes, 1}, labels)) return call.refuse(*bad);
  cpu::softmax_cross_entropy(classes, scores, labels, loss, log_softmax);
};

constexpr auto sigmoid_cross_entropy = [](const KernelCall& call, std::span<const float> scores,
                                          std::span<const float> targets, std::span<float> losses) {
  const auto bad = std::ranges::find_if(targets, [](float one) { return one < 0 || one > 1; });
  if (bad != targets.end()) return call.refuse(*bad);
  of_spans<cpu::sigmoid_cross_entropy>(call, scores, targets, losses);
};

constexpr auto layer_normalization = [](const KernelCall& call, Table table, float epsilon, const float* x,
                                        float* normalized, float* inverse_deviation) {
  cpu::parallel_for(call.threads, table.rows, table.rows * table.width, [&](Range rows) {
    const std::int64_t begin = rows.begin * table.width;
    cpu::layer_normalization({rows.size(), table.width}, epsilon, x + begin, normalized + begin,
                             inverse_deviation + rows.begin);
  });
};

constexpr auto layer_normalization_gradient = [](const KernelCall& call, Table table, const float* of_normalized,
                                                 const float* normalized, const float* inverse_deviation, float* of_x) {
  cpu::parallel_for(call.threads, table.rows, table.rows * table.width, [&](Range rows) {
    const std::int64_t begin = rows.begin * table.width;
    cpu::layer_normalization_gradient({rows.size(), table.width}, of_normalized + begin, normalized + begin,
                                      inverse_deviation + rows.begin, of_x + begin);
  });
};

constexpr Type float32 = Type::float32;

constexpr Kernel kernels[] = {
    {"Add", float32, prepare_binary<of_two<cpu::add>>},
    {"Sub", float32, prepare_binary<of_two<cpu::sub>>},
    {"Mul", float32, prepare_binary<of_two<cpu::mul>>},
    {"Div", float32, prepare_binary<of_two<cpu::div>>},
    {"Neg", float32, prepare_unary<of_one<cpu::neg>>},
    {"Abs", float32, prepare_unary<of_one<cpu::abs>>},
    {"Sign", float32, prepare_unary<of_one<cpu::sign>>},
    {"Sqrt", float32, prepare_unary<of_one<cpu::sqrt>>},
    {"Identity", float32, prepare_unary<of_one<cpu::expand>>},
    {"Constant", float32, prepare_constant<on_one_thread<cpu::fill>>},
    {"Expand", float32, prepare_expand<of_one<cpu::expand>>},
    {"MatMul", float32, prepare_product<product>},
    {"Gemm", float32, prepare_product<product>},
    {"ReduceSum", float32, prepare_reduce_sum<on_one_thread<cpu::reduce_sum>>},
    {"Gather", float32, prepare_gather<gather>, refusal_of_index},
    {"ScatterAdd", float32, prepare_scatter_add<std::vector<std::int64_t>, scatter_add>},
    {"Concat", float32, prepare_concat<on_one_thread<cpu::copy_columns>>},
    {"Slice", float32, prepare_slice<on_one_thread<cpu::copy_columns>>},
    {"Pad", float32, prepare_pad<on_one_thread<cpu::fill>, on_one_thread<cpu::copy_columns>>},
    {"Reverse", float32, prepare_reverse<reverse>},
    {"LSTM", float32, prepare_lstm<recurrent<cpu::lstm>>},
    {"LSTMGradient", float32, prepare_lstm_gradient<recurrent<cpu::lstm_gradient>>},
    {"GRU", float32, prepare_gru<recurrent<cpu::gru>>},
    {"GRUGradient", float32, prepare_gru_gradient<recurrent<cpu::gru_gradient>>},
    {"StepInputs", float32, prepare_step_inputs<on_threads<cpu::step_inputs>>},
    {"Attention", float32, prepare_attention<on_threads<cpu::attention>>},
    {"AttentionGradient", float32, prepare_attention_gradient<on_threads<cpu::attention_gradient>>},
    {"Conv", float32, prepare_convolution<on_threads<cpu::convolution>>},
    {"ConvInputGradient", float32, prepare_convolution_input_gradient<on_threads<cpu::convolution_input_gradient>>},
    {"ConvWeightGradient", float32, prepare_convolution_weight_gradient<on_threads<cpu::convolution_weight_gradient>>},
    {"MaxPool", float32, prepare_pooling<on_threads<cpu::max_pool>>},
    {"MaxPoolGradient", float32, prepare_max_pool_gradient<on_threads<cpu::max_pool_gradient>>},
    {"AveragePool", float32, prepare_pooling<on_threads<cpu::average_pool>>},
    {"AveragePoolGradient", float32, prepare_average_pool_gradient<on_threads<cpu::average_pool_gradient>>},
    {"Relu", float32, prepare_elementwise<of_spans<cpu::relu>>},
    {"ReluGradient", float32, prepare_elementwise_of_two<of_spans<cpu::relu_gradient>>},
    {"Sigmoid", float32, prepare_elementwise<of_spans<cpu::sigmoid>>},
    {"SigmoidGradient", float32, prepare_elementwise_of_two<of_spans<cpu::sigmoid_gradient>>},
    {"Tanh", float32, prepare_elementwise<of_spans<cpu::tanh>>},
    {"TanhGradient", float32, prepare_elementwise_of_two<of_spans<cpu::tanh_gradient>>},
    {"Gelu", float32, prepare_elementwise<of_spans<cpu::gelu>>},
    {"GeluGradient", float32, prepare_elementwise_of_two<of_spans<cpu::gelu_gradient>>},
    {"Swish", float32, prepare_elementwise<of_spans<cpu::swish>>},
    {"SwishGradient", float32, prepare_elementwise_of_two<of_spans<cpu::swish_gradient>>},
    {"SoftmaxCrossEntropyLoss", float32, prepare_softmax_cross_entropy<softmax_cross_entropy>, refusal_of_label},
    {"SoftmaxCrossEntropyLossGradient", float32,
     prepare_softmax_cross_entropy_gradient<on_one_thread<cpu::softmax_cross_entropy_gradient>>},
    {"SigmoidCrossEntropyLoss", float32, prepare_elementwise_of_two<sigmoid_cross_entropy>, refusal_of_target},
    {"SigmoidCrossEntropyLossGradient", float32,
     prepare_elementwise_of_two<of_spans<cpu::sigmoid_cross_entropy_slope>>},
    {"HuberLoss", float32, prepare_huber<of_spans_and_delta<cpu::huber>>},
    {"HuberLossGradient", float32, prepare_huber<of_spans_and_delta<cpu::huber_slope>>},
    {"Dropout", float32, prepare_dropout<dropout>},
    {"LayerNormalization", float32, prepare_layer_normalization<layer_normalization>},
    {"LayerNormalizationGradient", float32, prepare_layer_normalization_gradient<layer_normalization_gradient>},
    {"BatchNormalization", float32, prepare_batch_normalization<on_threads<cpu::batch_normalization>>},
    {"BatchNormalizationGradient", float32,
     prepare_batch_normalization_gradient<on_threads<cpu::batch_normalization_gradient>>},
};

}  // namespace

std::span<const Kernel> cpu_kernels() {
  return kernels;
}

}  // namespace carrack::train
