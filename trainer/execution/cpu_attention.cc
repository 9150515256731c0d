#include "trainer/execution/cpu_attention.h"

#include "trainer/execution/cpu_arguments.h"
#include "trainer/kernels/attention.h"

namespace carrack::train {
namespace {

// What the attributes of a node say.
struct Heads {
  explicit Heads(const Node& node)
      : count(node.attributes.get<std::int64_t>("q_num_heads")),
        causal(node.attributes.get_or<std::int64_t>("is_causal", 0) != 0) {}

  // Of Q [rows, queries, values] and V [rows, keys, values].
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

// The mask is the last input if there is one.
const float* mask_of(const KernelCall& call, std::size_t inputs_before) {
  return call.inputs.size() > inputs_before ? floats(call.inputs[inputs_before]) : nullptr;
}

}  // namespace

PreparedKernel attention_kernel(const Graph&, const Node& node) {
  return [heads = Heads(node)](const KernelCall& call) {
    cpu::attention(heads.shape(call.inputs[0], call.inputs[2]),
                   {.q = floats(call.inputs[0]),
                    .k = floats(call.inputs[1]),
                    .v = floats(call.inputs[2]),
                    .mask = mask_of(call, 3),
                    .y = floats(call.outputs[0])},
                   call.threads);
  };
}

PreparedKernel attention_gradient_kernel(const Graph&, const Node& node) {
  return [heads = Heads(node)](const KernelCall& call) {
    cpu::attention_gradient(heads.shape(call.inputs[1], call.inputs[3]),
                            {.of_y = floats(call.inputs[0]),
                             .q = floats(call.inputs[1]),
                             .k = floats(call.inputs[2]),
                             .v = floats(call.inputs[3]),
                             .mask = mask_of(call, 4),
                             .of_q = floats(call.outputs[0]),
                             .of_k = floats(call.outputs[1]),
                             .of_v = floats(call.outputs[2])},
                            call.threads);
  };
}

}  // namespace carrack::train
