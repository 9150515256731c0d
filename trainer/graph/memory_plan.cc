#include "trainer/graph/memory_plan.h"

#include <algorithm>

namespace carrack::train {
namespace {

// A value in the arena. It is needed from node number `first`, which computes it, to node number `last`, the last one
// that reads it or a view of it.
struct Lifetime {
  ValueId tensor;
  std::int64_t bytes;
  std::size_t first;
  std::size_t last;
  std::int64_t offset = 0;
};

// Returns the lifetimes of all results of nodes, except the gradients of parameters: these are not in the arena,
// because their nodes write them to the caller's buffer.
std::vector<Lifetime> lifetimes(const Gradients& gradients, std::int64_t rows_max) {
  const std::vector<Node>& nodes = gradients.graph.nodes();
  std::vector<Lifetime> alive;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (Lifetime& lifetime : alive) {
      const auto reads = [&](ValueId input) { return gradients.graph.source_of(input) == lifetime.tensor; };
      if (std::ranges::any_of(nodes[i].inputs, reads)) lifetime.last = i;
    }
    if (nodes[i].op->is_view) continue;
    for (const ValueId output : nodes[i].outputs) {
      if (std::ranges::count(gradients.of_parameters, output) > 0) continue;
      const Value& value = gradients.graph.value(output);
      const std::int64_t bytes = element_count(with_rows(value.shape, rows_max)) * size_of(value.type);
      const std::int64_t aligned = (bytes + arena_alignment - 1) / arena_alignment * arena_alignment;
      alive.push_back({output, aligned, i, output == gradients.graph.source_of(gradients.loss) ? nodes.size() : i});
    }
  }
  return alive;
}

// Returns the lowest offset at which `one` fits and overlaps none of `others` that is alive at the same time. `others`
// have their places already, and are sorted by offset.
std::int64_t lowest_free(const Lifetime& one, const std::vector<Lifetime>& others) {
  std::int64_t offset = 0;
  for (const Lifetime& other : others) {
    if (other.last < one.first || one.last < other.first) continue;
    if (offset + one.bytes <= other.offset) break;
    offset = std::max(offset, other.offset + other.bytes);
  }
  return offset;
}

}  // namespace

MemoryPlan memory_plan(const Gradients& gradients, std::int64_t rows_max, MemoryReuse reuse,
                       std::span<const ValueId> readable) {
  std::vector<Lifetime> unplaced = lifetimes(gradients, rows_max);
  for (Lifetime& one : unplaced) {
    const auto is_one = [&](ValueId id) { return gradients.graph.source_of(id) == one.tensor; };
    if (reuse == MemoryReuse::off || std::ranges::any_of(readable, is_one)) one.last = gradients.graph.nodes().size();
  }
  // The largest values are placed first, because they are the hardest to place.
  std::ranges::stable_sort(unplaced, std::ranges::greater{}, &Lifetime::bytes);
  MemoryPlan plan{.offsets = std::vector<std::optional<std::int64_t>>(gradients.graph.values().size())};
  std::vector<Lifetime> placed;
  for (Lifetime& one : unplaced) {
    one.offset = lowest_free(one, placed);
    plan.offsets[one.tensor] = one.offset;
    plan.bytes = std::max(plan.bytes, one.offset + one.bytes);
    placed.insert(std::ranges::upper_bound(placed, one.offset, {}, &Lifetime::offset), one);
  }
  return plan;
}

}  // namespace carrack::train
