#include "trainer/execution/cpu_recurrent.h"

#include "trainer/kernels/recurrent.h"

namespace carrack::train {
namespace {

const float* in(const KernelCall& call, std::size_t input) {
  return static_cast<const float*>(call.inputs[input].data);
}

float* out(const KernelCall& call, std::size_t output) {
  return static_cast<float*>(call.outputs[output].data);
}

// Of Y [rows, steps, units], and X [rows, steps, inputs] if there is one.
RecurrentShape shape_of(const Extents& y, std::int64_t inputs = 0) {
  return {.rows = y[1], .steps = y[2], .inputs = inputs, .units = y[3]};
}

}  // namespace

PreparedKernel lstm_kernel(const Graph&, const Node&) {
  return [](const KernelCall& call) {
    cpu::lstm(shape_of(call.outputs[0].extents, call.inputs[0].extents[3]),
              {.x = in(call, 0),
               .w = in(call, 1),
               .r = in(call, 2),
               .bias = in(call, 3),
               .y = out(call, 0),
               .cells = out(call, 2),
               .gates = out(call, 1)},
              {.threads = call.threads});
  };
}

PreparedKernel lstm_gradient_kernel(const Graph&, const Node&) {
  return [](const KernelCall& call) {
    cpu::lstm_gradient(
        shape_of(call.inputs[0].extents),
        {.of_y = in(call, 0), .cells = in(call, 2), .gates = in(call, 1), .r = in(call, 3), .of_sums = out(call, 0)},
        {.threads = call.threads});
  };
}

PreparedKernel gru_kernel(const Graph&, const Node&) {
  return [](const KernelCall& call) {
    cpu::gru(shape_of(call.outputs[0].extents, call.inputs[0].extents[3]),
             {.x = in(call, 0),
              .w = in(call, 1),
              .r = in(call, 2),
              .bias = in(call, 3),
              .state_bias = in(call, 4),
              .y = out(call, 0),
              .gates = out(call, 1),
              .of_state = out(call, 2)},
             {.threads = call.threads});
  };
}

PreparedKernel gru_gradient_kernel(const Graph&, const Node&) {
  return [](const KernelCall& call) {
    cpu::gru_gradient(shape_of(call.inputs[0].extents),
                      {.of_y = in(call, 0),
                       .y = in(call, 3),
                       .gates = in(call, 1),
                       .of_state = in(call, 2),
                       .r = in(call, 4),
                       .of_input_sums = out(call, 0),
                       .of_state_sums = out(call, 1)},
                      {.threads = call.threads});
  };
}

PreparedKernel step_inputs_kernel(const Graph&, const Node& node) {
  return [has_x = node.inputs.size() > 1](const KernelCall& call) {
    const std::int64_t inputs = has_x ? call.inputs[1].extents[3] : 0;
    cpu::step_inputs(shape_of(call.inputs[0].extents, inputs), has_x ? in(call, 1) : nullptr, in(call, 0), out(call, 0),
                     call.threads);
  };
}

}  // namespace carrack::train
