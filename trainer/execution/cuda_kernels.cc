// The table of the kernels of GPUs. Each starts functions of kernels/cuda in the stream of the call.
#include "trainer/execution/prepare_elements.h"
#include "trainer/execution/prepare_products.h"
#include "trainer/execution/prepare_rows.h"
#include "trainer/execution/prepare_sequences.h"
#include "trainer/kernels/activations.h"
#include "trainer/kernels/dropout.h"
#include "trainer/kernels/losses.h"

namespace carrack::train {
namespace {

// Starts function(stream, arguments...). start_refusing also passes the memory in which the kernel reports an input
// that it cannot use.
template <auto function>
constexpr auto start = [](const KernelCall& call, const auto&... arguments) { function(*call.stream, arguments...); };
template <auto function>
constexpr auto start_refusing =
    [](const KernelCall& call, const auto&... arguments) { function(*call.stream, arguments..., call.refused); };

constexpr auto product = [](const KernelCall& call, const GemmShape& shape, const float* a, const float* b, float* c,
                            const LaneEnds& lane_ends) {
  cuda::gemm(*call.stream, shape, a, b, c, {.lane_ends = lane_ends});
};

// Returns the scratch memory of the call, with room for at least `count` elements.
template <class T>
T* scratch(const KernelCall& call, std::size_t count) {
  return reinterpret_cast<T*>(call.scratch->at_least(count * sizeof(T)));
}

// For prepare_scatter_add(). The CPU's kernel has working memory of its own, but a GPU's kernel uses that of the call.
struct NoMemory {};
constexpr auto scatter_add = [](const KernelCall& call, Table table, std::span<const std::int64_t> indices,
                                const float* updates, float* sums, const LaneEnds& lane_ends, NoMemory) {
  auto* const numbers = scratch<std::int64_t>(call, cuda::scatter_add_numbers(indices.size()));
  cuda::scatter_add(*call.stream, table, indices, updates, sums, lane_ends, numbers, call.refused);
};

template <auto function>
constexpr auto batch_normalization =
    [](const KernelCall& call, const BatchNormalization& by, const auto&... arguments) {
      auto* const memory =
          scratch<float>(call, static_cast<std::size_t>(cuda::batch_normalization_floats(by.shape, by.lanes())));
      function(*call.stream, by, arguments..., memory);
    };

// `floats_of_a_weight` is the scratch memory of `function` in floats for each attention weight: 2 for the gradient.
template <auto function, int floats_of_a_weight>
constexpr auto attention = [](const KernelCall& call, const AttentionShape& shape, const auto& of) {
  const auto floats = static_cast<std::size_t>(floats_of_a_weight * cuda::attention_scratch_floats(shape));
  function(*call.stream, shape, of, std::span(scratch<float>(call, floats), floats));
};

constexpr auto dropout = [](const KernelCall& call, std::int64_t, const auto& drop) {
  drop(Range{0, call.rows}, [&](const auto&... arguments) { cuda::dropout(*call.stream, arguments...); });
};

constexpr Type float32 = Type::float32;

constexpr Kernel kernels[] = {
    {"Add", float32, prepare_binary<start<cuda::add>>},
    {"Sub", float32, prepare_binary<start<cuda::sub>>},
    {"Mul", float32, prepare_binary<start<cuda::mul>>},
    {"Div", float32, prepare_binary<start<cuda::div>>},
    {"Neg", float32, prepare_unary<start<cuda::neg>>},
    {"Abs", float32, prepare_unary<start<cuda::abs>>},
    {"Sign", float32, prepare_unary<start<cuda::sign>>},
    {"Sqrt", float32, prepare_unary<start<cuda::sqrt>>},
    {"Identity", float32, prepare_unary<start<cuda::expand>>},
    {"Constant", float32, prepare_constant<start<cuda::fill>>},
    {"Expand", float32, prepare_expand<start<cuda::expand>>},
    {"MatMul", float32, prepare_product<product>},
    {"Gemm", float32, prepare_product<product>},
    {"ReduceSum", float32, prepare_reduce_sum<start<cuda::reduce_sum>>},
    {"Gather", float32, prepare_gather<start_refusing<cuda::gather>>, refusal_of_index},
    {"ScatterAdd", float32, prepare_scatter_add<NoMemory, scatter_add>},
    {"Concat", float32, prepare_concat<start<cuda::copy_columns>>},
    {"Slice", float32, prepare_slice<start<cuda::copy_columns>>},
    {"Pad", float32, prepare_pad<start<cuda::fill>, start<cuda::copy_columns>>},
    {"Reverse", float32, prepare_reverse<start<cuda::reverse>>},
    {"LSTM", float32, prepare_lstm<start<cuda::lstm>>},
    {"LSTMGradient", float32, prepare_lstm_gradient<start<cuda::lstm_gradient>>},
    {"GRU", float32, prepare_gru<start<cuda::gru>>},
    {"GRUGradient", float32, prepare_gru_gradient<start<cuda::gru_gradient>>},
    {"StepInputs", float32, prepare_step_inputs<start<cuda::step_inputs>>},
    {"Attention", float32, prepare_attention<attention<cuda::attention, 1>>},
    {"AttentionGradient", float32, prepare_attention_gradient<attention<cuda::attention_gradient, 2>>},
    {"Conv", float32, prepare_convolution<start<cuda::convolution>>},
    {"ConvInputGradient", float32, prepare_convolution_input_gradient<start<cuda::convolution_input_gradient>>},
    {"ConvWeightGradient", float32, prepare_convolution_weight_gradient<start<cuda::convolution_weight_gradient>>},
    {"MaxPool", float32, prepare_pooling<start<cuda::max_pool>>},
    {"MaxPoolGradient", float32, prepare_max_pool_gradient<start<cuda::max_pool_gradient>>},
    {"AveragePool", float32, prepare_pooling<start<cuda::average_pool>>},
    {"AveragePoolGradient", float32, prepare_average_pool_gradient<start<cuda::average_pool_gradient>>},
    {"Relu", float32, prepare_elementwise<start<cuda::relu>>},
    {"ReluGradient", float32, prepare_elementwise_of_two<start<cuda::relu_gradient>>},
    {"Sigmoid", float32, prepare_elementwise<start<cuda::sigmoid>>},
    {"SigmoidGradient", float32, prepare_elementwise_of_two<start<cuda::sigmoid_gradient>>},
    {"Tanh", float32, prepare_elementwise<start<cuda::tanh>>},
    {"TanhGradient", float32, prepare_elementwise_of_two<start<cuda::tanh_gradient>>},
    {"Gelu", float32, prepare_elementwise<start<cuda::gelu>>},
    {"GeluGradient", float32, prepare_elementwise_of_two<start<cuda::gelu_gradient>>},
    {"Swish", float32, prepare_elementwise<start<cuda::swish>>},
    {"SwishGradient", float32, prepare_elementwise_of_two<start<cuda::swish_gradient>>},
    {"SoftmaxCrossEntropyLoss", float32, prepare_softmax_cross_entropy<start_refusing<cuda::softmax_cross_entropy>>,
     refusal_of_label},
    {"SoftmaxCrossEntropyLossGradient", float32,
     prepare_softmax_cross_entropy_gradient<start_refusing<cuda::softmax_cross_entropy_gradient>>},
    {"SigmoidCrossEntropyLoss", float32, prepare_elementwise_of_two<start_refusing<cuda::sigmoid_cross_entropy>>,
     refusal_of_target},
    {"SigmoidCrossEntropyLossGradient", float32, prepare_elementwise_of_two<start<cuda::sigmoid_cross_entropy_slope>>},
    {"HuberLoss", float32, prepare_huber<start<cuda::huber>>},
    {"HuberLossGradient", float32, prepare_huber<start<cuda::huber_slope>>},
    {"Dropout", float32, prepare_dropout<dropout>},
    {"LayerNormalization", float32, prepare_layer_normalization<start<cuda::layer_normalization>>},
    {"LayerNormalizationGradient", float32,
     prepare_layer_normalization_gradient<start<cuda::layer_normalization_gradient>>},
    {"BatchNormalization", float32, prepare_batch_normalization<batch_normalization<cuda::batch_normalization>>},
    {"BatchNormalizationGradient", float32,
     prepare_batch_normalization_gradient<batch_normalization<cuda::batch_normalization_gradient>>},
};

}  // namespace

std::span<const Kernel> cuda_kernels() {
  return kernels;
}

}  // namespace carrack::train
