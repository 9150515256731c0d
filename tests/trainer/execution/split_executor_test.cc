#include "trainer/execution/split_executor.h"

#include <gtest/gtest.h>

#include <bit>

#include "tests/trainer/graph/expect_error.h"
#include "tests/trainer/reference/graphs.h"

namespace carrack::train {
namespace {

using reference::CallArguments;

struct Result {
  std::vector<std::uint32_t> gradient;  // the bits
  std::uint32_t loss = 0;
  bool operator==(const Result&) const = default;
};

template <class Runner>
Result result_of(Runner& runner, const CallArguments& call, std::span<const FeatureValues> inputs, std::int64_t rows,
                 const RunOptions& options) {
  std::vector<float> gradient(call.parameters.size(), NAN);
  Result result{.gradient = {}, .loss = 0};
  result.loss = std::bit_cast<std::uint32_t>(runner.run(call.parameters, inputs, rows, gradient, options));
  for (const float one : gradient) result.gradient.push_back(std::bit_cast<std::uint32_t>(one));
  return result;
}

std::vector<Processor> cpus(std::size_t count) {
  return std::vector<Processor>(count);
}

std::vector<FeatureValues> first_rows(const CallArguments& call, std::int64_t rows) {
  std::vector<FeatureValues> inputs;
  for (const FeatureValues& all : call.inputs) {
    inputs.push_back(std::visit(
        [&](auto span) -> FeatureValues {
          return span.first(span.size() / static_cast<std::size_t>(reference::rows) * static_cast<std::size_t>(rows));
        },
        all));
  }
  return inputs;
}

TEST(SplitExecutor, GivesTheBitsOfLanesOnAnyNumberOfProcessorsInAnyParts) {
  const std::vector<std::vector<std::int64_t>> all_ends = {
      {3}, {1, 3}, {1, 1, 2, 3}, {0, 0, 0, 3}, {0, 1, 1, 2, 2, 2, 3, 3}};
  constexpr std::uint64_t numbers[] = {1, 2, 5};
  Draws draws = reference::draws;
  draws.rows = numbers;
  for (const Gradients& graph : reference::graphs()) {
    if (graph.graph.sum_in_use()) continue;
    const CallArguments call(graph.graph, reference::arguments_of(graph.graph));
    Executor one(graph, call.layout(), reference::rows);
    for (const std::vector<std::int64_t>& ends : all_ends) {
      const Result expected = result_of(one, call, call.inputs, reference::rows, {ends, draws});
      std::int64_t lane_rows_max = ends[0];
      for (std::size_t i = 1; i < ends.size(); ++i) lane_rows_max = std::max(lane_rows_max, ends[i] - ends[i - 1]);
      for (const std::size_t processors : {1, 2, 3, 4, 16}) {
        for (std::int64_t rows_max = lane_rows_max; rows_max <= reference::rows; ++rows_max) {
          SplitExecutor split(graph, call.layout(), {1, 1, rows_max}, cpus(processors));
          EXPECT_TRUE(result_of(split, call, call.inputs, reference::rows, {ends, draws}) == expected)
              << ends.size() << " lanes on " << processors << " processors, at most " << rows_max << " at once";
        }
      }
    }
  }
}

// What Executor gives for each of two parts is added up.
TEST(SplitExecutor, AddsUpPartsOfEqualSizeWithoutLanes) {
  for (const Gradients& graph : reference::graphs()) {
    const CallArguments call(graph.graph, reference::arguments_of(graph.graph));
    Executor one(graph, call.layout(), reference::rows);
    std::vector<float> first(call.parameters.size()), second(call.parameters.size()), sum(call.parameters.size());
    std::vector<FeatureValues> last;
    for (const FeatureValues& values : call.inputs) {
      last.push_back(std::visit([](auto all) -> FeatureValues { return all.subspan(all.size() / 3 * 2); }, values));
    }
    Draws of_last = reference::draws;
    of_last.first_row += 2;
    float loss = one.run(call.parameters, first_rows(call, 2), 2, first, {{}, reference::draws});
    loss += one.run(call.parameters, last, 1, second, {{}, of_last});
    for (const std::size_t processors : {1, 2}) {
      SplitExecutor split(graph, call.layout(), {1, 2, 2}, cpus(processors));
      EXPECT_EQ(split.run(call.parameters, call.inputs, reference::rows, sum, {{}, reference::draws}), loss);
      for (std::size_t i = 0; i < sum.size(); ++i) EXPECT_EQ(sum[i], first[i] + second[i]);
    }
  }
}

TEST(SplitExecutor, TakesAnyNumberOfRowsInAnyOrder) {
  const Gradients graph = reference::graphs().front();
  const CallArguments call(graph.graph, reference::arguments_of(graph.graph));
  Executor one(graph, call.layout(), reference::rows);
  SplitExecutor split(graph, call.layout(), {1, 1, 2}, cpus(2));
  const Result of_one = result_of(one, call, first_rows(call, 1), 1, {});
  const Result of_none{std::vector<std::uint32_t>(call.parameters.size()), 0};
  for (const std::int64_t rows : {3, 0, 1, 2, 1, 0}) {
    const Result result = result_of(split, call, first_rows(call, rows), rows, {});
    EXPECT_EQ(result == of_none, rows == 0);
    EXPECT_EQ(result == of_one, rows == 1);
  }
}

TEST(SplitExecutor, SeesNewParameters) {
  const Gradients graph = reference::graphs().front();
  CallArguments call(graph.graph, reference::arguments_of(graph.graph));
  Executor one(graph, call.layout(), reference::rows);
  SplitExecutor split(graph, call.layout(), {1, 1, 1}, cpus(1));
  const std::vector<std::int64_t> ends = {1, 2, 3, 3};
  for (int step = 0; step < 3; ++step) {
    EXPECT_EQ(result_of(split, call, call.inputs, reference::rows, {ends}),
              result_of(one, call, call.inputs, reference::rows, {ends}));
    for (float& parameter : call.parameters) parameter *= 0.5f;
  }
}

struct Table : testing::Test {
  Table() {
    const ValueId index = graph.input("index", Type::int64, {});
    const ValueId row = graph.gather("row", graph.parameter("table", {4, 2}), index);
    loss = graph.reduce_sum("loss", row, 0, 2);
  }

