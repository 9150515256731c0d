// Networks of layers: what their graphs compute, and what is refused.
#include "trainer/models/layers.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/trainer/kernels/naive.h"
#include "trainer/error.h"
#include "trainer/execution/executor.h"
#include "trainer/models/check.h"
#include "trainer/models/layer_kinds.h"

namespace carrack::train {
namespace {

const Data data{{},
                {{"class", FeatureType::int64, 1},
                 {"classes", FeatureType::int64, 2},
                 {"importance", FeatureType::float32, 1},
                 {"label", FeatureType::int64, 1, {}, Shape{1, 1}},
                 {"steps", FeatureType::float32, 6, {}, Shape{2, 3}},
                 {"x", FeatureType::float32, 3},
                 {"y", FeatureType::float32, 2},
                 {"z", FeatureType::float32, 4}}};

Layer of_kind(std::string_view kind, std::vector<std::string> inputs = {}, std::string name = "") {
  Word word = kind_of(Layer());
  EXPECT_TRUE(word.choose(kind));
  Layer layer = layer_of_kind(word);
  layer.inputs = std::move(inputs);
  layer.name = std::move(name);
  return layer;
}

Layer dense(std::int64_t units, std::vector<std::string> inputs = {}, std::string name = "") {
  Layer layer = of_kind("Dense", std::move(inputs), std::move(name));
  layer.set("units", units);
  return layer;
}

Layer with_units(Layer layer, std::int64_t units) {
  layer.set("units", units);
  return layer;
}

Layer repeat(std::int64_t times) {
  Layer layer = of_kind("RepeatVector");
  layer.set("times", times);
  return layer;
}

Layer with_epsilon(double epsilon) {
  Layer layer = of_kind("LayerNorm");
  layer.set("epsilon", epsilon);
  return layer;
}

Layer with_rate(double rate) {
  Layer layer = of_kind("Dropout");
  layer.set("rate", rate);
  return layer;
}

Layer reshaped(Shape shape, std::vector<std::string> inputs = {}) {
  Layer layer = of_kind("Reshape", std::move(inputs));
  layer.set("shape", std::move(shape));
  return layer;
}

Layer with(Layer layer, std::string_view field, std::string_view word) {
  Word value = layer.get<Word>(field);
  EXPECT_TRUE(value.choose(word));
  layer.set(field, value);
  return layer;
}

const Loss mse{LossKind::mse, "y"};

using Problems = std::vector<ModelProblem>;

// The loss, then the gradients, of a model with the given parameters and values of its features in order.
std::vector<float> run(const Layers& network, std::span<const float> parameters,
                       const std::vector<FeatureValues>& inputs, std::int64_t rows) {
  const ModelGraph model = build(network, data);
  Executor executor(gradients(model.graph, model.loss), layout_of(model), rows);
  std::vector<float> result(parameters.size() + 1);
  result[0] = executor.run(parameters, inputs, rows, std::span(result).subspan(1));
  return result;
}

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
    Executor executor(gradients(made.graph, made.loss), layout_of(made), 5);
    std::vector<float>& sum = sums.emplace_back(4);
    executor.run(parameters, std::vector<FeatureValues>{std::span<const float>(x), std::span<const float>(y)}, 5, sum);
  }
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(sums[0][i], sums[1][i], 1e-4 * std::fabs(sums[1][i]));
}

