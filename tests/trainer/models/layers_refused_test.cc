// Networks that are refused before anything runs, and what is said of them.
#include <gtest/gtest.h>

#include "tests/trainer/models/networks.h"
#include "trainer/models/check.h"

namespace carrack::train {
namespace {

using Problems = std::vector<ModelProblem>;

struct Refusal {
  const char* name;
  Layers network;
  Problems problems;
};

Layer with_windows(Shape size, Shape strides, Shape dilation, std::vector<std::string> inputs) {
  Layer layer = of_kind("Conv2D", std::move(inputs));
  layer.set("kernelSize", std::move(size));
  layer.set("strides", std::move(strides));
  layer.set("dilation", std::move(dilation));
  return layer;
}

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
       "'hidden' is neither a feature nor an earlier layer; there are bytes, class, classes, importance, label, steps, "
       "x, y, "
       "z, "
       "dense"},
      {"spec.model.layers[0]", "'dense' is read by no other layer; only the last one may be"}}},
    {"LaterInput",
     {{dense(3, {"last"}), dense(2, {}, "last")}, mse},
     {{"spec.model.layers[0].inputs[0]", "'last' is not before this layer; a layer can only read earlier ones"}}},
    {"InputOfClasses",
     {{dense(2, {"class"})}, mse},
     {{"spec.model.layers[0].inputs[0]", "'class' is int64 in spec.data.features; must be float32"}}},
    {"EmbeddingOfValues",
     {{of_kind("Embedding", {"x"}), dense(2)}, mse},
     {{"spec.model.layers[0].inputs[0]", "'x' is float32 in spec.data.features; Embedding reads int64"}}},
    {"EmbeddingOfALayer",
     {{dense(2, {"x"}), of_kind("Embedding"), dense(2)}, mse},
     {{"spec.model.layers[1].inputs", "Embedding reads an int64 or text feature, not another layer"}}},
    {"EmbeddingOfNothing",
     {{dense(2, {"x"}), of_kind("Embedding", {"clas"}), of_kind("Concat", {"dense", "embedding"})}, mse},
     {{"spec.model.layers[1].inputs[0]",
       "'clas' is neither a feature nor an earlier layer; there are bytes, class, classes, importance, label, steps, "
       "x, "
       "y, z, dense"}}},
    {"StandardizeOfALayer",
     {{dense(2, {"x"}), of_kind("Standardize"), dense(2)}, mse},
     {{"spec.model.layers[1].inputs",
       "Standardize reads a float32 feature, not another layer: its mean and deviation are those of the data"}}},
    {"StandardizeOfClasses",
     {{of_kind("Standardize", {"class"}), dense(2)}, mse},
     {{"spec.model.layers[0].inputs[0]", "'class' is int64 in spec.data.features; must be float32"}}},
    {"StandardizeAlone",
     {{of_kind("Standardize", {"y"})}, mse},
     {{"spec.model.layers", "have nothing to train; add a Dense layer"}}},
    {"TargetOfAnotherLayer",
     {{dense(2, {"x"}), dense(2)}, {LossKind::mse, "dense"}},
     {{"spec.model.loss.target",
       "'dense' is a layer of kind Dense; must be a feature, or a layer that standardizes one"}}},
    {"StandardizedLabels",
     {{of_kind("Standardize", {"y"}), dense(2, {"x"})}, {LossKind::sigmoid_cross_entropy, "standardize"}},
     {{"spec.model.loss.target", "'standardize' is a layer; SigmoidCrossEntropy needs a feature"}}},
    {"StandardizedClass",
     {{of_kind("Standardize", {"y"}), dense(2, {"x"})}, {LossKind::softmax_cross_entropy, "standardize"}},
     {{"spec.model.loss.target", "'standardize' is a layer; SoftmaxCrossEntropy needs a feature"}}},
    {"StandardizedTargetOfAnotherSize",
     {{of_kind("Standardize", {"x"}), dense(2)}, {LossKind::mse, "standardize"}},
     {{"spec.model.loss", "compares `dense` [rows, 2] with `standardize` [rows, 3]; both must have the same shape"}}},
    {"TwoInputs", {{dense(2, {"x", "z"})}, mse}, {{"spec.model.layers[0].inputs", "are 2; Dense reads one"}}},
    {"Numbers",
     {{dense(0, {"x"}), dense(1 << 21)}, {LossKind::huber, "y", "", -1}},
     {{"spec.model.layers[0].units", "is 0; must be from 1 to 1048576"},
      {"spec.model.layers[1].units", "is 2097152; must be from 1 to 1048576"},
      {"spec.model.loss.delta", "is -1; must be from 1e-30 to 1e+30"}}},
    {"Averages",
     {{with_momentum(1, {"x"}), with_momentum(-0.1)}, {LossKind::mse, "x"}},
     {{"spec.model.layers[0].momentum", "is 1; must be from 0 to 0.9999"},
      {"spec.model.layers[1].momentum", "is -0.1; must be from 0 to 0.9999"}}},
    {"NothingToAddToVariance",
     {{with_epsilon(0, of_kind("BatchNorm", {"y"}))}, mse},
     {{"spec.model.layers[0].epsilon", "is 0; must be from 1e-12 to 1"}}},
    {"Windows",
     {{with_windows({}, {1, 1, 1}, {1025, 0}, {"x"})}, {LossKind::mse, "x"}},
     {{"spec.model.layers[0].kernelSize", "has 0 numbers; must have from 1 to 2"},
      {"spec.model.layers[0].strides", "has 3 numbers; must have from 1 to 2"},
      {"spec.model.layers[0].dilation[0]", "is 1025; must be from 1 to 1024"},
      {"spec.model.layers[0].dilation[1]", "is 0; must be from 1 to 1024"}}},
    {"Names",
     {{dense(2, {"x"}, "a"), dense(2, {}, "a"), dense(2, {}, "x"), dense(2, {}, "a/b"), dense(2, {}, "a b"),
       dense(2, {}, "größe"), dense(2, {}, std::string(257, 'a'))},
      mse},
     {{"spec.model.layers[1].name", "'a' is the name of an earlier layer"},
      {"spec.model.layers[2].name", "'x' is a feature of spec.data.features"},
      {"spec.model.layers[3].name", "'a/b' contains a '/'"},
      {"spec.model.layers[4].name",
       "'a b' contains a blank, or a character that is not ASCII; tensors are named by it"},
      {"spec.model.layers[5].name",
       "'größe' contains a blank, or a character that is not ASCII; tensors are named by it"},
      {"spec.model.layers[6].name", "has more than 256 characters"}}},
    {"Target",
     {{dense(2, {"x"})}, {LossKind::mse, "w"}},
     {{"spec.model.loss.target",
       "'w' is not a feature; spec.data.features has bytes, class, classes, importance, label, steps, x, y, z"}}},
    {"TargetOfClasses",
     {{dense(2, {"x"})}, {LossKind::softmax_cross_entropy, "y"}},
     {{"spec.model.loss.target", "'y' is float32 in spec.data.features; SoftmaxCrossEntropy needs int64"}}},
    {"TargetOfBytes",
     {{dense(2, {"x"})}, {LossKind::softmax_cross_entropy, "bytes"}},
     {{"spec.model.loss.target", "'bytes' is uint8 in spec.data.features; SoftmaxCrossEntropy needs int64"}}},
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
    {"Mask",
     {{dense(2, {"x"})}, {LossKind::mse, "y", "", 1, "class"}},
     {{"spec.model.loss.mask", "'class' is int64 in spec.data.features; must be float32"}}},
    {"MaskWithoutTimeSteps",
     {{dense(2, {"x"})}, {LossKind::mse, "y", "", 1, "y"}},
     {{"spec.model.loss", "the mask `y` [rows, 2] does not have a value for each time step of `dense` [rows, 2]"}}},
    {"MaskOfClasses",
     {{dense(2, {"x"})}, {LossKind::softmax_cross_entropy, "class", "", 1, "importance"}},
     {{"spec.model.loss.mask", "SoftmaxCrossEntropy has no time steps; leave the mask out"}}},
    {"MaskOfOtherTimeSteps",
     {{dense(3, {"steps"})}, {LossKind::mse, "steps", "", 1, "x"}},
     {{"spec.model.loss", "the mask `x` [rows, 3] does not have a value for each time step of `dense` [rows, 2, 3]"}}},
    {"TargetOfAnotherSize",
     {{dense(3, {"x"})}, mse},
     {{"spec.model.loss", "compares `dense` [rows, 3] with `y` [rows, 2]; both must have the same shape"}}},
    {"TargetOfAnotherRank",
     {{dense(6, {"x"})}, {LossKind::mse, "steps"}},
     {{"spec.model.loss", "compares `dense` [rows, 6] with `steps` [rows, 2, 3]; both must have the same shape"}}},
    {"NoTimeSteps",
     {{with_units(of_kind("TimeDistributed", {"x"}), 2)}, mse},
     {{"spec.model.layers[0]", "reads `x` [rows, 3]; needs time steps, such as [rows, steps, values]"}}},
    {"NoTimeStepsForARecurrentLayer",
     {{with_units(of_kind("LSTM", {"steps"}), 2), with_units(of_kind("GRU"), 2)}, mse},
     {{"spec.model.layers[1]", "reads `lstm` [rows, 2]; needs time steps, [rows, steps, values]"}}},
    {"TooManyUnitsForAnOrthogonalMatrix",
     {{with_units(of_kind("GRU", {"steps"}), 2000), dense(2)}, mse},
     {{"spec.model.layers[0]",
       "recurrentInitializer Orthogonal draws up to 4194304 weights, and the layer has 12000000; use another "
       "initializer, "
       "such as GlorotUniform"}}},
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
     {{"spec.model.layers[1]",
       "kernelInitializer Orthogonal draws up to 4194304 weights, and the layer has 8388608; use another initializer, "
       "such as GlorotUniform"}}},
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

