#include "trainer/models/check.h"

#include <gtest/gtest.h>

namespace carrack::train {
namespace {

using Problems = std::vector<ModelProblem>;

const LinearRegression regression{"x", "y"};
const Tally tally{"index", 50000};

Data records(std::int64_t x_size) {
  return {{},
          {{"index", FeatureType::int64, 1},
           {"pair", FeatureType::float32, 2},
           {"x", FeatureType::float32, x_size},
           {"y", FeatureType::float32, 1}}};
}

TEST(ModelCheck, TellsTheSizes) {
  const ModelSizes linear = std::get<ModelSizes>(check(regression, records(20000), 64));
  EXPECT_EQ(linear.parameters, 20001);
  EXPECT_EQ(linear.blocks, 6);
  const ModelSizes counting = std::get<ModelSizes>(check(tally, records(1), 64));
  EXPECT_EQ(counting.parameters, 50000);
  EXPECT_EQ(counting.blocks, 13);
}

TEST(ModelCheck, TellsWorkspaceThatGrowsWithTheRowsAlone) {
  const auto workspace = [](std::int64_t features, std::int64_t rows) {
    return std::get<ModelSizes>(check(regression, records(features), rows)).workspace_bytes;
  };
  EXPECT_EQ(workspace(20000, 64), workspace(10, 64));
  EXPECT_GE(workspace(10, 1024), 2 * 1024 * 4) << "the differences and what is made of them";
  EXPECT_LE(workspace(10, 1024), 6 * 1024 * 4);
}

TEST(ModelCheck, NamesEveryFieldThatIsWrong) {
  EXPECT_EQ(problems_in(LinearRegression{"z", "pair"}, records(1)),
            (Problems{{"spec.model.input", "'z' is not a feature; spec.data.features has index, pair, x, y"},
                      {"spec.model.target", "'pair' has 2 values in spec.data.features; must have 1"}}));
  Data images = records(1);
  images.features.push_back({"z", FeatureType::float32, 192, Image{.height = 8, .width = 8}});
  EXPECT_EQ(problems_in(LinearRegression{"x", "z"}, images),
            (Problems{{"spec.model.target", "'z' has 192 values in spec.data.features; must have 1"}}));
  Data shaped = records(1);
  for (Feature& feature : shaped.features) feature.shape = std::vector<std::int64_t>{1, 1};
  EXPECT_EQ(
      problems_in(LinearRegression{"x", "y"}, shaped),
      (Problems{{"spec.model.input", "'x' has the shape [1, 1] in spec.data.features; must have one dimension"},
                {"spec.model.target", "'y' has the shape [1, 1] in spec.data.features; must have one dimension"}}));
  EXPECT_EQ(
      problems_in(Tally{"index", 5}, shaped),
      (Problems{{"spec.model.record", "'index' has the shape [1, 1] in spec.data.features; must have one dimension"}}));
  shaped.features = {{"bytes", FeatureType::uint8, 2}, {"y", FeatureType::float32, 1}};
  EXPECT_EQ(problems_in(LinearRegression{"bytes", "y"}, shaped),
            (Problems{{"spec.model.input", "'bytes' is uint8 in spec.data.features; must be float32"}}));
  shaped.features[0].type = FeatureType::text;
  EXPECT_EQ(problems_in(LinearRegression{"bytes", "y"}, shaped),
            (Problems{{"spec.model.input", "'bytes' is text in spec.data.features; must be float32"}}));
  EXPECT_EQ(problems_in(LinearRegression{"index", "y"}, records(1)),
            (Problems{{"spec.model.input", "'index' is int64 in spec.data.features; must be float32"}}));
  EXPECT_EQ(problems_in(Tally{"y", -3}, records(1)),
            (Problems{{"spec.model.record", "'y' is float32 in spec.data.features; must be int64"},
                      {"spec.model.records", "is -3; must be from 1 to 17179869184"}}));
  EXPECT_EQ(
      std::get<Problems>(check(regression, records(0), 64)),
      (Problems{{"spec.model.input", "'x' has 0 values in spec.data.features; must have from 1 to 17179869184"}}));
}

TEST(ModelCheck, RefusesATargetThatIsTheInput) {
  EXPECT_EQ(problems_in(LinearRegression{"y", "y"}, records(1)),
            (Problems{{"spec.model.target", "is spec.model.input; a model cannot predict a feature from itself"}}));
}

Config job(const Model& model, int servers) {
  Config config;
  config.ps = {servers, servers};
  config.model = model;
  config.data = records(5000);
  config.training.optimizer = Sgd{1.0};
  config.training.reduction = Reduction::sum;
  return config;
}

TEST(ModelCheck, TakesAsManyParameterServersAsThereAreBlocksAndNoMore) {
  EXPECT_EQ(problems_in(job(regression, 0)), Problems{}) << "one process has none of its own";
  EXPECT_EQ(problems_in(job(regression, 3)), Problems{});
  EXPECT_EQ(problems_in(job(regression, 5)),
            (Problems{{"spec.replicas.ps", "is 5; the model has 3 blocks of parameters, so at most 3"}}));
  EXPECT_EQ(problems_in(job(Tally{"index", 10}, 2)),
            (Problems{{"spec.replicas.ps", "is 2; the model has 1 block of parameters, so at most 1"}}));
}

TEST(ModelCheck, CountsNoBlocksOfAModelThatCannotBe) {
  EXPECT_EQ(problems_in(job(Tally{"index", 0}, 5)),
            (Problems{{"spec.model.records", "is 0; must be from 1 to 17179869184"}}));
}

TEST(ModelCheck, EvaluatesNoCounts) {
  Config config = job(Tally{"index", 10}, 1);
  config.data.evaluation = EvaluationData{{"a"}};
  EXPECT_EQ(problems_in(config),
            (Problems{{"spec.data.eval", "Tally counts records and has nothing to evaluate; leave it out"}}));
  config.model = regression;
  EXPECT_EQ(problems_in(config), Problems{});
}

TEST(ModelCheck, NamesPatternsThatMatchNoTensor) {
  Config config = job(regression, 1);
  config.training.groups = {{.tensors = {"w", "*/bias"}}, {.tensors = {"b*", "W"}}};
  EXPECT_EQ(problems_in(config),
            (Problems{{"spec.training.groups[0].tensors[1]", "'*/bias' matches no tensor; the model has b, w"},
                      {"spec.training.groups[1].tensors[1]", "'W' matches no tensor; the model has w, b"}}));
  Layers network;
  for (int i = 0; i < 4; ++i) network.layers.emplace_back();
  network.layers[0].inputs = {"x"};
  network.loss = {LossKind::mse, "y", "", 1};
  config.model = network;
  config.training.groups = {{.tensors = {"dense_2/bais", "*/kernel"}}};
  EXPECT_EQ(problems_in(config),
            (Problems{{"spec.training.groups[0].tensors[0]",
                       "'dense_2/bais' matches no tensor; the nearest are dense_2/bias, dense_1/bias, dense_3/bias, "
                       "dense/bias, dense_2/kernel"}}));
}

TEST(ModelCheck, RefusesInitialWeightsThatItDoesNotHave) {
  Config config = job(regression, 1);
  Layer standardize(*std::ranges::find(layer_kinds(), "Standardize", &LayerKind::name));
  standardize.inputs = {"x"};
  config.model = Layers{{standardize, Layer()}, {LossKind::mse, "y"}};
  config.training.initial_weights = InitialWeights{.from = "a",
                                                   .tensors = {"dense/kernel", "*", "standardize/*"},
                                                   .names = {{"dense/kernel", "", true},
                                                             {"dense/bias", "b", true},
                                                             {"dense/kernel", "k", false},
                                                             {"standardize/mean", "", false}}};
  const std::string field = "spec.training.initialWeights.";
  const std::string there = "the model has dense/bias, dense/kernel";
  EXPECT_EQ(problems_in(config),
            (Problems{{field + "tensors[2]", "'standardize/*' matches no tensor that changes; " + there},
                      {field + "names[1].transposed", "'dense/bias' has 1 dimension; only a matrix can be transposed"},
                      {field + "names[2].tensor", "'dense/kernel' has a name already; give it one"},
                      {field + "names[3].tensor", "'standardize/mean' is not a tensor that changes; " + there}}));
  config.training.initial_weights =
      InitialWeights{.from = "a", .tensors = {"*/bias"}, .names = {{"dense/kernel", "k"}}};
  EXPECT_EQ(
      problems_in(config),
      (Problems{{field + "names[0].tensor",
                 "'dense/kernel' matches nothing in spec.training.initialWeights.tensors, so it is not read; add it "
                 "there, or leave it out here"}}));
}

TEST(ModelCheck, RefusesToTakeTheSigmoidTwice) {
  const auto word = [](Layer layer, std::string_view text) {
    Choice chosen = layer.get<Choice>("activation");
    EXPECT_TRUE(chosen.choose(text));
    layer.set("activation", chosen);
    return layer;
  };
  const auto told = [](const std::string& where, const std::string& what) {
    return Problems{{"spec.model.layers[" + where + "].activation",
                     "is Sigmoid, and SigmoidCrossEntropy takes the sigmoid of the last layer itself; leave the " +
                         what + " out: the predictions are probabilities all the same"}};
  };
  Config config = job(regression, 1);
  const Loss loss{LossKind::sigmoid_cross_entropy, "y"};
  Layer first;
  first.inputs = {"x"};
  config.model = Layers{{word(first, "Sigmoid")}, loss};
  EXPECT_EQ(problems_in(config), told("0", "activation"));
  EXPECT_EQ(problems_in(config.model, config.data), Problems{}) << "one that is trained can be used";
  const Layer function(*std::ranges::find(layer_kinds(), "Activation", &LayerKind::name));
  config.model = Layers{{first, word(function, "Sigmoid")}, loss};
  EXPECT_EQ(problems_in(config), told("1", "layer"));
  config.model = Layers{{word(first, "Sigmoid"), Layer()}, loss};
  EXPECT_EQ(problems_in(config), Problems{});
  config.model = Layers{{word(first, "ReLU")}, loss};
  EXPECT_EQ(problems_in(config), Problems{});
  config.model = Layers{{word(first, "Sigmoid")}, {LossKind::mse, "y"}};
  EXPECT_EQ(problems_in(config), Problems{});
}

TEST(ModelCheck, RefusesToFreezeAll) {
  Config config = job(regression, 1);
  config.training.groups = {{.tensors = {"w"}, .frozen = true}, {.tensors = {"*"}, .rate_scale = 0}};
  EXPECT_EQ(problems_in(config), (Problems{{"spec.training.groups", "freeze every tensor; nothing is left to train"}}));
  config.training.groups = {{.tensors = {"w"}, .rate_scale = 2}, {.tensors = {"*"}, .frozen = true}};
  EXPECT_EQ(problems_in(config), Problems{}) << "the first group that matches decides";
}

TEST(ModelCheck, RefusesToFreezeAllThatIsNotFixedAnyway) {
  Config config = job(regression, 1);
  Layer standardize(*std::ranges::find(layer_kinds(), "Standardize", &LayerKind::name));
  standardize.inputs = {"x"};
  config.model = Layers{{standardize, Layer()}, {LossKind::mse, "y"}};
  config.training.groups = {{.tensors = {"dense/*"}, .frozen = true}};
  EXPECT_EQ(problems_in(config), (Problems{{"spec.training.groups", "freeze every tensor; nothing is left to train"}}));
  config.training.groups = {{.tensors = {"dense/bias", "standardize/*"}, .frozen = true}};
  EXPECT_EQ(problems_in(config), Problems{});
}

TEST(ModelCheck, LetsATallyBeTrainedOnlySoThatItCounts) {
  const Problems refused{
      {"spec.model.kind",
       "Tally counts with reduction Sum and optimizer SGD at learningRate 1 only, without momentum, schedule, clip, "
       "groups and initialWeights; set them in spec.training"}};
  Config config = job(tally, 1);
  EXPECT_EQ(problems_in(config), Problems{});
  config.training.consistency = Consistency::async;
  config.training.max_staleness = 4;
  EXPECT_EQ(problems_in(config), Problems{}) << "which batches wait does not change what they count";
  config.training.reduction = Reduction::mean;
  EXPECT_EQ(problems_in(config), refused);
  config.training.reduction = Reduction::sum;
  config.training.optimizer = Sgd{0.5};
  EXPECT_EQ(problems_in(config), refused);
  config.training.optimizer = Sgd{.learning_rate = 1, .momentum = 0.1};
  EXPECT_EQ(problems_in(config), refused);
  config.training.optimizer = Sgd{1.0};
  config.training.schedule.warmup_steps = 1;
  EXPECT_EQ(problems_in(config), refused);
  config.training.schedule = {};
  config.training.clip = Clip{.value = 1};
  EXPECT_EQ(problems_in(config), refused);
  config.training.clip.reset();
  config.training.groups = {{.tensors = {"tally"}, .rate_scale = 2}};
  EXPECT_EQ(problems_in(config), refused);
  config.training.groups.clear();
  config.training.initial_weights = InitialWeights{.from = "a"};
  EXPECT_EQ(problems_in(config), refused);
  config.training.initial_weights.reset();
  config.training.optimizer = Adam{1.0};
  EXPECT_EQ(problems_in(config), refused);
}

TEST(ModelCheck, TakesTheLargestModelAndNoneBeyond) {
  EXPECT_EQ(problems_in(regression, records(17179869184)), Problems{});
  EXPECT_EQ(problems_in(regression, records(17179869185)).size(), 1u);
  EXPECT_TRUE(std::holds_alternative<ModelSizes>(check(Tally{"index", 17179869184}, records(1), 1 << 20)));
}

}  // namespace
}  // namespace carrack::train