TEST(Network, ReadsSeveralFeaturesAndLayersByName) {
  const Layers network{{dense(5, {"x"}, "left"), dense(6, {"z"}, "right"), of_kind("Concat", {"left", "z", "right"}),
                        dense(2), with(of_kind("Activation"), "activation", "Tanh")},
                       mse};
  EXPECT_EQ(problems_in(network, data), Problems());
  const ModelGraph model = build(network, data);
  EXPECT_EQ(model.parameters[4].shape, (Shape{15, 2}));
  EXPECT_EQ(model.parameters[4].name, "dense/kernel");
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

TEST(Network, WeighsTheLossOfTimeSteps) {
  const std::vector<float> steps{1, 2, 3, 4, 5, 6}, importance{3}, parameters(12);
  Layers network{{dense(3, {"steps"})}, {LossKind::huber, "steps", "", 100}};
  const std::vector<FeatureValues> plain{std::span<const float>(steps)};
  EXPECT_FLOAT_EQ(run(network, parameters, plain, 1)[0], 91.0f / 12);
  network.loss.weight = "importance";
  const std::vector<FeatureValues> weighted{std::span<const float>(steps), std::span<const float>(importance)};
  EXPECT_FLOAT_EQ(run(network, parameters, weighted, 1)[0], 3 * 91.0f / 12);
}

TEST(Network, HasABuilderForEveryKind) {
  for (const LayerKind& kind : layer_kinds()) {
    Graph graph("spec.model");
    std::vector<Parameter> parameters;
    const ValueId input = graph.input("x", Type::float32, {3});
    Layer layer(kind);
    if (kind.name == "Reshape") layer.set("shape", Shape{1, 3});
    const ValueId steps = kind.name == "TimeDistributed" ? graph.input("s", Type::float32, {2, 3}) : input;
    EXPECT_NO_THROW(append_layer({layer, "it", {steps}, graph, parameters})) << kind.name;
  }
}

struct Refusal {
  const char* name;
  Layers network;
  Problems problems;
};

const Refusal refusals[] = {
    {"NoLayers", {{}, mse}, {{"spec.model.layers", "is empty; a model has at least one layer"}}},
    {"NothingToTrain",
     {{of_kind("Activation", {"y"})}, mse},
     {{"spec.model.layers", "have nothing to train; add a Dense layer"}}},
    {"NoInput",
     {{dense(2)}, mse},
     {{"spec.model.layers[0].inputs", "is missing; the first layer has none before it, name a feature"}}},
    {"UnknownInput",
     {{dense(3, {"x"}), dense(2, {"hidden"})}, mse},
     {{"spec.model.layers[1].inputs[0]",
       "'hidden' is neither a feature nor an earlier layer; there are class, classes, importance, label, steps, x, y, "
       "z, "
       "dense"},
      {"spec.model.layers[0]", "'dense' is read by no other layer; only the last one may be"}}},
    {"LaterInput",
     {{dense(3, {"last"}), dense(2, {}, "last")}, mse},
     {{"spec.model.layers[0].inputs[0]", "'last' is not before this layer; a layer can only read earlier ones"}}},
    {"InputOfClasses",
     {{dense(2, {"class"})}, mse},
     {{"spec.model.layers[0].inputs[0]", "'class' is int64 in spec.data.features; must be float32"}}},
    {"TwoInputs", {{dense(2, {"x", "z"})}, mse}, {{"spec.model.layers[0].inputs", "are 2; Dense reads one"}}},
    {"Numbers",
     {{dense(0, {"x"}), dense(1 << 21)}, {LossKind::huber, "y", "", -1}},
     {{"spec.model.layers[0].units", "is 0; must be from 1 to 1048576"},
      {"spec.model.layers[1].units", "is 2097152; must be from 1 to 1048576"},
      {"spec.model.loss.delta", "is -1; must be from 1e-30 to 1e+30"}}},
    {"Names",
     {{dense(2, {"x"}, "a"), dense(2, {}, "a"), dense(2, {}, "x"), dense(2, {}, "a/b")}, mse},
     {{"spec.model.layers[1].name", "'a' is the name of an earlier layer"},
      {"spec.model.layers[2].name", "'x' is a feature of spec.data.features"},
      {"spec.model.layers[3].name", "'a/b' contains a '/'"}}},
    {"Target",
     {{dense(2, {"x"})}, {LossKind::mse, "w"}},
     {{"spec.model.loss.target",
       "'w' is not a feature; spec.data.features has class, classes, importance, label, steps, x, y, z"}}},
    {"TargetOfClasses",
     {{dense(2, {"x"})}, {LossKind::softmax_cross_entropy, "y"}},
     {{"spec.model.loss.target", "'y' is float32 in spec.data.features; SoftmaxCrossEntropy needs int64"}}},
    {"TargetOfTwoClasses",
     {{dense(2, {"x"})}, {LossKind::softmax_cross_entropy, "classes"}},
     {{"spec.model.loss.target",
       "'classes' has 2 values in spec.data.features; must have 1, the number of the class"}}},
    {"TargetOfAnotherShape",
     {{dense(2, {"x"})}, {LossKind::softmax_cross_entropy, "label"}},
     {{"spec.model.loss.target",
       "'label' has the shape [1, 1] in spec.data.features; must have 1, the number of the class"}}},
    {"Weight",
     {{dense(2, {"x"})}, {LossKind::mse, "y", "z"}},
     {{"spec.model.loss.weight", "'z' has 4 values in spec.data.features; must have 1"}}},
    {"TargetOfAnotherSize",
     {{dense(3, {"x"})}, mse},
     {{"spec.model.loss", "compares `dense` [rows, 3] with `y` [rows, 2]; both must have the same shape"}}},
    {"TargetOfAnotherRank",
     {{dense(6, {"x"})}, {LossKind::mse, "steps"}},
     {{"spec.model.loss", "compares `dense` [rows, 6] with `steps` [rows, 2, 3]; both must have the same shape"}}},
    {"NoTimeSteps",
     {{with_units(of_kind("TimeDistributed", {"x"}), 2)}, mse},
     {{"spec.model.layers[0]", "reads `x` [rows, 3]; needs time steps, such as [rows, steps, values]"}}},
    {"RepeatedTimeSteps",
     {{dense(2, {"steps"}), repeat(3)}, mse},
     {{"spec.model.layers[1]", "reads `dense` [rows, 2, 2]; needs one row of values for each record"}}},
    {"Repetitions",
     {{dense(2, {"x"}), repeat(0)}, mse},
     {{"spec.model.layers[1].times", "is 0; must be from 1 to 1048576"}}},
    {"ShapeOfOtherValues",
     {{dense(5, {"x"}), reshaped({2, 3})}, {LossKind::mse, "steps"}},
     {{"spec.model.layers[1]",
       "Reshape of `dense` [rows, 5]: there is no place for its elements in [rows, 2, 3], which has more or fewer"}}},
    {"ShapesOfNothing",
     {{dense(2, {"x"}), reshaped({}), reshaped({1, 1, 1, 2}), reshaped({2, 0})}, mse},
     {{"spec.model.layers[1].shape", "has 0 dimensions; must have from 1 to 3"},
      {"spec.model.layers[2].shape", "has 4 dimensions; must have from 1 to 3"},
      {"spec.model.layers[3].shape[1]", "is 0; must be from 1 to 1048576"}}},
    {"TooLargeForAnOrthogonalMatrix",
     {{with(dense(1 << 20, {"z"}), "kernelInitializer", "Orthogonal"),
       with(dense(8, {}, "next"), "kernelInitializer", "Orthogonal"), dense(2)},
      mse},
     {{"spec.model.layers[1]", "draws 8388608 weights by kernelInitializer Orthogonal; it draws up to 4194304"}}},
    {"Epsilon",
     {{dense(2, {"x"}), with_epsilon(0)}, mse},
     {{"spec.model.layers[1].epsilon", "is 0; must be from 1e-12 to 1"}}},
    {"Rate", {{dense(2, {"x"}), with_rate(1)}, mse}, {{"spec.model.layers[1].rate", "is 1; must be from 0 to 0.999"}}},
    {"TooManyValues",
     {{dense(1 << 20, {"x"}), repeat(1 << 20)}, mse},
     {{"spec.model.layers[1]", "has 1099511627776 values for each record; must have from 1 to 17179869184"}}},
    {"TooLarge",
     {{dense(1 << 20, {"x"}), dense(1 << 20), dense(2)}, mse},
     {{"spec.model.layers", "have 1099518967810 parameters; must have from 1 to 17179869184"}}},
};

class RefusedNetwork : public testing::TestWithParam<Refusal> {};

TEST_P(RefusedNetwork, SaysWhatIsWrong) {
  EXPECT_EQ(problems_in(Model(GetParam().network), data), GetParam().problems);
}

INSTANTIATE_TEST_SUITE_P(All, RefusedNetwork, testing::ValuesIn(refusals),
                         [](const auto& of) { return std::string(of.param.name); });

}  // namespace
}  // namespace carrack::train
