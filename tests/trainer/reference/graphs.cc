#include "tests/trainer/reference/graphs.h"

#include <cmath>
#include <utility>

#include "tests/trainer/kernels/naive.h"
#include "tests/trainer/models/networks.h"

namespace carrack::train::reference {
namespace {

Doubles unit_numbers(const Shape& shape, std::size_t seed) {
  Doubles all;
  const auto count = static_cast<std::size_t>(element_count(shape));
  for (const float one : naive::numbers(count, static_cast<std::uint32_t>(seed))) {
    all.push_back(one / 16384);
  }
  return all;
}

Layer with_bias(Layer layer, std::string_view activation) {
  return with(with(std::move(layer), "biasInitializer", "Ones"), "activation", activation);
}

Layer without_bias(Layer layer) {
  layer.set("bias", false);
  return layer;
}

Layer sequences(std::string_view kind, std::int64_t units, std::vector<std::string> inputs = {}) {
  Layer layer = with_units(of_kind(kind, std::move(inputs)), units);
  layer.set("returnSequences", true);
  return layer;
}

Layer activation(std::string_view function, std::vector<std::string> inputs = {}) {
  return with(of_kind("Activation", std::move(inputs)), "activation", function);
}

Layer embedding(std::int64_t vocabulary, std::int64_t units, std::vector<std::string> inputs) {
  Layer layer = with_units(of_kind("Embedding", std::move(inputs)), units);
  layer.set("vocabulary", vocabulary);
  return layer;
}

Layer convolution(std::int64_t filters, std::int64_t groups) {
  Layer layer = of_kind("Conv2D");
  layer.set("filters", filters);
  layer.set("kernelSize", Shape{2, 1});
  layer.set("groups", groups);
  return layer;
}

Layer pooling(std::string_view kind, Shape size) {
  Layer layer = with(of_kind(kind), "padding", "Same");
  layer.set("size", std::move(size));
  return layer;
}

}  // namespace

Arguments arguments_of(const Graph& graph) {
  Arguments arguments{.parameters = {}, .inputs = {}, .rows = rows, .draws = draws};
  for (const ValueId id : graph.parameters()) {
    arguments.parameters.push_back(unit_numbers(with_rows(graph.value(id).shape, rows), id + 1));
  }
  for (const ValueId id : graph.inputs()) {
    arguments.inputs.push_back(unit_numbers(with_rows(graph.value(id).shape, rows), id + 1));
    if (graph.value(id).name == "y") {  // labels, which are from 0 to 1
      for (double& one : arguments.inputs.back()) one = std::fabs(one);
    }
    if (graph.value(id).type == Type::float32) continue;
    for (std::size_t i = 0; i < arguments.inputs.back().size(); ++i) arguments.inputs.back()[i] = i % 2 == 0 ? 0 : 1;
  }
  return arguments;
}

std::vector<Model> models() {
  const Loss of_steps{.kind = LossKind::huber, .target = "steps", .weight = "importance", .delta = 0.3, .mask = "y"};
  return {
      LinearRegression{"x", "importance"},
      Tally{"class", 2},
      Layers{{with_bias(dense(5, {"x"}), "ReLU"), with_epsilon(0.01), with_rate(0.5), dense(3), activation("Sigmoid"),
              of_kind("Concat", {"activation", "z"}), with_bias(dense(2), "Tanh")},
             mse},
      Layers{{with_units(of_kind("LSTM", {"steps"}), 4), repeat(2), sequences("GRU", 3),
              with_units(of_kind("TimeDistributed"), 3)},
             of_steps},
      Layers{{sequences("LSTM", 4, {"steps"}), with_units(of_kind("GRU"), 3), dense(2)}, mse},
      Layers{{with(sequences("GRU", 2, {"steps"}), "direction", "Bidirectional"),
              with(with_units(of_kind("LSTM"), 3), "direction", "Reverse"), dense(2)},
             mse},
      Layers{{embedding(2, 3, {"classes"}), with_units(of_kind("GRU"), 2)}, mse},
      Layers{{dense(4, {"x"}), dense(3)}, {.kind = LossKind::softmax_cross_entropy, .target = "class"}},
      Layers{{dense(2, {"z"})}, {.kind = LossKind::sigmoid_cross_entropy, .target = "y"}},
      Layers{{dense(2, {"x"})}, {.kind = LossKind::mae, .target = "y"}},
      Layers{{of_kind("Standardize", {"steps"}), dense(3)}, {.kind = LossKind::mse, .target = "standardize"}},
      Layers{{reshaped({2, 3, 1}, {"steps"}), with(convolution(2, 1), "padding", "Same"), activation("Tanh"),
              convolution(2, 2), reshaped({6}), dense(2)},
             mse},
      Layers{{without_bias(dense(4, {"steps"})), reshaped({4, 2, 1}), pooling("AveragePool2D", {2, 1}),
              pooling("MaxPool2D", {2}), of_kind("GlobalAveragePool2D"), dense(2)},
             mse},
      Layers{{without_bias(dense(4, {"steps"})), of_kind("BatchNorm"), with_bias(dense(3), "Tanh")}, of_steps},
      Layers{{with_bias(dense(3, {"steps"}), "GELU"), of_kind("Add", {"dense", "steps"}), with_bias(dense(3), "SiLU")},
             of_steps},
  };
}

std::vector<Gradients> graphs() {
  std::vector<Gradients> all;
  for (const Model& model : models()) {
    const ModelGraph made = model_graph(model, data);
    all.push_back(gradients(made.graph, *made.loss));
  }
  Graph other("spec.model");
  const ValueId w = other.parameter("w", {2, 3});
  const ValueId part = other.append(
      "Slice", {{"axis", std::int64_t{1}}, {"start", std::int64_t{1}}, {"end", std::int64_t{3}}}, {w}, "part");
  const ValueId product =
      other.append("Gemm", {{"transA", std::int64_t{1}}}, {part, other.parameter("v", {2})}, "product");
  const ValueId repeated = other.append("Expand", {{"shape", Dimensions{3, 2}}}, {product}, "repeated");
  const ValueId quotient = other.append("Div", {}, {repeated, other.parameter("u", {2})}, "quotient");
  const ValueId steps = other.mul("steps", other.input("s", Type::float32, {4, 3}), other.parameter("x", {3}));
  const ValueId normalized = other.append("BatchNormalization", {{"epsilon", 0.01f}},
                                          {steps, other.parameter("mean", {3}), other.parameter("variance", {3})},
                                          std::vector<std::string>{"normalized", "means", "variances"})[0];
  // Of small scores, so that no weight is nearly 1.
  const ValueId small = other.mul("small", steps, other.append("Constant", {{"value", 0.02f}}, {}, "factor"));
  const Attributes heads{{"q_num_heads", std::int64_t{3}}, {"is_causal", std::int64_t{1}}};
  const ValueId seen = other.input("mask", Type::float32, {4});
  const ValueId means = other.append("Attention", heads, {small, small, steps, seen}, "means");
  const ValueId weighted =
      other.mul("weighted", other.add("both", normalized, means), other.input("t", Type::float32, {4, 3}));
  const ValueId root = other.append("Sqrt", {}, {other.mul("square", quotient, quotient)}, "root");
  const ValueId same = other.append("Identity", {}, {root}, "same");
  const ValueId squares = other.reduce_sum("squares", other.mul("square", same, same), 0, 2);
  all.push_back(gradients(other, other.add("loss", squares, other.reduce_sum("sum", weighted, 0, 3))));
  return all;
}

CallArguments::CallArguments(const Graph& graph, const Arguments& of) {
  for (std::size_t i = 0; i < of.parameters.size(); ++i) {
    const Value& value = graph.value(graph.parameters()[i]);
    tensors_.push_back({value.name, with_rows(value.shape, 0)});
    for (const double one : of.parameters[i]) parameters.push_back(static_cast<float>(one));
  }
  for (const Doubles& input : of.inputs) {
    floats_.emplace_back(input.begin(), input.end());
    integers_.emplace_back(input.begin(), input.end());
  }
  for (std::size_t i = 0; i < floats_.size(); ++i) {
    const bool is_float = graph.value(graph.inputs()[i]).type == Type::float32;
    inputs.push_back(is_float ? FeatureValues(std::span<const float>(floats_[i]))
                              : FeatureValues(std::span<const std::int64_t>(integers_[i])));
  }
}

}  // namespace carrack::train::reference
