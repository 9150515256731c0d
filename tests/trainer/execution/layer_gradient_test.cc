// Gradients of operators that layers over sequences and images are made of, against central differences.
#include "tests/trainer/execution/differences.h"

namespace carrack::train {
namespace {

// Two layers, one upon the other: the second also has a gradient of its input.
TEST(LayerGradient, OfRecurrentLayers) {
  for (const std::string_view op : {"LSTM", "GRU"}) {
    SCOPED_TRACE(op);
    const std::int64_t gates = op == "LSTM" ? 4 : 3;
    Graph two("spec.model");
    const auto layer = [&](const std::string& name, ValueId input, std::int64_t inputs, std::int64_t units) {
      std::vector<ValueId> all{input, two.parameter(name + ".w", {inputs, gates * units}),
                               two.parameter(name + ".r", {units, gates * units}),
                               two.parameter(name + ".b", {gates * units})};
      if (gates == 3) all.push_back(two.parameter(name + ".s", {gates * units}));
      return two.append(op, {}, all, std::vector<std::string>{name, name + ".gates", name + ".beside"})[0];
    };
    const ValueId first = layer("first", two.input("sequence", Type::float32, {4, 3}), 3, 2);
    const ValueId second = layer("second", first, 2, 3);
    const ValueId loss = two.add("loss", sum_of_squares(two, second), sum_of_squares(two, first));
    expect_gradients_as_by_differences(two, loss, curved);
  }
}

TEST(LayerGradient, OfAttention) {
  for (const std::int64_t causal : {0, 1}) {
    Graph seen("spec.model");
    const auto sequence = [&](const std::string& name, const Shape& shape) {
      return seen.mul(name, seen.input(name, Type::float32, shape), seen.parameter(name + ".scale", shape));
    };
    const ValueId q = sequence("q", {5, 4}), k = sequence("k", {6, 4}), v = sequence("v", {6, 2});
    const ValueId means = seen.append("Attention", {{"q_num_heads", std::int64_t{2}}, {"is_causal", causal}},
                                      {q, k, v, seen.input("mask", Type::float32, {6})}, "means");
    expect_gradients_as_by_differences(seen, sum_of_squares(seen, means), curved);
  }
}

TEST(LayerGradient, OfConvolutions) {
  Graph graph("spec.model");
  const Attributes attributes{{"strides", std::vector<std::int64_t>{2, 1}}, {"group", std::int64_t{2}}};
  const ValueId images = graph.mul("m", graph.input("i", Type::float32, {4, 3, 4}), graph.parameter("s", {4, 3, 4}));
  const ValueId y = graph.append("Conv", attributes, {images, graph.parameter("weights", {2, 3, 2, 2})}, "y");
  expect_gradients_as_by_differences(graph, sum_of_squares(graph, y), curved);
}

// No two values of a window are so near to one another that a difference changes which of them is the greatest.
TEST(LayerGradient, OfPooling) {
  using Numbers = std::vector<std::int64_t>;
  const Attributes attributes{
      {"kernel_shape", Numbers{2, 3}}, {"strides", Numbers{1, 2}}, {"pads", Numbers{0, 1, 1, 1}}};
  for (const char* op : {"MaxPool", "AveragePool"}) {
    SCOPED_TRACE(op);
    Graph graph("spec.model");
    const ValueId images = graph.add("m", graph.input("i", Type::float32, {4, 5, 2}), graph.parameter("s", {4, 5, 2}));
    const ValueId y = graph.append(op, attributes, {images}, "y");
    expect_gradients_as_by_differences(graph, sum_of_squares(graph, y), 1e-4f);
  }
}

}  // namespace
}  // namespace carrack::train
