#include "trainer/execution/executor.h"

#include <algorithm>
#include <utility>

#include "trainer/error.h"

namespace carrack::train {
namespace {

// The executor passes these numbers to DeviceContext::upload() and output_memory(), to say which argument it means.
// Input i has the number first_input + i.
constexpr std::size_t parameters_number = 0, gradients_number = 1, refused_number = 2, lanes_number = 3,
                      first_input = 4;

}  // namespace

Executor::Executor(Gradients gradients, const Layout& layout, std::int64_t rows_max, cpu::ThreadPool* threads,
                   Processor processor, MemoryReuse reuse)
    : Executor(gradients, memory_plan(gradients, rows_max, reuse), layout, rows_max, threads, processor) {}

Executor::Executor(Graph graph, std::span<const ValueId> wanted, const Layout& layout, std::int64_t rows_max,
                   cpu::ThreadPool* threads, Processor processor)
    : Executor(Gradients{graph, {}, {}, {}},
               memory_plan(Gradients{graph, {}, {}, {}}, rows_max, MemoryReuse::on, wanted), layout, rows_max, threads,
               processor) {}

Executor::Executor(Gradients gradients, MemoryPlan plan, const Layout& layout, std::int64_t rows_max,
                   cpu::ThreadPool* threads, Processor processor)
    : gradients_(std::move(gradients)),
      plan_(std::move(plan)),
      sum_in_use_(graph().sum_in_use()),
      rows_max_(rows_max),
      flat_size_(layout.size()),
      device_(processor.device),
      context_(make_context(processor, static_cast<std::size_t>(plan_.bytes), threads)),
      places_(graph().values().size()) {
  for (const ValueId parameter : graph().parameters()) {
    const Value& value = graph().value(parameter);
    const PlacedTensor& placed = layout.tensor(value.name);
    if (placed.shape != with_rows(value.shape, 0))
      throw Error(Blame::bug, "Executor: the layout has another shape for " + text(value));
    parameter_offsets_.push_back(placed.range.begin);
  }
  for (ValueId id = 0; id < places_.size(); ++id) {
    if (!plan_.offsets[id]) continue;
    places_[id].written = context_->arena() + *plan_.offsets[id];
    places_[id].read = places_[id].written;
  }
  for (const Node& node : graph().nodes()) {
    if (!node.op->is_view) steps_.push_back(step_for(node));
  }
  refused_.resize(steps_.size());
  reserve();
}

// Allocates the device's memory for the parameters, gradients and inputs of the largest possible run. If the device
// lacks room for them, the constructor fails, and not a later run.
void Executor::reserve() {
  const auto bytes = [](std::int64_t count, std::size_t of_one) { return static_cast<std::size_t>(count) * of_one; };
  context_->reserve(parameters_number, bytes(flat_size_, sizeof(float)));
  if (!gradients_.of_parameters.empty()) context_->reserve(gradients_number, bytes(flat_size_, sizeof(float)));
  for (std::size_t i = 0; i < graph().inputs().size(); ++i) {
    const Value& value = graph().value(graph().inputs()[i]);
    const std::size_t of_one = value.type == Type::float32 ? sizeof(float) : sizeof(std::int64_t);
    context_->reserve(first_input + i, bytes(element_count(extents_of(value.shape, rows_max_)), of_one));
  }
}

Executor::Step Executor::step_for(const Node& node) const {
  const Kernel* kernel = find_kernel(device_, node.op->name, graph().value(node.outputs[0]).type);
  if (kernel == nullptr) {
    throw Error(Blame::user,
                graph().path() + ": this release has no kernel for " + std::string(node.op->name) + " on this device");
  }
  return {&node, kernel, kernel->prepare(graph(), node), std::vector<KernelInput>(node.inputs.size()),
          std::vector<KernelOutput>(node.outputs.size())};
}

// Copies the parameters and inputs to the device, if it is not the CPU, and stores in places_ where they are.
void Executor::bind(std::span<const float> parameters, std::span<const FeatureValues> inputs, std::int64_t rows,
                    bool same_parameters) {
  if (parameters.size() != static_cast<std::size_t>(flat_size_) || inputs.size() != graph().inputs().size()) {
    throw Error(Blame::bug, "Executor: parameters or inputs are not those of the graph");
  }
  if (rows < 0 || rows > rows_max_) throw Error(Blame::bug, "Executor: more rows than planned for");
  context_->use();
  bind_rows(rows);
  for (std::size_t i = 0; i < inputs.size(); ++i) bind_input(i, inputs[i]);
  if (same_parameters) return;
  const auto* from = reinterpret_cast<const float*>(context_->upload(parameters_number, std::as_bytes(parameters)));
  for (std::size_t i = 0; i < parameter_offsets_.size(); ++i) {
    places_[graph().parameters()[i]].read = from + parameter_offsets_[i];
  }
}

// Makes the nodes write the gradients of parameters to one buffer, in the layout of `gradient_sum`. Returns that
// buffer.
std::byte* Executor::bind_gradients(std::span<float> gradient_sum) {
  auto* to = reinterpret_cast<float*>(context_->output_memory(gradients_number, std::as_writable_bytes(gradient_sum)));
  for (std::size_t i = 0; i < parameter_offsets_.size(); ++i) {
    Place& gradient = places_[gradients_.of_parameters[i]];
    gradient.written = to + parameter_offsets_[i];
    gradient.read = gradient.written;
  }
  return reinterpret_cast<std::byte*>(to);
}

void Executor::run_steps(RunOptions options) {
  for (ValueId id = 0; id < places_.size(); ++id) places_[id].read = places_[graph().source_of(id)].read;
  const std::byte* const lanes = context_->upload(lanes_number, std::as_bytes(options.lane_ends.in_rows()));
  options.lane_ends = options.lane_ends.with_ends_at(reinterpret_cast<const std::int64_t*>(lanes));
  std::ranges::fill(refused_, Refused());
  const auto refused_bytes = std::as_writable_bytes(std::span(refused_));
  std::byte* const refused = context_->output_memory(refused_number, refused_bytes);
  context_->upload(refused_number, refused_bytes);
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    run(steps_[i], options, reinterpret_cast<Refused*>(refused) + i);
    // Later kernels of the CPU do not check indices again, and would access memory outside of tables. So this function
    // throws immediately if the kernel has refused an index. Kernels of a GPU check all indices, so it is enough that
    // finish() throws.
    if (device_ == Device::cpu) throw_if_refused(steps_[i], refused_[i]);
  }
  context_->download(refused_bytes, refused);
}

