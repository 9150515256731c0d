#include "trainer/graph/memory_plan.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "trainer/kernels/range.h"

namespace carrack::train {
namespace {

constexpr std::int64_t rows_max = 100;

// `layers` products with square matrices, one after the other.
Gradients chain(int layers) {
  Graph graph("spec.model");
  ValueId at = graph.input("x", Type::float32, {8});
  for (int i = 0; i < layers; ++i) {
    at = graph.neg("neg", graph.matmul("layer", at, graph.parameter(std::to_string(i), {8, 8})));
  }
  const ValueId loss = graph.reduce_sum("loss", at, 0, 2);
  return gradients(std::move(graph), loss);
}

std::int64_t bytes_of(const Gradients& gradients, ValueId id) {
  return 4 * element_count(with_rows(gradients.graph.value(id).shape, rows_max));
}

// The nodes from the one that makes a tensor to the last that reads it.
Range life_of(const Gradients& gradients, ValueId id) {
  Range life;
  const std::vector<Node>& nodes = gradients.graph.nodes();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (std::ranges::count(nodes[i].outputs, id) > 0)
      life = {static_cast<std::int64_t>(i), static_cast<std::int64_t>(i) + 1};
    if (std::ranges::count(nodes[i].inputs, id) > 0) life.end = static_cast<std::int64_t>(i) + 1;
  }
  if (id == gradients.loss) life.end = static_cast<std::int64_t>(nodes.size()) + 1;
  return life;
}

bool overlap(const Range& a, const Range& b) {
  return a.begin < b.end && b.begin < a.end;
}

TEST(MemoryPlan, NeverGivesOnePlaceToTwoThatLiveAtOnce) {
  for (const int layers : {1, 2, 3, 10}) {
    const Gradients planned = chain(layers);
    const MemoryPlan plan = memory_plan(planned, rows_max);
    const std::size_t count = planned.graph.values().size();
    for (ValueId a = 0; a < count; ++a) {
      if (!plan.offsets[a]) continue;
      const Range place{*plan.offsets[a], *plan.offsets[a] + bytes_of(planned, a)};
      ASSERT_EQ(place.begin % arena_alignment, 0);
      ASSERT_LE(place.end, plan.bytes);
      for (ValueId b = 0; b < a; ++b) {
        if (!plan.offsets[b] || !overlap(life_of(planned, a), life_of(planned, b))) continue;
        ASSERT_FALSE(overlap(place, {*plan.offsets[b], *plan.offsets[b] + bytes_of(planned, b)}))
            << text(planned.graph.value(a)) << " and " << text(planned.graph.value(b));
      }
    }
  }
}

TEST(MemoryPlan, KeepsTheSourceOfAView) {
  Graph graph("spec.model");
  const ValueId x = graph.input("x", Type::float32, {8});
  const ValueId source = graph.matmul("source", x, graph.parameter("w", {8, 8}));
  const ValueId view = graph.append("Reshape", {{"shape", Dimensions{{8, true}}}}, {source}, "view");
  const ValueId other = graph.neg("other", graph.matmul("another", x, graph.parameter("v", {8, 8})));
  const ValueId far = graph.reduce_sum("far", view, 0, 1);
  const ValueId loss = graph.add("loss", far, graph.reduce_sum("near", other, 0, 2));
  const MemoryPlan plan = memory_plan(gradients(graph, loss), rows_max);
  ASSERT_TRUE(plan.offsets[source] && plan.offsets[other]);
  EXPECT_FALSE(plan.offsets[view]);
  EXPECT_NE(*plan.offsets[source], *plan.offsets[other]);
}

TEST(MemoryPlan, HoldsWhatNodesMakeButGradientsOfParameters) {
  const Gradients planned = chain(3);
  const MemoryPlan plan = memory_plan(planned, rows_max);
  for (const Node& node : planned.graph.nodes()) {
    const ValueId output = node.outputs.at(0);
    EXPECT_EQ(plan.offsets[output].has_value(), std::ranges::count(planned.of_parameters, output) == 0);
  }
  for (const ValueId id : planned.graph.inputs()) EXPECT_FALSE(plan.offsets[id]);
  for (const ValueId id : planned.graph.parameters()) EXPECT_FALSE(plan.offsets[id]);
}

TEST(MemoryPlan, GivesThePlaceOfWhatIsNeededNoMoreToOthers) {
  const Gradients planned = chain(10);
  std::int64_t together = 0, most_at_once = 0;
  for (std::size_t i = 0; i < planned.graph.nodes().size(); ++i) {
    const auto now = static_cast<std::int64_t>(i);
    std::int64_t at_once = 0;
    for (const Node& node : planned.graph.nodes()) {
      const ValueId output = node.outputs.at(0);
      if (std::ranges::count(planned.of_parameters, output) > 0) continue;
      if (overlap(life_of(planned, output), {now, now + 1})) at_once += bytes_of(planned, output);
    }
    most_at_once = std::max(most_at_once, at_once);
    together += bytes_of(planned, planned.graph.nodes()[i].outputs.at(0));
  }
  const MemoryPlan plan = memory_plan(planned, rows_max);
  EXPECT_GE(plan.bytes, most_at_once);
  EXPECT_LE(plan.bytes, most_at_once * 5 / 4) << "no plan can be below " << most_at_once;
  EXPECT_LT(plan.bytes, together / 2);
}

TEST(MemoryPlan, GivesEachResultAPlaceOfItsOwnIfAllAreKept) {
  const Gradients planned = chain(3);
  const MemoryPlan plan = memory_plan(planned, rows_max, MemoryReuse::off);
  std::vector<Range> places;
  for (ValueId id = 0; id < planned.graph.values().size(); ++id) {
    if (plan.offsets[id]) places.push_back({*plan.offsets[id], *plan.offsets[id] + bytes_of(planned, id)});
  }
  std::ranges::sort(places, {}, &Range::begin);
  ASSERT_GT(places.size(), 6u);
  for (std::size_t i = 1; i < places.size(); ++i) EXPECT_LE(places[i - 1].end, places[i].begin);
}

}  // namespace
}  // namespace carrack::train
