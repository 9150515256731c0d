#include "trainer/execution/executor.h"

#include <algorithm>
#include <cmath>
#include <thread>

#include "tests/trainer/execution/allocations.h"
#include "tests/trainer/graph/expect_error.h"
#include "tests/trainer/kernels/naive.h"

namespace carrack::train {
namespace {

constexpr std::int64_t features = 37, rows_max = 24;

struct LinearGraph : testing::Test {
  Executor made() const {
    Graph graph("spec.model");
    const ValueId input = graph.input("x", Type::float32, {features}), label = graph.input("y", Type::float32, {});
    const ValueId w = graph.parameter("w", {features}), b = graph.parameter("b", {1});
    const ValueId prediction = graph.add("prediction", graph.matmul("product", input, w), b);
    const ValueId difference = graph.sub("difference", prediction, label);
    const ValueId loss = graph.reduce_sum("loss", graph.mul("square", difference, difference), 0, 1);
    return Executor(gradients(std::move(graph), loss), layout, rows_max);
  }

  // The sums over records [begin, end), read `shift` floats away from where they were.
  std::vector<float> sums(Executor& executor, std::int64_t begin, std::int64_t end, std::size_t shift = 0) const {
    const auto moved = [&](const std::vector<float>& all, std::int64_t width) {
      std::vector<float> values(shift);
      values.insert(values.end(), all.begin() + begin * width, all.begin() + end * width);
      return values;
    };
    const std::vector<float> moved_x = moved(x, features), moved_y = moved(y, 1);
    std::vector<float> shifted_parameters(shift), result(shift + parameters.size(), NAN);
    shifted_parameters.insert(shifted_parameters.end(), parameters.begin(), parameters.end());
    const std::vector<FeatureValues> inputs{std::span(moved_x).subspan(shift), std::span(moved_y).subspan(shift)};
    const float loss = executor.run(std::span(shifted_parameters).subspan(shift), inputs, end - begin,
                                    std::span(result).subspan(shift));
    result.erase(result.begin(), result.begin() + static_cast<std::ptrdiff_t>(shift));
    result.push_back(loss);
    return result;
  }