float Executor::run(std::span<const float> parameters, std::span<const FeatureValues> inputs, std::int64_t rows,
                    std::span<float> gradient_sum, const RunOptions& options) {
  bind(parameters, inputs, rows, options.same_parameters);
  if (gradient_sum.size() != parameters.size() || gradients_.of_parameters.size() != parameter_offsets_.size()) {
    throw Error(Blame::bug, "Executor::run: the gradients are not those of the graph");
  }
  options.lane_ends.require(rows);
  if (options.lane_ends.size() > 1 && sum_in_use_) {
    throw Error(Blame::bug,
                "lanes of a graph that computes with " + text(graph().value(*sum_in_use_)) + ", a sum over all rows");
  }
  const std::byte* const gradients = bind_gradients(gradient_sum);
  run_steps(options);
  context_->download(std::as_writable_bytes(gradient_sum), gradients);
  float loss = 0;
  context_->download(std::as_writable_bytes(std::span(&loss, 1)),
                     static_cast<const std::byte*>(places_[gradients_.loss].read));
  finish();
  return loss;
}

void Executor::evaluate(std::span<const float> parameters, std::span<const FeatureValues> inputs, std::int64_t rows) {
  if (!gradients_.of_parameters.empty()) throw Error(Blame::bug, "Executor::evaluate: the graph has gradients");
  bind(parameters, inputs, rows, false);
  run_steps({});
  finish();
}

void Executor::finish() {
  context_->wait();
  for (std::size_t i = 0; i < steps_.size(); ++i) throw_if_refused(steps_[i], refused_[i]);
}

void Executor::throw_if_refused(const Step& step, const Refused& refused) const {
  if (refused.found == 0) return;
  if (step.kernel->refusal == nullptr) throw Error(Blame::bug, "a kernel refuses what none before it has refused");
  throw Error(Blame::user, step.kernel->refusal(graph(), *step.node, refused));
}

std::span<const float> Executor::elements(ValueId id) const {
  const auto count = static_cast<std::size_t>(element_count(places_[id].extents));
  context_->use();
  const auto bytes = context_->on_host({static_cast<const std::byte*>(places_[id].read), count * sizeof(float)});
  return {reinterpret_cast<const float*>(bytes.data()), count};
}

void Executor::bind_rows(std::int64_t rows) {
  if (rows == rows_) return;
  rows_ = rows;
  for (ValueId id = 0; id < places_.size(); ++id) places_[id].extents = extents_of(graph().value(id).shape, rows);
}

void Executor::bind_input(std::size_t number, const FeatureValues& values) {
  const ValueId input = graph().inputs()[number];
  const Value& value = graph().value(input);
  const std::size_t size = std::visit([](const auto& span) { return span.size(); }, values);
  const Type type = std::holds_alternative<std::span<const float>>(values) ? Type::float32 : Type::int64;
  if (type != value.type || size != static_cast<std::size_t>(element_count(places_[input].extents))) {
    throw Error(Blame::bug, "Executor: the values of " + text(value) + " are of another type or size");
  }
  const auto bytes = std::visit([](const auto& span) { return std::as_bytes(span); }, values);
  places_[input].read = context_->upload(first_input + number, bytes);
}

void Executor::run(Step& step, const RunOptions& options, Refused* refused) {
  for (std::size_t i = 0; i < step.inputs.size(); ++i) {
    const Place& place = places_[step.node->inputs[i]];
    step.inputs[i] = {place.read, place.extents};
  }
  for (std::size_t i = 0; i < step.outputs.size(); ++i) {
    const Place& place = places_[step.node->outputs[i]];
    step.outputs[i] = {place.written, place.extents};
  }
  KernelCall call{.rows = rows_,
                  .lane_ends = options.lane_ends,
                  .draws = options.draws,
                  .inputs = step.inputs,
                  .outputs = step.outputs,
                  .refused = refused};
  context_->set_device_fields(call);
  step.run(call);
}

}  // namespace carrack::train
