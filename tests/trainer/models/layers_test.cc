// Networks of layers: what their graphs compute.
#include "trainer/models/layers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "tests/trainer/graph/expect_error.h"
#include "tests/trainer/kernels/naive.h"
#include "tests/trainer/models/networks.h"
#include "tests/trainer/models/run_network.h"
#include "trainer/error.h"
#include "trainer/models/check.h"
#include "trainer/models/layer_kinds.h"

namespace carrack::train {
namespace {

TEST(Network, IsWhatItsLayersAreOneAfterTheOther) {
  const Layers network{{with(dense(2, {"x"}), "activation", "ReLU"), dense(2)}, mse};
  const ModelGraph model = build(network, data);
  ASSERT_EQ(model.parameters.size(), 4u);
  EXPECT_EQ(model.parameters[0].name, "dense/kernel");
  EXPECT_EQ(model.parameters[0].shape, (Shape{3, 2}));
  EXPECT_EQ(model.parameters[1].name, "dense/bias");
  EXPECT_EQ(model.parameters[3].name, "dense_1/bias");
  EXPECT_EQ(model.parameters[0].initial, (InitialValues{InitialValues::Kind::uniform, std::sqrt(6.0f / 5)}));
  EXPECT_EQ(model.parameters[1].initial, InitialValues());
  ASSERT_EQ(model.features.size(), 2u);
  EXPECT_EQ(model.features[0].name, "x");
  EXPECT_EQ(model.features[1].name, "y");
  const std::vector<float> x{1, -2, 3, 0.5f, 4, -1}, y{1, 2, -1, 0};
  const std::vector<float> parameters{1, -1, 0.5f, 2, 0.25f, 1, 0.5f, -0.5f, 2, -1, 1, 3, 0.1f, -0.2f};
  double loss = 0;
  for (std::size_t row = 0; row < 2; ++row) {
    double hidden[2], output[2];
    for (std::size_t unit = 0; unit < 2; ++unit) {
      hidden[unit] = parameters[6 + unit];
      for (std::size_t i = 0; i < 3; ++i) hidden[unit] += x[row * 3 + i] * parameters[i * 2 + unit];
      hidden[unit] = std::max(hidden[unit], 0.0);
    }
    for (std::size_t unit = 0; unit < 2; ++unit) {
      output[unit] = parameters[12 + unit] + hidden[0] * parameters[8 + unit] + hidden[1] * parameters[10 + unit];
      loss += std::pow(output[unit] - y[row * 2 + unit], 2) / 2;
    }
  }
  EXPECT_NEAR(run(network, parameters, {std::span<const float>(x), std::span<const float>(y)}, 2)[0], loss, 1e-5);
}

TEST(Network, OfOneDenseLayerIsLinearRegression) {
  const Data line{{}, {{"x", FeatureType::float32, 3}, {"y", FeatureType::float32, 1}}};
  const std::vector<float> x = naive::numbers(15, 1), y = naive::numbers(5, 2), parameters = naive::numbers(4, 3);
  std::vector<std::vector<float>> sums;
  for (const Model& model : {Model(Layers{{dense(1, {"x"})}, mse}), Model(LinearRegression{"x", "y"})}) {
    const ModelGraph made = model_graph(model, line);
    Executor executor(gradients(made.graph, *made.loss), layout_of(made), 5);
    std::vector<float>& sum = sums.emplace_back(4);
    executor.run(parameters, std::vector<FeatureValues>{std::span<const float>(x), std::span<const float>(y)}, 5, sum);
  }
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(sums[0][i], sums[1][i], 1e-4 * std::fabs(sums[1][i]));
}

TEST(Network, ReadsSeveralFeaturesAndLayersByName) {
  const Layers network{{dense(5, {"x"}, "left"), dense(6, {"z"}, "right"), of_kind("Concat", {"left", "z", "right"}),
                        dense(2), with(of_kind("Activation"), "activation", "Tanh")},
                       mse};
  EXPECT_EQ(problems_in(network, data), std::vector<ModelProblem>());
  const ModelGraph model = build(network, data);
  EXPECT_EQ(model.parameters[4].shape, (Shape{15, 2}));
  EXPECT_EQ(model.parameters[4].name, "dense/kernel");
}

TEST(Network, RepeatsWhatTimeStepsSay) {
  Layer encoder = with_units(of_kind("LSTM", {"steps"}), 5), decoder = with_units(of_kind("GRU"), 4);
  decoder.set("returnSequences", true);
  const Layers network{{encoder, repeat(2), decoder, with_units(of_kind("TimeDistributed"), 3)},
                       {LossKind::mse, "steps"}};
  const ModelGraph model = build(network, data);
  std::map<std::string, Shape> shapes;
  for (const Parameter& parameter : model.parameters) shapes[parameter.name] = parameter.shape;
  EXPECT_EQ(shapes, (std::map<std::string, Shape>{{"lstm/kernel", {3, 20}},
                                                  {"lstm/recurrent_kernel", {5, 20}},
                                                  {"lstm/bias", {20}},
                                                  {"gru/kernel", {5, 12}},
                                                  {"gru/recurrent_kernel", {4, 12}},
                                                  {"gru/bias", {12}},
                                                  {"gru/recurrent_bias", {12}},
                                                  {"timedistributed/kernel", {4, 3}},
                                                  {"timedistributed/bias", {3}}}));
  EXPECT_EQ(model.parameters[1].initial, (InitialValues{InitialValues::Kind::orthogonal}));
  EXPECT_EQ(model.parameters[2].initial, (InitialValues{InitialValues::Kind::forget_gate, 1}));
  EXPECT_FALSE(gradients(model.graph, *model.loss).graph.sum_in_use());
}

std::map<std::string, Shape> parameter_shapes(const ModelGraph& model) {
  std::map<std::string, Shape> shapes;
  for (const Parameter& parameter : model.parameters) shapes[parameter.name] = parameter.shape;
  return shapes;
}

std::string output_shape(const ModelGraph& model) {
  return text(model.graph.value(model.layers.back().value).shape);
}

TEST(Network, ReadsTimeStepsBothWays) {
  Layer both = with(with_units(of_kind("LSTM", {"steps"}), 5), "direction", "Bidirectional");
  const ModelGraph last = build({{both, dense(2)}, mse}, data);
  EXPECT_EQ(parameter_shapes(last), (std::map<std::string, Shape>{{"lstm/kernel", {3, 20}},
                                                                  {"lstm/recurrent_kernel", {5, 20}},
                                                                  {"lstm/bias", {20}},
                                                                  {"lstm/reverse_kernel", {3, 20}},
                                                                  {"lstm/reverse_recurrent_kernel", {5, 20}},
                                                                  {"lstm/reverse_bias", {20}},
                                                                  {"dense/kernel", {10, 2}},
                                                                  {"dense/bias", {2}}}));
  both.set("returnSequences", true);
  const ModelGraph all = build({{both, with_units(of_kind("TimeDistributed"), 3)}, {LossKind::mse, "steps"}}, data);
  EXPECT_EQ(parameter_shapes(all)["timedistributed/kernel"], (Shape{10, 3}));
  EXPECT_EQ(output_shape(all), "[rows, 2, 3]");
}

// With the same weights, the way back over reversed steps gives what the way forward gives over the steps.
TEST(Network, ReadsTimeStepsFromTheEnd) {
  const std::vector<float> steps{1, 2, 3, -1, 0.5f, 2}, reversed{-1, 0.5f, 2, 1, 2, 3}, y{1, 2};
  const std::vector<float> parameters = naive::numbers(3 * 8 + 2 * 8 + 8, 4);
  std::vector<float> small;
  for (const float parameter : parameters) small.push_back(parameter / 16384);
  const auto result = [&](std::string_view direction, const std::vector<float>& read) {
    const Layer layer = with(with_units(of_kind("LSTM", {"steps"}), 2), "direction", direction);
    return run({{layer}, mse}, small, {std::span<const float>(read), std::span<const float>(y)}, 1);
  };
  EXPECT_EQ(result("Reverse", reversed), result("Forward", steps));
  EXPECT_NE(result("Reverse", steps), result("Forward", steps));
}

TEST(Network, HasARowForEachNumber) {
  Layer rows = of_kind("Embedding", {"class"});
  rows.set<std::int64_t>("vocabulary", 3);
  rows.set<std::int64_t>("units", 2);
  const ModelGraph model = build({{rows}, mse}, data);
  EXPECT_EQ(parameter_shapes(model), (std::map<std::string, Shape>{{"embedding/embeddings", {3, 2}}}));
  EXPECT_EQ(model.parameters[0].initial, (InitialValues{InitialValues::Kind::uniform, 0.05f}));
  EXPECT_EQ(output_shape(model), "[rows, 2]");
  const std::vector<float> table{1, 2, 3, 4, 5, 6}, y{0, 0, 7, 6};
  const std::vector<std::int64_t> classes{2, 2};
  const std::vector<float> result =
      run({{rows}, mse}, table, {std::span<const std::int64_t>(classes), std::span<const float>(y)}, 2);
  EXPECT_EQ(result, (std::vector<float>{(25 + 36 + 4) / 2.0f, 0, 0, 0, 0, 5 + (5 - 7), 6}));
  rows.inputs = {"classes"};
  EXPECT_EQ(output_shape(build({{rows, with_units(of_kind("GRU"), 2)}, mse}, data)), "[rows, 2]");
  EXPECT_EQ(output_shape(build({{rows, reshaped({4}), dense(2)}, mse}, data)), "[rows, 2]");
}

TEST(Network, SaysWhichLabelIsNone) {
  const Layers network{{dense(2, {"x"})}, {LossKind::sigmoid_cross_entropy, "y"}};
  const auto run_with = [&](float label) {
    const std::vector<float> x(3), y{0, label}, parameters(8);
    run(network, parameters, {std::span<const float>(x), std::span<const float>(y)}, 1);
  };
  expect_error(Blame::user, "spec.model: a record has 1.5 in `y`, but labels are from 0 to 1", [&] { run_with(1.5f); });
  expect_error(Blame::user, "spec.model: a record has 1.0000001 in `y`, but labels are from 0 to 1",
               [&] { run_with(1.0000001f); });
  expect_error(Blame::user, "spec.model: a record has -1e-09 in `y`, but labels are from 0 to 1",
               [&] { run_with(-1e-9f); });
}

TEST(Network, SaysWhichNumberIsNotInItsVocabulary) {
  Layer rows = of_kind("Embedding", {"class"});
  rows.set<std::int64_t>("vocabulary", 3);
  rows.set<std::int64_t>("units", 2);
  const std::vector<float> table(6), y(2);
  const std::vector<std::int64_t> classes{3};
  expect_error(Blame::user, "spec.model: a record has 3 as `class`, but `embedding/embeddings` has rows 0 to 2", [&] {
    run({{rows}, mse}, table, {std::span<const std::int64_t>(classes), std::span<const float>(y)}, 1);
  });
}

TEST(Network, ReadsBytesAsNumbers) {
  const Layers network{{dense(2, {"bytes"})}, {LossKind::mse, "bytes"}};
  EXPECT_EQ(problems_in(network, data), std::vector<ModelProblem>());
  const ModelGraph model = build(network, data);
  EXPECT_EQ(model.graph.value(model.graph.inputs().front()).type, Type::float32);
}

TEST(Network, LeavesOutABiasThatIsNotWanted) {
  Layer layer = dense(2, {"x"});
  layer.set("bias", false);
  EXPECT_EQ(build({{layer}, mse}, data).parameters.size(), 1u);
}

// Of three inputs and two units.
TEST(Network, DrawsInitialWeightsByItsInitializer) {
  using enum InitialValues::Kind;
  const auto initial = [&](std::string_view name) {
    return build({{with(dense(2, {"x"}), "kernelInitializer", name)}, mse}, data).parameters[0].initial;
  };
  const auto expect = [&](std::string_view name, InitialValues::Kind kind, double scale) {
    EXPECT_EQ(initial(name).kind, kind) << name;
    EXPECT_FLOAT_EQ(initial(name).scale, static_cast<float>(scale)) << name;
  };
  expect("GlorotUniform", uniform, std::sqrt(6.0 / 5));
  expect("HeUniform", uniform, std::sqrt(2.0));
  expect("LecunUniform", uniform, 1);
  expect("GlorotNormal", truncated_normal, std::sqrt(2.0 / 5) / 0.8796256610342398);
  expect("HeNormal", truncated_normal, std::sqrt(2.0 / 3) / 0.8796256610342398);
  expect("LecunNormal", truncated_normal, std::sqrt(1.0 / 3) / 0.8796256610342398);
  expect("Orthogonal", orthogonal, 0);
  expect("Zeros", constant, 0);
  expect("Ones", constant, 1);
  const ModelGraph model = build({{with(dense(2, {"x"}), "biasInitializer", "Ones")}, mse}, data);
  EXPECT_EQ(model.parameters[1].initial, (InitialValues{constant, 1}));
}

// One value of each record is multiplied by its weight; the mean over two values is halved.
TEST(Network, WeighsTheLossOfEachRecord) {
  const Layers network{{dense(2, {"x"})}, {LossKind::mse, "y", "importance"}};
  const std::vector<float> x(6), y{1, 2, 3, 4}, importance{0.5f, 10}, parameters(8);
  const std::vector<FeatureValues> inputs{std::span<const float>(x), std::span<const float>(y),
                                          std::span<const float>(importance)};
  EXPECT_FLOAT_EQ(run(network, parameters, inputs, 2)[0], 0.5f * 2.5f + 10 * 12.5f);
}

TEST(Network, OfClassesHasTheLossOfTheRightOne) {
  const Layers network{{dense(4, {"x"})}, {LossKind::softmax_cross_entropy, "class"}};
  const std::vector<float> x(6), parameters(16);
  const std::vector<std::int64_t> classes{0, 3}, wrong{0, 4};
  const auto with_classes = [&](const std::vector<std::int64_t>& values) {
    return std::vector<FeatureValues>{std::span<const float>(x), std::span<const std::int64_t>(values)};
  };
  EXPECT_FLOAT_EQ(run(network, parameters, with_classes(classes), 2)[0], 2 * std::log(4.0f));
  try {
    run(network, parameters, with_classes(wrong), 2);
    FAIL() << "a class that there is not was accepted";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "spec.model: a record has 4 as `class`, but the classes are 0 to 3");
  }
}

// The kernel's columns are the weights of `units`, and each of the two steps has three values.
TEST(Network, ComputesEachTimeStepByItself) {
  const std::vector<float> steps = naive::numbers(12, 1), z(8), parameters = naive::numbers(8, 2);
  double loss = 0;
  for (std::size_t step = 0; step < 4; ++step) {
    for (std::size_t unit = 0; unit < 2; ++unit) {
      double sum = parameters[6 + unit];
      for (std::size_t i = 0; i < 3; ++i) sum += double{steps[step * 3 + i]} * parameters[i * 2 + unit];
      loss += sum * sum / 4;
    }
  }
  const Loss by_record{LossKind::mse, "z"};
  const std::vector<FeatureValues> inputs{std::span<const float>(steps), std::span<const float>(z)};
  const std::vector<float> result = run({{dense(2, {"steps"}), reshaped({4})}, by_record}, parameters, inputs, 2);
  EXPECT_NEAR(result[0], loss, 1e-6 * loss);
  const Layer distributed = with_units(of_kind("TimeDistributed", {"steps"}), 2);
  EXPECT_EQ(run({{distributed, reshaped({4})}, by_record}, parameters, inputs, 2), result);
}

TEST(Network, RepeatsAVectorAtEachTimeStep) {
  const std::vector<float> x{1, 2, 3, -1, 0, 4}, steps{1, 1, 1, 2, 2, 2, 0, 0, 0, -1, -1, -1}, parameters(12);
  const Layers network{{dense(3, {"x"}), repeat(2)}, {LossKind::mse, "steps"}};
  const std::vector<FeatureValues> inputs{std::span<const float>(x), std::span<const float>(steps)};
  const std::vector<float> result = run(network, parameters, inputs, 2);
  EXPECT_FLOAT_EQ(result[0], 15.0f / 6 + 3.0f / 6) << "the mean over six values of each record";
  // Of the bias: -2 (target - 0) / 6, summed over steps and records.
  EXPECT_FLOAT_EQ(result[10], -2.0f * (1 + 2 - 1) / 6);
  EXPECT_EQ(build(network, data).features[1].shape, (Shape{2, 3}));
}

TEST(Network, NormalizesEachTimeStep) {
  const std::vector<float> steps{1, 2, 3, 4, 8, 12}, parameters{1, 2, 3, 0.5f, 0.5f, 0.5f};
  Layer norm = with_epsilon(1);
  norm.inputs = {"steps"};
  const ModelGraph model = build({{norm, reshaped({2, 3})}, {LossKind::mse, "steps"}}, data);
  ASSERT_EQ(model.parameters.size(), 2u);
  EXPECT_EQ(model.parameters[0].name, "layernorm/gamma");
  EXPECT_EQ(model.parameters[0].initial, (InitialValues{InitialValues::Kind::constant, 1}));
  EXPECT_EQ(model.parameters[1].name, "layernorm/beta");
  EXPECT_EQ(model.parameters[1].initial, InitialValues());
  double loss = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    const double mean = i < 3 ? 2 : 8, variance = i < 3 ? 2.0 / 3 : 32.0 / 3;
    const double output = (steps[i] - mean) / std::sqrt(variance + 1) * parameters[i % 3] + 0.5;
    loss += std::pow(output - steps[i], 2) / 6;
  }
  const std::vector<FeatureValues> inputs{std::span<const float>(steps)};
  EXPECT_NEAR(run({{norm}, {LossKind::mse, "steps"}}, parameters, inputs, 1)[0], loss, 1e-5 * loss);
  norm.set("center", false);
  norm.set("scale", false);
  EXPECT_EQ(build({{norm, dense(3)}, {LossKind::mse, "steps"}}, data).parameters.size(), 2u) << "those of Dense";
}