  Layout layout{{{"w", {features}}, {"b", {1}}}};
  std::vector<float> x = naive::numbers(features * rows_max, 1);
  std::vector<float> y = naive::numbers(rows_max, 2);
  std::vector<float> parameters = naive::numbers(features + 1, 3);
};

using ExecutorTest = LinearGraph;

TEST_F(ExecutorTest, AllocatesNothingWhileItRuns) {
  Executor executor = made();
  std::vector<float> gradient(parameters.size());
  const std::vector<FeatureValues> all{std::span<const float>(x), std::span<const float>(y)};
  const std::vector<FeatureValues> half{std::span<const float>(x).first(features * 12),
                                        std::span<const float>(y).first(12)};
  const std::int64_t before = allocations();
  executor.run(parameters, all, rows_max, gradient);
  executor.run(parameters, half, 12, gradient);
  EXPECT_EQ(allocations(), before);
  ASSERT_EQ(std::vector<float>(1).size(), 1u);
  EXPECT_GT(allocations(), before) << "the counter does not count";
}

TEST_F(ExecutorTest, GivesTheSameBitsWhereverTheDataLies) {
  Executor executor = made();
  const std::vector<float> expected = sums(executor, 3, 11);
  for (std::size_t shift = 1; shift < 16; ++shift) EXPECT_EQ(sums(executor, 3, 11, shift), expected);
}

TEST_F(ExecutorTest, GivesTheSameBitsAfterAnyOtherRunAndForAnyMostRows) {
  Executor executor = made();
  const std::vector<float> expected = sums(executor, 0, 5);
  sums(executor, 5, 24);
  EXPECT_EQ(sums(executor, 0, 5), expected);
}

TEST_F(ExecutorTest, GivesTheSameBitsOnManyThreads) {
  Executor alone = made();
  constexpr int lanes = 8;
  std::vector<std::vector<float>> expected, found(lanes);
  for (std::int64_t lane = 0; lane < lanes; ++lane) expected.push_back(sums(alone, lane * 3, lane * 3 + 3));
  {
    std::vector<std::jthread> threads;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      threads.emplace_back([&, lane, begin = static_cast<std::int64_t>(lane) * 3] {
        Executor own = made();
        found[lane] = sums(own, begin, begin + 3);
      });
    }
  }
  EXPECT_EQ(found, expected);
}

// The mask of each row is that of its number in the batch, so any cut of the batch has the same loss.
TEST(ExecutorWithDropout, DropsByTheJobTheStepAndTheRowOfTheBatch) {
  Graph graph("spec.model");
  const ValueId input = graph.input("x", Type::float32, {4});
  const ValueId some = graph.append("Dropout", {{"ratio", 0.5f}, {"seed", std::int64_t{5}}}, {input}, "some");
  const ValueId loss = graph.reduce_sum("loss", graph.matmul("product", some, graph.parameter("w", {4})), 0, 1);
  Executor executor(gradients(graph, loss), Layout({{"w", {4}}}), 64);
  const std::vector<float> ones(64 * 4, 1), parameters{1, 16, 256, 4096};  // Each mask has a sum of its own.
  const auto loss_of = [&](std::size_t rows, const Draws& draws) {
    std::vector<float> gradient(4);
    const std::vector<FeatureValues> inputs{std::span(ones).first(rows * 4)};
    return executor.run(parameters, inputs, static_cast<std::int64_t>(rows), gradient, {.draws = draws});
  };
  const float whole = loss_of(64, {1, 2, 0});
  EXPECT_EQ(loss_of(10, {1, 2, 0}) + loss_of(54, {1, 2, 10}), whole);
  EXPECT_EQ(loss_of(64, {1, 2, 0}), whole);
  EXPECT_NE(loss_of(64, {2, 2, 0}), whole);
  EXPECT_NE(loss_of(64, {1, 3, 0}), whole);
  EXPECT_NE(loss_of(64, {1, 2, 64}), whole);
  EXPECT_EQ(loss_of(0, {1, 2, 0}), 0);
}

// A batch of which rows are left out drops of each other row what it drops of the whole batch.
TEST(ExecutorWithDropout, DropsByTheNumberInTheBatchWhereRowsAreLeftOut) {
  Graph graph("spec.model");
  const ValueId input = graph.input("x", Type::float32, {4});
  const ValueId some = graph.append("Dropout", {{"ratio", 0.5f}, {"seed", std::int64_t{5}}}, {input}, "some");
  const ValueId loss = graph.reduce_sum("loss", graph.matmul("product", some, graph.parameter("w", {4})), 0, 1);
  cpu::ThreadPool threads(3);
  Executor executor(gradients(graph, loss), Layout({{"w", {4}}}), 64, &threads);
  const std::vector<float> ones(64 * 4, 1), parameters{1, 16, 256, 4096};
  const auto loss_of = [&](const std::vector<std::uint64_t>& rows, std::uint64_t first_row) {
    std::vector<float> gradient(4);
    const std::vector<FeatureValues> inputs{std::span(ones).first(rows.size() * 4)};
    const Draws draws{.seed = 1, .step = 2, .first_row = first_row, .rows = rows};
    return executor.run(parameters, inputs, static_cast<std::int64_t>(rows.size()), gradient, {.draws = draws});
  };
  std::vector<std::uint64_t> left;
  float sum = 0;
  for (std::uint64_t row = 0; row < 64; ++row) {
    if (row == 0 || row == 7 || row == 8 || row == 40 || row == 63) continue;
    left.push_back(row);
    sum += loss_of({row}, 99);
  }
  EXPECT_EQ(loss_of(left, 99), sum);
  EXPECT_EQ(loss_of({10, 11, 12}, 10), loss_of({10}, 10) + loss_of({11}, 11) + loss_of({12}, 12));
}

TEST_F(ExecutorTest, GivesZerosForNoRecords) {
  Executor executor = made();
  sums(executor, 0, 24);
  EXPECT_EQ(sums(executor, 7, 7), std::vector<float>(parameters.size() + 1));
}

TEST_F(ExecutorTest, WritesEveryGradientAndNothingBeside) {
  Executor executor = made();
  std::vector<float> gradient(parameters.size() + 2, 42);
  const std::vector<FeatureValues> inputs{std::span<const float>(x), std::span<const float>(y)};
  executor.run(parameters, inputs, rows_max, std::span(gradient).subspan(1, parameters.size()));
  EXPECT_EQ(gradient.front(), 42);
  EXPECT_EQ(gradient.back(), 42);
  EXPECT_EQ(std::ranges::count(std::span(gradient).subspan(1, parameters.size()), 42.0f), 0);
}

TEST_F(ExecutorTest, RefusesWhatIsNotOfItsGraph) {
  Executor executor = made();
  std::vector<float> gradient(parameters.size());
  const FeatureValues records = std::span<const float>(x), labels = std::span<const float>(y);
  const auto run = [&](std::vector<FeatureValues> inputs, std::int64_t rows) {
    executor.run(parameters, inputs, rows, gradient);
  };
  const char* other = "Executor: parameters or inputs are not those of the graph";
  expect_error(Blame::bug, other, [&] { run({records}, rows_max); });
  expect_error(Blame::bug, other, [&] {
    executor.run(std::span(parameters).first(2), std::vector{records, labels}, rows_max, gradient);
  });
  expect_error(Blame::bug, "Executor: more rows than planned for", [&] { run({records, labels}, 25); });
  expect_error(Blame::bug, "Executor: the values of `x` [rows, 37] are of another type or size", [&] {
    run({records, labels}, 23);
  });
  const std::vector<std::int64_t> integers(rows_max);
  expect_error(Blame::bug, "Executor: the values of `y` [rows] are of another type or size", [&] {
    run({records, std::span<const std::int64_t>(integers)}, rows_max);
  });
}

TEST_F(ExecutorTest, ComputesAGraphWithoutGradients) {
  Graph graph("spec.model");
  const ValueId in = graph.input("x", Type::float32, {2});
  const ValueId sums = graph.add("sums", in, graph.parameter("b", {2}));
  const ValueId squares = graph.mul("squares", sums, sums);
  const Layout of_b(std::vector<NamedShape>{{"b", {2}}});
  const std::vector<ValueId> wanted{sums, squares};
  Executor executor(std::move(graph), wanted, of_b, 3);
  const std::vector<float> b{1, -1}, two_rows{1, 2, 3, 4};
  const std::vector<FeatureValues> inputs{std::span<const float>(two_rows)};
  executor.evaluate(b, inputs, 2);
  const auto values = [&](ValueId id) {
    return std::vector<float>(executor.elements(id).begin(), executor.elements(id).end());
  };
  EXPECT_EQ(values(sums), (std::vector<float>{2, 1, 4, 3}));
  EXPECT_EQ(values(squares), (std::vector<float>{4, 1, 16, 9}));
  std::vector<float> gradient(2);
  expect_error(Blame::bug, "Executor::run: the gradients are not those of the graph",
               [&] { executor.run(b, inputs, 2, gradient); });
  Executor trained = made();
  expect_error(Blame::bug, "Executor::evaluate: the graph has gradients", [&] { trained.evaluate(b, inputs, 2); });
}

// Sums over rows of all kinds: products, broadcast biases, rows of tables, views, recurrent layers and the loss. And
// kernels that divide rows among threads.
struct NetworkGraph : testing::Test {
  static constexpr std::int64_t steps = 3, width = 300, table_rows = 7, table_width = 2 * 70;

