#include "trainer/execution/executor.h"

#include <algorithm>
#include <new>
#include <utility>

#include "trainer/error.h"

namespace carrack::train {

void Executor::Free::operator()(std::byte* memory) const {
  ::operator delete[](memory, std::align_val_t{arena_alignment});
}

Executor::Executor(Gradients gradients, const Layout& layout, std::int64_t rows_max, cpu::ThreadPool* threads,
                   Device device, Places places)
    : Executor(gradients, memory_plan(gradients, rows_max, places), layout, rows_max, threads, device) {}

Executor::Executor(Graph graph, std::span<const ValueId> wanted, const Layout& layout, std::int64_t rows_max,
                   cpu::ThreadPool* threads, Device device)
    : Executor(Gradients{graph, {}, {}, {}},
               memory_plan(Gradients{graph, {}, {}, {}}, rows_max, Places::reused, wanted), layout, rows_max, threads,
               device) {}

Executor::Executor(Gradients gradients, MemoryPlan plan, const Layout& layout, std::int64_t rows_max,
                   cpu::ThreadPool* threads, Device device)
    : gradients_(std::move(gradients)),
      plan_(std::move(plan)),
      sum_in_use_(graph().sum_in_use()),
      rows_max_(rows_max),
      threads_(threads),
      flat_size_(layout.size()),
      arena_(new (std::align_val_t{arena_alignment}) std::byte[static_cast<std::size_t>(plan_.bytes)]),
      places_(graph().values().size()) {
  for (const ValueId parameter : graph().parameters()) {
    const Value& value = graph().value(parameter);
    const Placed& placed = layout.tensor(value.name);
    if (placed.shape != with_rows(value.shape, 0))
      throw Error(Blame::bug, "Executor: the layout has another shape for " + text(value));
    parameter_offsets_.push_back(placed.range.begin);
  }
  for (ValueId id = 0; id < places_.size(); ++id) {
    if (!plan_.offsets[id]) continue;
    places_[id].written = arena_.get() + *plan_.offsets[id];
    places_[id].read = places_[id].written;
  }
  for (const Node& node : graph().nodes()) {
    if (!node.op->is_view) steps_.push_back(step_for(node, device));
  }
}

Executor::Step Executor::step_for(const Node& node, Device device) const {
  const Kernel* kernel = find_kernel(device, node.op->name, graph().value(node.outputs[0]).type);
  if (kernel == nullptr) {
    throw Error(Blame::user,
                graph().path() + ": this release has no kernel for " + std::string(node.op->name) + " on this device");
  }
  return {&node, kernel->prepare(graph(), node), std::vector<KernelInput>(node.inputs.size()),
          std::vector<KernelOutput>(node.outputs.size())};
}

void Executor::bind(std::span<const float> parameters, std::span<const FeatureValues> inputs, std::int64_t rows) {
  if (parameters.size() != static_cast<std::size_t>(flat_size_) || inputs.size() != graph().inputs().size()) {
    throw Error(Blame::bug, "Executor: parameters or inputs are not those of the graph");
  }
  if (rows < 0 || rows > rows_max_) throw Error(Blame::bug, "Executor: more rows than planned for");
  bind_rows(rows);
  for (std::size_t i = 0; i < inputs.size(); ++i) bind_input(graph().inputs()[i], inputs[i]);
  for (std::size_t i = 0; i < parameter_offsets_.size(); ++i) {
    places_[graph().parameters()[i]].read = parameters.data() + parameter_offsets_[i];
  }
}

void Executor::run_steps(const RunOptions& options) {
  for (ValueId id = 0; id < places_.size(); ++id) places_[id].read = places_[graph().source_of(id)].read;
  for (Step& step : steps_) run(step, options);
}

float Executor::run(std::span<const float> parameters, std::span<const FeatureValues> inputs, std::int64_t rows,
                    std::span<float> gradient_sum, const RunOptions& options) {
  bind(parameters, inputs, rows);
  if (gradient_sum.size() != parameters.size() || gradients_.of_parameters.size() != parameter_offsets_.size()) {
    throw Error(Blame::bug, "Executor::run: the gradients are not those of the graph");
  }
  options.lane_ends.require(rows);
  if (options.lane_ends.size() > 1 && sum_in_use_) {
    throw Error(Blame::bug,
                "lanes of a graph that computes with " + text(graph().value(*sum_in_use_)) + ", a sum over all rows");
  }
  for (std::size_t i = 0; i < parameter_offsets_.size(); ++i) {
    Place& gradient = places_[gradients_.of_parameters[i]];
    gradient.written = gradient_sum.data() + parameter_offsets_[i];
    gradient.read = gradient.written;
  }
  run_steps(options);
  return *static_cast<const float*>(places_[gradients_.loss].read);
}

void Executor::evaluate(std::span<const float> parameters, std::span<const FeatureValues> inputs, std::int64_t rows) {
  if (!gradients_.of_parameters.empty()) throw Error(Blame::bug, "Executor::evaluate: the graph has gradients");
  bind(parameters, inputs, rows);
  run_steps({});
}

std::span<const float> Executor::elements(ValueId id) const {
  return {static_cast<const float*>(places_[id].read), static_cast<std::size_t>(element_count(places_[id].extents))};
}

void Executor::bind_rows(std::int64_t rows) {
  if (rows == rows_) return;
  rows_ = rows;
  for (ValueId id = 0; id < places_.size(); ++id) places_[id].extents = extents_of(graph().value(id).shape, rows);
}

void Executor::bind_input(ValueId input, const FeatureValues& values) {
  const Value& value = graph().value(input);
  const std::size_t size = std::visit([](const auto& span) { return span.size(); }, values);
  const Type type = std::holds_alternative<std::span<const float>>(values) ? Type::float32 : Type::int64;
  if (type != value.type || size != static_cast<std::size_t>(element_count(places_[input].extents))) {
    throw Error(Blame::bug, "Executor: the values of " + text(value) + " are of another type or size");
  }
  places_[input].read = std::visit([](const auto& span) { return static_cast<const void*>(span.data()); }, values);
}

void Executor::run(Step& step, const RunOptions& options) {
  for (std::size_t i = 0; i < step.inputs.size(); ++i) {
    const Place& place = places_[step.node->inputs[i]];
    step.inputs[i] = {place.read, place.extents};
  }
  for (std::size_t i = 0; i < step.outputs.size(); ++i) {
    const Place& place = places_[step.node->outputs[i]];
    step.outputs[i] = {place.written, place.extents};
  }
  step.kernel({rows_, options.lane_ends, options.draws, threads_, step.inputs, step.outputs});
}

}  // namespace carrack::train