  Graph graph{"spec.model"};
  ValueId loss;
  Layout layout{{{"table", {4, 2}}}};
  std::vector<float> parameters = std::vector<float>(8, 1.0f), gradient = std::vector<float>(8);
};

TEST_F(Table, OfOnePartThatIsRefusedEndsTheRun) {
  SplitExecutor split(gradients(graph, loss), layout, {1, 1, 1}, cpus(2));
  const std::vector<std::int64_t> good = {0, 1, 2, 3}, bad = {0, 1, 2, 4};
  const auto run = [&](const std::vector<std::int64_t>& indices) {
    const std::vector<FeatureValues> inputs{std::span<const std::int64_t>(indices)};
    return split.run(parameters, inputs, 4, gradient);
  };
  EXPECT_EQ(run(good), 8);
  expect_error(Blame::user, "spec.model: a record has 4 as `index`, but `table` has rows 0 to 3", [&] { run(bad); });
  EXPECT_EQ(run(good), 8);
  EXPECT_EQ(gradient, std::vector<float>(8, 1.0f));
}

TEST_F(Table, NeedsLanesThatFitAndAProcessor) {
  const Gradients all = gradients(graph, loss);
  SplitExecutor split(all, layout, {1, 1, 1}, cpus(1));
  const std::vector<std::int64_t> indices = {0, 1}, ends = {0, 2};
  const std::vector<FeatureValues> inputs{std::span<const std::int64_t>(indices)};
  expect_error(Blame::bug, "SplitExecutor: a lane has more rows than planned for",
               [&] { split.run(parameters, inputs, 2, gradient, {ends}); });
  expect_error(Blame::bug, "SplitExecutor: there is no processor", [&] {
    SplitExecutor(all, layout, {1, 1, 1}, cpus(0));
  });
}

}  // namespace
}  // namespace carrack::train