  Executor made(cpu::ThreadPool* threads = nullptr) const {
    Graph graph("spec.model");
    const ValueId sequence = graph.input("x", Type::float32, {steps, 5}), index = graph.input("i", Type::int64, {});
    const ValueId by_step = graph.append("Reshape", {{"shape", Dimensions{{steps, true}, 5}}}, {sequence}, "steps");
    const ValueId product = graph.matmul("product", by_step, graph.parameter("w", {5, width}));
    const ValueId biased = graph.add("biased", product, graph.parameter("b", {width}));
    const ValueId hidden = graph.append("Tanh", {}, {biased}, "hidden");
    const ValueId normal = graph.append("LayerNormalization", {{"epsilon", 1e-3f}}, {hidden},
                                        std::vector<std::string>{"normal", "inverse deviations"})[0];
    const ValueId in_batch =
        graph.append("BatchNormalization", {{"epsilon", 1e-3f}},
                     {normal, graph.parameter("mean", {width}), graph.parameter("variance", {width})},
                     std::vector<std::string>{"in batch", "means", "variances"})[0];
    const ValueId whole =
        graph.append("Reshape", {{"shape", Dimensions{batch_rows, steps, width}}}, {in_batch}, "whole");
    const ValueId some = graph.append("Dropout", {{"ratio", 0.25f}, {"seed", std::int64_t{3}}}, {whole}, "some");
    const ValueId kept = graph.append("Reshape", {{"shape", Dimensions{{steps, true}, width}}}, {some}, "kept");
    const ValueId column = graph.matmul("column", kept, graph.parameter("v", {width}));
    const ValueId rows = graph.gather("rows", graph.parameter("table", {table_rows, 2, 70}), index);
    const ValueId of_rows = graph.reduce_sum("of rows", graph.mul("square", rows, rows), 1, 3);
    const ValueId by_row = graph.append("Reshape", {{"shape", Dimensions{batch_rows, steps}}}, {column}, "by row");
    const ValueId of_steps = graph.reduce_sum("of steps", graph.mul("square", by_row, by_row), 1, 2);
    const ValueId small = graph.mul("small", sequence, graph.append("Constant", {{"value", 1e-4f}}, {}, "factor"));
    const ValueId lstm = recurrent(graph, "LSTM", small, 5, 4), gru = recurrent(graph, "GRU", lstm, units, 3);
    const ValueId of_states = graph.reduce_sum("of states", graph.mul("square", gru, gru), 1, 3);
    const ValueId losses = graph.add("losses", graph.add("of both", of_rows, of_steps), of_states);
    const ValueId loss = graph.reduce_sum("loss", losses, 0, 1);
    return Executor(gradients(graph, loss), layout, records, threads);
  }

