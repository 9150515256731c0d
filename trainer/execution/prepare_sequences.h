// Templates that make the kernels (kernel.h) of LSTM, GRU and attention layers and of their gradients. The tables of
// cpu_kernels.cc and cuda_kernels.cc use them as Kernel::prepare, each with the function of its device as template
// argument `run`. The comment above each template shows the arguments with which the prepared kernel calls `run`: the
// KernelCall, then what was prepared from the node, then the inputs and outputs of the call. A value of_x is the
// gradient of the loss with respect to x, except of_state, which recurrent.h describes.
#pragma once

#include <cstdint>

#include "trainer/execution/arguments.h"
#include "trainer/execution/kernel.h"
#include "trainer/kernels/attention.h"
#include "trainer/kernels/recurrent.h"

namespace carrack::train {

// Returns the shape of a layer with Y [rows, steps, units], whose extents have a 1 in front. `inputs` is the last
// dimension of X, or 0 if it is not needed.
inline RecurrentShape recurrent_shape(const Extents& y, std::int64_t inputs = 0) {
  return {.rows = y[1], .steps = y[2], .inputs = inputs, .units = y[3]};
}

// run(call, shape, Lstm)
template <auto run>
PreparedKernel prepare_lstm(const Graph&, const Node&) {
  return [](const KernelCall& call) {
    run(call, recurrent_shape(call.outputs[0].extents, call.inputs[0].extents[3]),
        Lstm{.x = floats(call.inputs[0]),
             .w = floats(call.inputs[1]),
             .r = floats(call.inputs[2]),
             .bias = floats(call.inputs[3]),
             .y = floats(call.outputs[0]),
             .cells = floats(call.outputs[2]),
             .gates = floats(call.outputs[1])});
  };
}

// run(call, shape, LstmGradient)
template <auto run>
PreparedKernel prepare_lstm_gradient(const Graph&, const Node&) {
  return [](const KernelCall& call) {
    run(call, recurrent_shape(call.inputs[0].extents),
        LstmGradient{.of_y = floats(call.inputs[0]),
                     .cells = floats(call.inputs[2]),
                     .gates = floats(call.inputs[1]),
                     .r = floats(call.inputs[3]),
                     .of_sums = floats(call.outputs[0])});
  };
}

// run(call, shape, Gru)
template <auto run>
PreparedKernel prepare_gru(const Graph&, const Node&) {
  return [](const KernelCall& call) {
    run(call, recurrent_shape(call.outputs[0].extents, call.inputs[0].extents[3]),
        Gru{.x = floats(call.inputs[0]),
            .w = floats(call.inputs[1]),
            .r = floats(call.inputs[2]),
            .bias = floats(call.inputs[3]),
            .state_bias = floats(call.inputs[4]),
            .y = floats(call.outputs[0]),
            .gates = floats(call.outputs[1]),
            .of_state = floats(call.outputs[2])});
  };
}

// run(call, shape, GruGradient)
template <auto run>
PreparedKernel prepare_gru_gradient(const Graph&, const Node&) {
  return [](const KernelCall& call) {
    run(call, recurrent_shape(call.inputs[0].extents),
        GruGradient{.of_y = floats(call.inputs[0]),
                    .y = floats(call.inputs[3]),
                    .gates = floats(call.inputs[1]),
                    .of_state = floats(call.inputs[2]),
                    .r = floats(call.inputs[4]),
                    .of_input_sums = floats(call.outputs[0]),
                    .of_state_sums = floats(call.outputs[1])});
  };
}

// run(call, shape, x, y, to). `x` is null, and shape.inputs 0, if the node has no input X.
template <auto run>
PreparedKernel prepare_step_inputs(const Graph&, const Node& node) {
  return [has_x = node.inputs.size() > 1](const KernelCall& call) {
    const std::int64_t inputs = has_x ? call.inputs[1].extents[3] : 0;
    run(call, recurrent_shape(call.inputs[0].extents, inputs), has_x ? floats(call.inputs[1]) : nullptr,
        floats(call.inputs[0]), floats(call.outputs[0]));
  };
}

// The attributes of an attention node.
struct Heads {
  explicit Heads(const Node& node)
      : count(node.attributes.get<std::int64_t>("q_num_heads")),
        causal(node.attributes.get_or<std::int64_t>("is_causal", 0) != 0) {}

  // Returns the shape of a call. `q` is [rows, queries, heads * key_size], and `v` [rows, keys, heads * value_size].
  AttentionShape shape(const KernelInput& q, const KernelInput& v) const {
    return {.rows = q.extents[1],
            .queries = q.extents[2],
            .keys = v.extents[2],
            .heads = count,
            .key_size = q.extents[3] / count,
            .value_size = v.extents[3] / count,
            .causal = causal};
  }

  std::int64_t count;
  bool causal;
};

// Returns the mask, which follows `inputs_before` other inputs; null if the node has none.
inline const float* mask_of(const KernelCall& call, std::size_t inputs_before) {
  return call.inputs.size() > inputs_before ? floats(call.inputs[inputs_before]) : nullptr;
}

// run(call, shape, Attention)
template <auto run>
PreparedKernel prepare_attention(const Graph&, const Node& node) {
  return [heads = Heads(node)](const KernelCall& call) {
    run(call, heads.shape(call.inputs[0], call.inputs[2]),
        Attention{.q = floats(call.inputs[0]),
                  .k = floats(call.inputs[1]),
                  .v = floats(call.inputs[2]),
                  .mask = mask_of(call, 3),
                  .y = floats(call.outputs[0])});
  };
}

// run(call, shape, AttentionGradient)
template <auto run>
PreparedKernel prepare_attention_gradient(const Graph&, const Node& node) {
  return [heads = Heads(node)](const KernelCall& call) {
    run(call, heads.shape(call.inputs[1], call.inputs[3]),
        AttentionGradient{.of_y = floats(call.inputs[0]),
                          .q = floats(call.inputs[1]),
                          .k = floats(call.inputs[2]),
                          .v = floats(call.inputs[3]),
                          .mask = mask_of(call, 4),
                          .of_q = floats(call.outputs[0]),
                          .of_k = floats(call.outputs[1]),
                          .of_v = floats(call.outputs[2])});
  };
}

}  // namespace carrack::train
