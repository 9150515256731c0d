// Templates that make kernels (kernel.h) which compute element by element. The tables of cpu_kernels.cc and
// cuda_kernels.cc use them as Kernel::prepare, each with the function of its device as template argument `run`:
//   {"Add", float32, prepare_binary<of_two<cpu::add>>}
// The comment above each template shows the arguments with which the prepared kernel calls `run`: the KernelCall, then
// what was prepared from the node, then the inputs and outputs of the call.
#pragma once

#include <charconv>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "trainer/execution/arguments.h"
#include "trainer/execution/kernel.h"
#include "trainer/kernels/row_numbers.h"

namespace carrack::train {

// run(call, a, b, result), with broadcasting
template <auto run>
PreparedKernel prepare_binary(const Graph&, const Node&) {
  return [](const KernelCall& call) {
    run(call, operand(call.inputs[0]), operand(call.inputs[1]), result(call.outputs[0]));
  };
}

// run(call, a, result), with broadcasting
template <auto run>
PreparedKernel prepare_unary(const Graph&, const Node&) {
  return [](const KernelCall& call) { run(call, operand(call.inputs[0]), result(call.outputs[0])); };
}

// run(call, value, result), where `value` is the attribute of the node
template <auto run>
PreparedKernel prepare_constant(const Graph&, const Node& node) {
  return [value = node.attributes.get<float>("value")](const KernelCall& call) {
    run(call, value, result(call.outputs[0]));
  };
}

// run(call, a, result). Inserts dimensions of 1 at `axes` into the input's shape.
template <auto run>
PreparedKernel prepare_expand(const Graph& graph, const Node& node) {
  Dimensions from = graph.value(node.inputs[0]).shape;
  for (const std::int64_t axis : node.attributes.get_or<std::vector<std::int64_t>>("axes", {})) {
    from.insert(from.begin() + axis, 1);
  }
  return [from](const KernelCall& call) {
    run(call, Operand{floats(call.inputs[0]), extents_of(from, call.rows)}, result(call.outputs[0]));
  };
}

// run(call, x, y)
template <auto run>
PreparedKernel prepare_elementwise(const Graph&, const Node&) {
  return [](const KernelCall& call) { run(call, elements(call.inputs[0]), elements(call.outputs[0])); };
}

// run(call, a, b, y)
template <auto run>
PreparedKernel prepare_elementwise_of_two(const Graph&, const Node&) {
  return [](const KernelCall& call) {
    run(call, elements(call.inputs[0]), elements(call.inputs[1]), elements(call.outputs[0]));
  };
}

// run(call, delta, predictions, targets, y)
template <auto run>
PreparedKernel prepare_huber(const Graph&, const Node& node) {
  return [delta = node.attributes.get<float>("delta")](const KernelCall& call) {
    run(call, delta, elements(call.inputs[0]), elements(call.inputs[1]), elements(call.outputs[0]));
  };
}

// Kernel::refusal of SigmoidCrossEntropyLoss: returns the message for a target that is below 0 or above 1. It has all
// digits of the target, which may be as near to 1 as 1.0000001.
inline std::string refusal_of_target(const Graph& graph, const Node& node, const Refused& refused) {
  char digits[40];
  const std::string number(digits, std::to_chars(std::begin(digits), std::end(digits), refused.number).ptr);
  return graph.path() + ": a record has " + number + " in `" + graph.value(node.inputs[1]).name +
         "`, but labels are from 0 to 1";
}

// Divides `rows` into runs of rows that have consecutive numbers in the batch, and calls draw(Range) for each run, in
// order.
template <class Draw>
void for_each_run_of_numbers(const Draws& draws, Range rows, const Draw& draw) {
  if (draws.rows.empty()) return draw(rows);
  for (Range run{rows.begin, rows.begin}; run.begin < rows.end; run.begin = run.end) {
    const auto follows = [&] { return draws.number_of(run.end) == draws.number_of(run.end - 1) + 1; };
    do ++run.end;
    while (run.end < rows.end && follows());
    draw(run);
  }
}

// run(call, width, drop), where `width` is the number of elements of a row. `run` calls drop(rows, function) for ranges
// that together make up all rows, on any threads. `drop` calls function(table, numbers, first_row, rate, x, y) for each
// part of `rows` whose rows have consecutive numbers in the batch.
template <auto run>
PreparedKernel prepare_dropout(const Graph& graph, const Node& node) {
  const auto rate = node.attributes.get<float>("ratio");
  const auto number = static_cast<std::uint32_t>(node.attributes.get<std::int64_t>("seed"));
  return [rate, number, width = elements_per_row(graph.value(node.inputs[0]).shape)](const KernelCall& call) {
    const RowRandomNumbers numbers(call.draws.seed, Purpose::dropout, call.draws.step, number);
    run(call, width, [&](Range rows, const auto& function) {
      for_each_run_of_numbers(call.draws, rows, [&](Range some) {
        const std::int64_t begin = some.begin * width;
        function(Table{some.size(), width}, numbers, call.draws.number_of(some.begin), rate,
                 floats(call.inputs[0]) + begin, floats(call.outputs[0]) + begin);
      });
    });
  };
}

}  // namespace carrack::train
