// Whole graphs: every value must have the bits that the CPU's executor gives it.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/gpu/cases.h"
#include "tests/trainer/models/networks.h"
#include "tests/trainer/reference/graphs.h"
#include "trainer/error.h"
#include "trainer/execution/split_executor.h"
#include "trainer/kernels/device.h"
#include "trainer/optimizer/optimizer.h"

namespace carrack::gpu_test {
namespace {

using namespace train;

void check_bits(const std::string& what, std::span<const float> computed, std::span<const float> expected) {
  check(computed.size() == expected.size(), what + " has another size");
  const auto same = [](float a, float b) { return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b); };
  const auto other = std::ranges::mismatch(computed, expected, same);
  if (other.in1 == computed.end()) return;
  throw std::runtime_error(what + ": element " + std::to_string(other.in1 - computed.begin()) + " is " +
                           std::to_string(*other.in1) + ", not " + std::to_string(*other.in2));
}

struct Result {
  float loss;
  std::vector<float> gradient;
};

template <class Runner>
Result run(Runner& executor, const reference::CallArguments& call, const LaneEnds& lane_ends) {
  Result result{0, std::vector<float>(call.parameters.size())};
  result.loss =
      executor.run(call.parameters, call.inputs, reference::rows, result.gradient, {lane_ends, reference::draws});
  return result;
}

void compare(const Gradients& graph, const LaneEnds& lane_ends) {
  const reference::CallArguments call(graph.graph, reference::arguments_of(graph.graph));
  Executor on_cpu(graph, call.layout(), reference::rows, nullptr, Device::cpu, MemoryReuse::off);
  Executor on_gpu(graph, call.layout(), reference::rows, nullptr, Device::cuda, MemoryReuse::off);
  const Result expected = run(on_cpu, call, lane_ends), computed = run(on_gpu, call, lane_ends);
  for (ValueId id = 0; id < graph.graph.values().size(); ++id) {
    const Value& value = graph.graph.value(id);
    if (value.type == Type::float32) check_bits(text(value), on_gpu.elements(id), on_cpu.elements(id));
  }
  check_bits("the gradient", computed.gradient, expected.gradient);
  check_bits("the loss", {&computed.loss, 1}, {&expected.loss, 1});
}

void graphs_give_the_bits_of_the_cpu() {
  const std::vector<std::int64_t> two = {1, 3}, four = {1, 1, 2, 3};
  for (const Gradients& graph : reference::graphs()) {
    compare(graph, {});
    if (graph.graph.sum_in_use()) continue;
    compare(graph, two);
    compare(graph, four);
  }
}

// Its parameters after some steps, of the same records.
std::vector<float> trained(const Gradients& graph, Device device) {
  reference::CallArguments call(graph.graph, reference::arguments_of(graph.graph));
  Executor executor(graph, call.layout(), reference::rows, nullptr, device);
  const Optimizer adam = Adam{.learning_rate = 0.01};
  std::vector<std::vector<float>> state(state_names(adam).size(),
                                        std::vector<float>(call.parameters.size(), initial_state(adam)));
  for (std::int64_t step = 1; step <= 3; ++step) {
    const Result result = run(executor, call, {});
    Update update{call.parameters, result.gradient, {.factor = 1.0f / reference::rows}, step, {}, call.parameters};
    for (std::vector<float>& values : state) update.state.push_back(std::span(values));
    train::apply(adam, update);
  }
  return call.parameters;
}

void training_gives_the_bits_of_the_cpu() {
  for (const Gradients& graph : reference::graphs()) {
    check_bits("the parameters", trained(graph, Device::cuda), trained(graph, Device::cpu));
  }
}

// The message about an input that has this integer for every record.
std::string refusal(const Model& model, Device device, std::int64_t integer) {
  const ModelGraph made = model_graph(model, data);
  const Gradients graph = gradients(made.graph, *made.loss);
  reference::Arguments arguments = reference::arguments_of(graph.graph);
  for (std::size_t i = 0; i < arguments.inputs.size(); ++i) {
    const bool is_integer = graph.graph.value(graph.graph.inputs()[i]).type == Type::int64;
    if (is_integer || graph.graph.value(graph.graph.inputs()[i]).name == "y") {
      std::ranges::fill(arguments.inputs[i], static_cast<double>(integer));
    }
  }
  const reference::CallArguments call(graph.graph, arguments);
  Executor executor(graph, call.layout(), reference::rows, nullptr, device);
  try {
    run(executor, call, {});
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

void what_is_outside_of_its_range_is_refused() {
  int refused = 0;
  for (const Model& model : reference::models()) {
    for (const std::int64_t integer : {-1, 7}) {
      const std::string expected = refusal(model, Device::cpu, integer), got = refusal(model, Device::cuda, integer);
      check(got == expected, "the message is \"" + got + "\", not \"" + expected + '"');
      refused += got.empty() ? 0 : 1;
    }
  }
  // By the tally, the embedding, softmax and sigmoid cross entropy.
  check(refused == 8, std::to_string(refused) + " are refused");
}

// The sizes of runs may change, down to no rows, and rows may be missing in the batch.
void runs_of_other_rows_give_the_bits_of_the_cpu() {
  constexpr std::uint64_t numbers[] = {1, 2, 5};
  for (const Gradients& graph : reference::graphs()) {
    const reference::CallArguments call(graph.graph, reference::arguments_of(graph.graph));
    Executor on_cpu(graph, call.layout(), reference::rows),
        on_gpu(graph, call.layout(), reference::rows, nullptr, Device::cuda);
    for (const std::int64_t rows : {2, 3, 0, 1}) {
      Draws draws = reference::draws;
      if (rows == 3) draws.rows = numbers;
      std::vector<FeatureValues> inputs;
      for (const FeatureValues& all : call.inputs) {
        inputs.push_back(std::visit(
            [&](auto span) {
              return FeatureValues(span.first(span.size() / reference::rows * static_cast<std::size_t>(rows)));
            },
            all));
      }
      std::vector<float> expected(call.parameters.size()), computed(call.parameters.size());
      const float expected_loss = on_cpu.run(call.parameters, inputs, rows, expected, {{}, draws});
      const float loss = on_gpu.run(call.parameters, inputs, rows, computed, {{}, draws});
      check_bits("the gradient of " + std::to_string(rows) + " rows", computed, expected);
      check_bits("the loss of " + std::to_string(rows) + " rows", {&loss, 1}, {&expected_loss, 1});
    }
  }
}

// Two executors share a GPU where there is only one.
void several_gpus_and_parts_give_the_bits_of_the_cpu() {
  const std::vector<std::int64_t> ends = {1, 1, 2, 3};
  const std::vector<Processor> gpus{{Device::cuda, 0}, {Device::cuda, 1 % cuda::device_count()}};
  for (const Gradients& graph : reference::graphs()) {
    if (graph.graph.sum_in_use()) continue;
    const reference::CallArguments call(graph.graph, reference::arguments_of(graph.graph));
    Executor on_cpu(graph, call.layout(), reference::rows);
    SplitExecutor on_gpus(graph, call.layout(), {1, 1, 1}, gpus);
    const Result expected = run(on_cpu, call, ends), computed = run(on_gpus, call, ends);
    check_bits("the gradient", computed.gradient, expected.gradient);
    check_bits("the loss", {&computed.loss, 1}, {&expected.loss, 1});
  }
}

void a_batch_without_room_is_refused() {
  Graph graph("spec.model");
  const ValueId x = graph.input("x", Type::float32, {std::int64_t{1} << 40});
  const ValueId loss = graph.reduce_sum("loss", graph.mul("product", x, graph.parameter("w", {1})), 0, 2);
  const Layout layout({{"w", {1}}});
  try {
    Executor(gradients(graph, loss), layout, 1000, nullptr, Device::cuda);
  } catch (const cuda::NoRoom& error) {
    const std::string what = error.what();
    check(what.starts_with("the GPU has no room for ") &&
              what.ends_with(" bytes more, perhaps because other processes use its memory; nvidia-smi lists them"),
          what);
    return;
  }
  throw std::runtime_error("nothing was refused");
}

}  // namespace

std::vector<Case> executor_cases() {
  return {{"graphs_give_the_bits_of_the_cpu", graphs_give_the_bits_of_the_cpu},
          {"training_gives_the_bits_of_the_cpu", training_gives_the_bits_of_the_cpu},
          {"what_is_outside_of_its_range_is_refused", what_is_outside_of_its_range_is_refused},
          {"runs_of_other_rows_give_the_bits_of_the_cpu", runs_of_other_rows_give_the_bits_of_the_cpu},
          {"several_gpus_and_parts_give_the_bits_of_the_cpu", several_gpus_and_parts_give_the_bits_of_the_cpu},
          {"a_batch_without_room_is_refused", a_batch_without_room_is_refused}};
}

}  // namespace carrack::gpu_test
