#include "trainer/graph/executor.h"

#include <algorithm>
#include <new>
#include <utility>

#include "trainer/error.h"
#include "trainer/kernels/arithmetic.h"
#include "trainer/kernels/rows.h"
#include "trainer/kernels/sums.h"

namespace carrack::train {
namespace {

std::int64_t resolved(std::int64_t dimension, std::int64_t rows) {
  return dimension == batch_rows ? rows : dimension;
}

Extents extents_of(const Shape& shape, std::int64_t rows) {
  Extents extents{1, 1, 1, 1};
  const std::size_t ahead = rank_max - shape.size();
  for (std::size_t i = 0; i < shape.size(); ++i) extents[ahead + i] = resolved(shape[i], rows);
  return extents;
}

// A tensor as rows along its first dimension.
cpu::Table table_of(const Shape& shape) {
  return {shape.front(), element_count(shape) / shape.front()};
}

}  // namespace

void Executor::Free::operator()(std::byte* memory) const {
  ::operator delete[](memory, std::align_val_t{arena_alignment});
}

Executor::Executor(Gradients gradients, const Layout& layout, std::int64_t rows_max)
    : gradients_(std::move(gradients)),
      plan_(memory_plan(gradients_, rows_max)),
      rows_max_(rows_max),
      flat_size_(layout.size()),
      arena_(new (std::align_val_t{arena_alignment}) std::byte[static_cast<std::size_t>(plan_.bytes)]) {
  const std::size_t count = graph().values().size();
  extents_.resize(count);
  read_.resize(count);
  written_.resize(count);
  indices_.resize(count);
  for (const ValueId parameter : graph().parameters()) {
    const Value& tensor = graph().value(parameter);
    const Placed& placed = layout.tensor(tensor.name);
    if (placed.shape != tensor.shape)
      throw Error(Blame::bug, "Executor: the layout has another shape for " + text(tensor));
    parameter_offsets_.push_back(placed.range.begin);
  }
  for (ValueId id = 0; id < count; ++id) {
    if (!plan_.offsets[id]) continue;
    written_[id] = reinterpret_cast<float*>(arena_.get() + *plan_.offsets[id]);
    read_[id] = written_[id];
  }
}

float Executor::run(std::span<const float> parameters, std::span<const FeatureValues> inputs, std::int64_t rows,
                    std::span<float> gradient_sum) {
  const auto flat_size = static_cast<std::size_t>(flat_size_);
  if (parameters.size() != flat_size || gradient_sum.size() != flat_size || inputs.size() != graph().inputs().size()) {
    throw Error(Blame::bug, "Executor::run: parameters, gradients or inputs are not those of the graph");
  }
  if (rows < 0 || rows > rows_max_) throw Error(Blame::bug, "Executor::run: more rows than planned for");
  bind_rows(rows);
  for (std::size_t i = 0; i < inputs.size(); ++i) bind_input(graph().inputs()[i], inputs[i]);
  for (std::size_t i = 0; i < parameter_offsets_.size(); ++i) {
    read_[graph().parameters()[i]] = parameters.data() + parameter_offsets_[i];
    written_[gradients_.of_parameters[i]] = gradient_sum.data() + parameter_offsets_[i];
    read_[gradients_.of_parameters[i]] = written_[gradients_.of_parameters[i]];
  }
  for (const Node& node : graph().nodes()) {
    std::visit([&](const auto& op) { compute(op, node); }, node.op);
  }
  return *read_[gradients_.loss];
}

void Executor::bind_rows(std::int64_t rows) {
  if (rows == rows_) return;
  rows_ = rows;
  for (ValueId id = 0; id < extents_.size(); ++id) extents_[id] = extents_of(graph().value(id).shape, rows);
}

void Executor::bind_input(ValueId input, const FeatureValues& values) {
  const Value& tensor = graph().value(input);
  const std::size_t size = std::visit([](const auto& span) { return span.size(); }, values);
  const Type type = std::holds_alternative<std::span<const float>>(values) ? Type::float32 : Type::int64;
  if (type != tensor.type || size != static_cast<std::size_t>(element_count(extents_[input]))) {
    throw Error(Blame::bug, "Executor::run: the values of " + text(tensor) + " are of another type or size");
  }
  if (type == Type::float32) {
    read_[input] = std::get<std::span<const float>>(values).data();
  } else {
    indices_[input] = std::get<std::span<const std::int64_t>>(values);
  }
}

void Executor::compute(const op::Constant& op, const Node& node) {
  cpu::fill(op.value, {written_[node.output], extents_[node.output]});
}

void Executor::compute(const op::Gemm& op, const Node& node) {
  GemmShape shape = op.shape;
  for (std::int64_t* dimension : {&shape.m, &shape.n, &shape.k}) *dimension = resolved(*dimension, rows_);
  cpu::gemm(shape, read_[node.inputs[0]], read_[node.inputs[1]], written_[node.output]);
}

void Executor::compute(const op::Add&, const Node& node) {
  const ValueId a = node.inputs[0], b = node.inputs[1];
  cpu::add({read_[a], extents_[a]}, {read_[b], extents_[b]}, {written_[node.output], extents_[node.output]});
}

void Executor::compute(const op::Sub&, const Node& node) {
  const ValueId a = node.inputs[0], b = node.inputs[1];
  cpu::sub({read_[a], extents_[a]}, {read_[b], extents_[b]}, {written_[node.output], extents_[node.output]});
}

void Executor::compute(const op::Mul&, const Node& node) {
  const ValueId a = node.inputs[0], b = node.inputs[1];
  cpu::mul({read_[a], extents_[a]}, {read_[b], extents_[b]}, {written_[node.output], extents_[node.output]});
}

void Executor::compute(const op::Neg&, const Node& node) {
  const ValueId a = node.inputs[0];
  cpu::neg({read_[a], extents_[a]}, {written_[node.output], extents_[node.output]});
}

void Executor::compute(const op::Identity&, const Node& node) {
  const ValueId a = node.inputs[0];
  cpu::expand({read_[a], extents_[a]}, {written_[node.output], extents_[node.output]});
}

void Executor::compute(const op::ReduceSum& op, const Node& node) {
  const Shape& shape = graph().value(node.inputs[0]).shape;
  cpu::Reduction3 reduction{1, 1, 1};
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    std::int64_t& part = axis < op.begin ? reduction.outer : axis < op.end ? reduction.reduced : reduction.inner;
    part *= resolved(shape[axis], rows_);
  }
  cpu::reduce_sum(reduction, read_[node.inputs[0]], written_[node.output]);
}

void Executor::compute(const op::Expand& op, const Node& node) {
  cpu::expand({read_[node.inputs[0]], extents_of(op.from, rows_)}, {written_[node.output], extents_[node.output]});
}

void Executor::compute(const op::Gather&, const Node& node) {
  const Value& data = graph().value(node.inputs[0]);
  const std::span<const std::int64_t> indices = indices_[node.inputs[1]];
  const cpu::Table table = table_of(data.shape);
  if (const std::int64_t* bad = cpu::first_outside(table, indices)) {
    throw Error(Blame::user, graph().path() + ": a record has " + std::to_string(*bad) + " as `" +
                                 graph().value(node.inputs[1]).name + "`, but `" + data.name + "` has rows 0 to " +
                                 std::to_string(table.rows - 1));
  }
  cpu::gather(table, read_[node.inputs[0]], indices, written_[node.output]);
}

void Executor::compute(const op::ScatterAdd&, const Node& node) {
  cpu::scatter_add(table_of(graph().value(node.output).shape), indices_[node.inputs[0]], read_[node.inputs[1]],
                   written_[node.output]);
}

}  // namespace carrack::train