TEST(RefusedNetworkOfText, HasTooFewRowsOrOutputs) {
  Data texts = data;
  texts.features.push_back({"colour", FeatureType::text, 1, {}, {}, {"red", "green"}, 2});
  Layer embedding = of_kind("Embedding", {"colour"});
  embedding.set("vocabulary", std::int64_t{3});
  Layers network{{embedding, dense(3)}, {LossKind::softmax_cross_entropy, "colour"}};
  EXPECT_EQ(problems_in(Model(network), texts),
            (Problems{{"spec.model.layers[0].vocabulary",
                       "is 3; must be at least 4, as many as 'colour' has words and buckets in spec.data.features"}}));
  network.layers[0].set("vocabulary", std::int64_t{4});
  EXPECT_EQ(problems_in(Model(network), texts),
            (Problems{{"spec.model.loss",
                       "'colour' has 4 words and buckets in spec.data.features, and the last layer has 3 outputs; it "
                       "needs one for each of them"}}));
  network.layers[1] = dense(4);
  EXPECT_EQ(problems_in(Model(network), texts), Problems());
  network.layers = {dense(4, {"colour"})};
  EXPECT_EQ(problems_in(Model(network), texts),
            (Problems{{"spec.model.layers[0].inputs[0]", "'colour' is text in spec.data.features; must be float32"}}));
}

}  // namespace
}  // namespace carrack::train