TEST(Network, IsComparedByAbsoluteDifferences) {
  const std::vector<float> steps{1, -2, 3, 4, -5, 6}, parameters(12);
  const std::vector<FeatureValues> inputs{std::span<const float>(steps)};
  EXPECT_FLOAT_EQ(run({{dense(3, {"steps"})}, {LossKind::mae, "steps"}}, parameters, inputs, 1)[0], 21.0f / 6);
}

TEST(Network, WeighsTheLossOfTimeSteps) {
  const std::vector<float> steps{1, 2, 3, 4, 5, 6}, importance{3}, parameters(12);
  Layers network{{dense(3, {"steps"})}, {LossKind::huber, "steps", "", 100}};
  const std::vector<FeatureValues> plain{std::span<const float>(steps)};
  EXPECT_FLOAT_EQ(run(network, parameters, plain, 1)[0], 91.0f / 12);
  network.loss.weight = "importance";
  const std::vector<FeatureValues> weighted{std::span<const float>(steps), std::span<const float>(importance)};
  EXPECT_FLOAT_EQ(run(network, parameters, weighted, 1)[0], 3 * 91.0f / 12);
}

TEST(Network, MasksTheLossOfTimeSteps) {
  const std::vector<float> steps{1, 2, 3, 4, 5, 6}, mask{0, 1}, importance{3}, parameters(12);
  Layers network{{dense(3, {"steps"})}, {LossKind::mse, "steps", "", 1, "y"}};
  const std::vector<FeatureValues> masked{std::span<const float>(steps), std::span<const float>(mask)};
  const std::vector<float> result = run(network, parameters, masked, 1);
  EXPECT_FLOAT_EQ(result[0], (16.0f + 25 + 36) / 6);
  // Of the bias: -2 target / 6 of the second step alone.
  EXPECT_FLOAT_EQ(result[10], -8.0f / 6);
  network.loss.weight = "importance";
  const std::vector<FeatureValues> weighted{std::span<const float>(steps), std::span<const float>(mask),
                                            std::span<const float>(importance)};
  EXPECT_FLOAT_EQ(run(network, parameters, weighted, 1)[0], 3 * (16.0f + 25 + 36) / 6);
}

