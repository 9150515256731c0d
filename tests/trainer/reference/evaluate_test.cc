// The reference against central differences of itself, and the kernels against the reference, value by value.
#include "trainer/reference/evaluate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "tests/trainer/graph/expect_error.h"
#include "tests/trainer/models/networks.h"
#include "tests/trainer/reference/graphs.h"
#include "trainer/execution/executor.h"
#include "trainer/models/model.h"
#include "trainer/reference/functions.h"

namespace carrack::train::reference {
namespace {

TEST(Reference, HasAFunctionForEveryOperator) {
  for (const Operator* op : all_operators()) EXPECT_NE(find_function(op->name), nullptr) << op->name;
}

TEST(Reference, HasGradientsEqualToItsCentralDifferences) {
  for (const Model& model : models()) {
    const ModelGraph made = model_graph(model, data);
    const Gradients graph = gradients(made.graph, *made.loss);
    Arguments arguments = arguments_of(graph.graph);
    const std::vector<Doubles> values = evaluate(graph.graph, arguments);
    const auto loss_with = [&](double& parameter, double value) {
      const double before = std::exchange(parameter, value);
      const double loss = evaluate(graph.graph, arguments)[graph.loss][0];
      parameter = before;
      return loss;
    };
    for (std::size_t i = 0; i < arguments.parameters.size(); ++i) {
      if (made.parameters[i].own_rate == 0) {
        EXPECT_EQ(values[graph.of_parameters[i]], Doubles(arguments.parameters[i].size()));
      }
      if (!made.parameters[i].is_trained()) continue;
      for (std::size_t j = 0; j < arguments.parameters[i].size(); ++j) {
        double& parameter = arguments.parameters[i][j];
        constexpr double h = 1e-5;
        const double slope = (loss_with(parameter, parameter + h) - loss_with(parameter, parameter - h)) / (2 * h);
        const double gradient = values[graph.of_parameters[i]][j];
        ASSERT_NEAR(gradient, slope, 1e-7 * (1 + std::fabs(slope))) << made.parameters[i].name << " " << j;
      }
    }
  }
}

std::set<std::string_view> operators_of(const Graph& graph) {
  std::set<std::string_view> all;
  for (const Node& node : graph.nodes()) all.insert(node.op->name);
  return all;
}

TEST(Reference, AgreesWithTheKernelsInEveryValue) {
  std::set<std::string_view> compared;
  for (const Gradients& graph : graphs()) {
    compared.merge(operators_of(graph.graph));
    const Arguments arguments = arguments_of(graph.graph);
    const CallArguments call(graph.graph, arguments);
    Executor executor(graph, call.layout(), rows, nullptr, Device::cpu, MemoryReuse::off);
    std::vector<float> gradient(call.parameters.size());
    executor.run(call.parameters, call.inputs, rows, gradient, {{}, draws});
    const std::vector<Doubles> expected = evaluate(graph.graph, arguments);
    for (ValueId id = 0; id < expected.size(); ++id) {
      if (graph.graph.value(id).type != Type::float32) continue;
      const std::span<const float> computed = executor.elements(id);
      ASSERT_EQ(computed.size(), expected[id].size());
      double largest = 0, worst = 0;
      for (std::size_t i = 0; i < computed.size(); ++i) {
        largest = std::max(largest, std::fabs(expected[id][i]));
        worst = std::max(worst, std::fabs(expected[id][i] - computed[i]));
      }
      EXPECT_LE(worst, 1e-5 * largest) << text(graph.graph.value(id));
    }
  }
  for (const Operator* op : all_operators()) EXPECT_TRUE(compared.contains(op->name)) << op->name;
}

// Scores from 1521 to 1600, whose exponentials are infinite, and from -1600 to -1521, whose exponentials are zero.
TEST(Reference, WeighsKeysWithScoresBeyondTheRangeOfExponentials) {
  Graph graph("spec.model");
  const ValueId x = graph.input("x", Type::float32, {2, 1}), negative = graph.neg("negative", x);
  const Attributes heads{{"q_num_heads", std::int64_t{1}}};
  const ValueId greatest = graph.append("Attention", heads, {x, x, x}, "greatest");
  const ValueId least = graph.append("Attention", heads, {x, negative, x}, "least");
  const std::vector<Doubles> values =
      evaluate(graph, {.parameters = {}, .inputs = {Doubles{40, 39}}, .rows = 1, .draws = {}});
  EXPECT_EQ(values[greatest], (Doubles{40, 40}));
  EXPECT_EQ(values[least], (Doubles{39, 39}));
}

TEST(Reference, RefusesArgumentsOfAnotherGraph) {
  const ModelGraph linear = model_graph(LinearRegression{"x", "importance"}, data);
  Arguments arguments = arguments_of(linear.graph);
  arguments.inputs[0].pop_back();
  expect_error(Blame::bug, "evaluate: `x` [rows, 3] has elements of another size",
               [&] { evaluate(linear.graph, arguments); });
  arguments.inputs.pop_back();
  expect_error(Blame::bug, "evaluate: parameters or inputs are not those of the graph",
               [&] { evaluate(linear.graph, arguments); });
}

}  // namespace
}  // namespace carrack::train::reference