  static ValueId recurrent(Graph& graph, const std::string& op, ValueId x, std::int64_t inputs, std::int64_t gates) {
    std::vector<ValueId> all{x, graph.parameter(op + ".w", {inputs, gates * units}),
                             graph.parameter(op + ".r", {units, gates * units}),
                             graph.parameter(op + ".b", {gates * units})};
    if (op == "GRU") all.push_back(graph.parameter(op + ".s", {gates * units}));
    return graph.append(op, {}, all, std::vector<std::string>{op, op + ".gates", op + ".beside"})[0];
  }

  // The sums over records [begin, end), and the loss behind them.
  std::vector<float> sums(Executor& executor, std::int64_t begin, std::int64_t end,
                          const std::vector<std::int64_t>& lane_ends = {}) const {
    const auto count = static_cast<std::size_t>(end - begin);
    const std::vector<FeatureValues> inputs{
        std::span(x).subspan(static_cast<std::size_t>(begin * steps * 5), count * steps * 5),
        std::span(indices).subspan(static_cast<std::size_t>(begin), count)};
    std::vector<float> result(parameters.size(), NAN);
    const float loss = executor.run(parameters, inputs, end - begin, result,
                                    {lane_ends, {.first_row = static_cast<std::uint64_t>(begin)}});
    result.push_back(loss);
    return result;
  }