TEST(Network, AddsLayersAndFlattensThem) {
  const ModelGraph sum = build(
      {{dense(3, {"x"}, "one"), dense(3, {"x"}, "two"), of_kind("Add", {"one", "x", "two"}), dense(2)}, mse}, data);
  EXPECT_EQ(parameter_shapes(sum)["dense/kernel"], (Shape{3, 2}));
  const ModelGraph flat = build({{of_kind("Flatten", {"steps"}), of_kind("Flatten"), dense(2)}, mse}, data);
  EXPECT_EQ(parameter_shapes(flat), (std::map<std::string, Shape>{{"dense/kernel", {6, 2}}, {"dense/bias", {2}}}));
  const Layers unequal{{dense(2, {"x"}), of_kind("Add", {"dense", "x"}), dense(2)}, mse};
  expect_error(Blame::user,
               "spec.model.layers[1]: adds `dense` [rows, 2] and `x` [rows, 3]; both must have the same shape",
               [&] { build(unequal, data); });
}

TEST(Network, HasABuilderForEveryKind) {
  for (const LayerKind& kind : layer_kinds()) {
    Graph graph("spec.model");
    std::vector<Parameter> parameters;
    const ValueId input = graph.input("x", Type::float32, {3});
    Layer layer(kind);
    if (kind.name == "Reshape") layer.set("shape", Shape{1, 3});
    const std::set<std::string_view> over_time{"TimeDistributed", "LSTM", "GRU", "MultiHeadAttention",
                                               "PositionEmbedding"};
    const bool is_over_images = kind.name.ends_with("2D");
    const ValueId read = over_time.contains(kind.name) ? graph.input("s", Type::float32, {2, 3})
                         : is_over_images              ? graph.input("i", Type::float32, {2, 3, 1})
                         : kind.reads_numbers          ? graph.input("n", Type::int64, {3})
                                                       : input;
    EXPECT_NO_THROW(append_layer({layer, "it", {read}, graph, parameters})) << kind.name;
  }
}

}  // namespace
}  // namespace carrack::train