  static constexpr std::int64_t records = 200, units = 20;
  Layout layout{{{"w", {5, width}},
                 {"b", {width}},
                 {"v", {width}},
                 {"mean", {width}},
                 {"variance", {width}},
                 {"table", {table_rows, 2, 70}},
                 {"LSTM.w", {5, 4 * units}},
                 {"LSTM.r", {units, 4 * units}},
                 {"LSTM.b", {4 * units}},
                 {"GRU.w", {units, 3 * units}},
                 {"GRU.r", {units, 3 * units}},
                 {"GRU.b", {3 * units}},
                 {"GRU.s", {3 * units}}}};
  std::vector<float> x = naive::numbers(records * steps * 5, 1);
  std::vector<std::int64_t> indices = [] {
    std::vector<std::int64_t> all;
    for (std::int64_t i = 0; i < records; ++i) all.push_back(i * i % table_rows);
    return all;
  }();
  std::vector<float> parameters = naive::numbers(static_cast<std::size_t>(layout.size()), 3);
};

using ExecutorWithLanes = NetworkGraph;
using ExecutorWithThreads = NetworkGraph;

TEST_F(ExecutorWithLanes, GivesTheBitsOfTheLanesAloneAddedAlongTheirTree) {
  Executor executor = made();
  for (const std::vector<std::int64_t>& ends : std::vector<std::vector<std::int64_t>>{
           {40}, {11, 12}, {0, 12}, {12, 12}, {3, 3, 10, 24}, {1, 2, 3, 4, 5, 6, 7, 8}, {0, 0, 9, 9, 9, 30, 31, 200}}) {
    std::vector<std::vector<float>> of_lanes;
    std::int64_t begin = 0;
    for (const std::int64_t end : ends) {
      of_lanes.push_back(sums(executor, begin, end));
      begin = end;
    }
    const std::vector<float> expected = naive::tree_total(of_lanes);
    EXPECT_EQ(sums(executor, 0, ends.back(), ends), expected) << testing::PrintToString(ends);
  }
}

TEST_F(ExecutorWithLanes, RefusesLanesOfOtherRows) {
  Executor executor = made();
  for (const std::vector<std::int64_t>& ends : {std::vector<std::int64_t>{3}, {1, 2, 4}, {3, 2, 3, 4}, {-1, 4}}) {
    expect_error(Blame::bug, "lanes that do not make up their rows", [&] { sums(executor, 0, 4, ends); });
  }
}

// Half of the loss of both lanes is not the sum of their halves, bit by bit.
TEST(ExecutorOfAGraph, RefusesLanesIfItComputesOnWithSumsOverRows) {
  Graph graph("spec.model");
  const ValueId sum =
      graph.reduce_sum("sum", graph.mul("m", graph.input("x", Type::float32, {}), graph.parameter("w", {1})), 0, 1);
  Executor executor(gradients(graph, graph.mul("loss", sum, sum)), Layout({{"w", {1}}}), 2);
  const std::vector<float> x{1, 2}, parameters{3};
  std::vector<float> gradient(1);
  const auto run = [&](const std::vector<std::int64_t>& ends) {
    return executor.run(parameters, std::vector<FeatureValues>{std::span(x)}, 2, gradient, {ends, {}});
  };
  EXPECT_EQ(run({}), 81);
  EXPECT_EQ(run({2}), 81);
  expect_error(Blame::bug, "lanes of a graph that computes with `sum` [], a sum over all rows", [&] { run({1, 2}); });
}

TEST_F(ExecutorWithThreads, GivesTheSameBitsForAnyNumberOfThreads) {
  Executor alone = made();
  for (const std::int64_t rows : {1, 7, 120, 200}) {
    const std::vector<float> expected = sums(alone, 0, rows), in_lanes = sums(alone, 0, rows, {rows / 2, rows});
    for (const int count : {1, 2, 3, 8}) {
      cpu::ThreadPool threads(count);
      Executor executor = made(&threads);
      EXPECT_EQ(sums(executor, 0, rows), expected) << rows << " rows, " << count << " threads";
      EXPECT_EQ(sums(executor, 0, rows, {rows / 2, rows}), in_lanes) << rows << " rows, " << count << " threads";
    }
  }
}

TEST(ExecutorOfALayer, AllocatesNothingOnceItHasRun) {
  Graph graph("spec.model");
  const ValueId sequence = graph.input("x", Type::float32, {4, 3});
  const ValueId w = graph.parameter("w", {3, 8}), r = graph.parameter("r", {2, 8}), b = graph.parameter("b", {8});
  const ValueId y = graph.append("LSTM", {}, {sequence, w, r, b}, std::vector<std::string>{"y", "gates", "cells"})[0];
  const Layout layout({{"w", {3, 8}}, {"r", {2, 8}}, {"b", {8}}});
  Executor executor(gradients(graph, graph.reduce_sum("loss", y, 0, 3)), layout, 5);
  const std::vector<float> x = naive::numbers(5 * 4 * 3, 1), parameters(static_cast<std::size_t>(layout.size()), 0.1f);
  std::vector<float> gradient(parameters.size());
  const std::vector<FeatureValues> inputs{std::span<const float>(x)};
  executor.run(parameters, inputs, 5, gradient);
  const std::int64_t before = allocations();
  executor.run(parameters, inputs, 5, gradient);
  EXPECT_EQ(allocations(), before);
}

TEST(ExecutorOfATable, NamesTheIndexThatIsOutsideIt) {
  Graph graph("spec.model");
  const ValueId index = graph.input("index", Type::int64, {});
  const ValueId loss = graph.reduce_sum("loss", graph.gather("g", graph.parameter("tally", {10}), index), 0, 1);
  Executor executor(gradients(graph, loss), Layout({{"tally", {10}}}), 3);
  const std::vector<std::int64_t> indices{9, 10, 0};
  std::vector<float> parameters(10), gradient(10);
  expect_error(Blame::user, "spec.model: a record has 10 as `index`, but `tally` has rows 0 to 9", [&] {
    executor.run(parameters, std::vector<FeatureValues>{std::span<const std::int64_t>(indices)}, 3, gradient);
  });
}

}  // namespace
}  // namespace carrack::train
