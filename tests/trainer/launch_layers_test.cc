// Networks of layers, the shapes of the features that they read, and own models, in the file from the operator to the
// trainer.
#include <gtest/gtest.h>

#include <algorithm>

#include "trainer/launch/launch.h"

namespace carrack::train {
namespace {

Config some_config() {
  Config config;
  config.data = {{"file:///data/b"}, {{"x", FeatureType::float32, 20'000}}};
  config.training = {.batch = 64, .optimizer = Sgd{}};
  return config;
}

Feature some_steps() {
  return {"the steps", FeatureType::int64, 512, {}, std::vector<std::int64_t>{64, 8}};
}

// Every kind of layer, with no field at its default.
Layers some_network() {
  Layers network;
  for (const LayerKind& kind : layer_kinds()) {
    Layer& layer = network.layers.emplace_back(kind);
    for (LayerValue& value : layer.values) {
      std::visit(
          overloaded{[](bool& flag) { flag = !flag; }, [](std::int64_t& number) { number += 1'000'000; },
                     [](double& number) { number += 0.1; }, [](Choice& word) { word.choose(word.words().back()); },
                     [](std::vector<std::int64_t>& shape) {
                       shape = {64, 8, 1'000'000};
                     }},
          value);
    }
  }
  network.layers[0].name = "the first";
  network.layers[0].inputs = {"x"};
  network.layers.back().inputs = {"the first", "y", "a third"};
  network.loss = {LossKind::huber, "the target", "a weight", 0.1, "a mask"};
  return network;
}

TEST(Launch, IsTheSameAfterTheWayThereWithANetwork) {
  Launch launch;
  launch.config = some_config();
  launch.config.model = some_network();
  launch.config.data.features.push_back(some_steps());
  EXPECT_EQ(parse_launch(to_environment(launch), to_config_text(launch.config)), launch);
}

TEST(Launch, WritesAllFieldsOfALayer) {
  Config config = some_config();
  Layers network{{Layer(), Layer()}, {LossKind::mse, "y", "", 1}};
  network.layers[0].inputs = {"x"};
  network.layers[0].set<std::int64_t>("units", 512);
  config.model = network;
  const std::string text = to_config_text(config);
  EXPECT_TRUE(text.starts_with("carrack-launch 5\n")) << text;
  EXPECT_NE(text.find("model.kind Layers\n"
                      "model.layer Dense\n"
                      "model.layer Dense\n"
                      "model.layer.0.name \n"
                      "model.layer.0.input x\n"
                      "model.layer.0.units 512\n"
                      "model.layer.0.activation Linear\n"
                      "model.layer.0.bias true\n"
                      "model.layer.0.kernelInitializer GlorotUniform\n"
                      "model.layer.0.biasInitializer Zeros\n"
                      "model.layer.1.name \n"
                      "model.layer.1.units 1\n"
                      "model.layer.1.activation Linear\n"
                      "model.layer.1.bias true\n"
                      "model.layer.1.kernelInitializer GlorotUniform\n"
                      "model.layer.1.biasInitializer Zeros\n"
                      "model.loss MSE\n"
                      "model.loss.target y\n"
                      "model.loss.weight \n"
                      "model.loss.mask \n"
                      "model.loss.delta 1\n"
                      "data.file"),
            std::string::npos)
      << text;
}

TEST(Launch, WritesALayerInTheVersionThatHasItsKindAndFields) {
  Config config = some_config();
  const auto layer_of = [](std::string_view kind) {
    return Layer(*std::ranges::find(layer_kinds(), kind, &LayerKind::name));
  };
  const auto text_with = [&](const Layer& layer) {
    config.model = Layers{{layer}, {LossKind::mse, "y"}};
    return to_config_text(config);
  };
  Layer lstm = layer_of("LSTM");
  EXPECT_TRUE(text_with(lstm).starts_with("carrack-launch 5\n"));
  EXPECT_EQ(text_with(lstm).find("direction"), std::string::npos);
  Choice direction = lstm.get<Choice>("direction");
  direction.choose("Reverse");
  lstm.set("direction", direction);
  EXPECT_TRUE(text_with(lstm).starts_with("carrack-launch 6\n"));
  EXPECT_NE(text_with(lstm).find("model.layer.0.direction Reverse\n"), std::string::npos);
  const std::string text = text_with(layer_of("Embedding"));
  EXPECT_TRUE(text.starts_with("carrack-launch 6\n")) << text;
  const std::string standardized = text_with(layer_of("Standardize"));
  EXPECT_TRUE(standardized.starts_with("carrack-launch 7\n")) << standardized;
  const std::string normalized = text_with(layer_of("BatchNorm"));
  EXPECT_TRUE(normalized.starts_with("carrack-launch 7\n")) << normalized;
  EXPECT_NE(normalized.find("model.layer.0.epsilon 0.001\nmodel.layer.0.momentum 0.99\nmodel.layer.0.center true\n"),
            std::string::npos)
      << normalized;
  EXPECT_NE(standardized.find("model.layer Standardize\nmodel.layer.0.name \nmodel.loss MSE\n"), std::string::npos);
}

TEST(Launch, WritesTheTensorsOfAnOwnModel) {
  Config config = some_config();
  config.model = OwnModel{{{"fc1.weight", {128, 3072}, {OwnInitial::Kind::uniform, 0.018}},
                           {"a scale", {}, {OwnInitial::Kind::constant, 1}},
                           {"bn1.running_mean", {64}, {OwnInitial::Kind::truncated_normal, 1e-9}, false}}};
  const std::string text = to_config_text(config);
  EXPECT_TRUE(text.starts_with("carrack-launch 11\n")) << text;
  EXPECT_NE(text.find("model.kind Own\n"
                      "model.tensor Uniform 0.018 true 128,3072 fc1.weight\n"
                      "model.tensor Constant 1 true - a scale\n"
                      "model.tensor TruncatedNormal 1e-09 false 64 bn1.running_mean\n"
                      "data.file"),
            std::string::npos)
      << text;
  EXPECT_EQ(parse_config_text(text), config);
}

TEST(Launch, WritesAShapeInTheVersionThatHasOne) {
  Config config = some_config();
  config.model = LinearRegression{"x", "y"};
  config.data.features = {
      some_steps(), {"bytes", FeatureType::uint8, 3}, {"y", FeatureType::float32, 1, {}, std::vector<std::int64_t>{1}}};
  const std::string text = to_config_text(config);
  EXPECT_TRUE(text.starts_with("carrack-launch 5\n")) << text;
  EXPECT_NE(text.find("data.feature shaped int64 64,8 the steps\n"
                      "data.feature uint8 3 bytes\n"
                      "data.feature shaped float32 1 y\n"),
            std::string::npos)
      << text;
}

TEST(Launch, WritesTextInTheVersionThatHasIt) {
  Config config = some_config();
  config.model = LinearRegression{"x", "y"};
  config.data.features = {{"city", FeatureType::text, 2, {}, std::vector<std::int64_t>{2, 1}, {"Rome", "", "S P"}, 7},
                          {"tag", FeatureType::text, 1, {}, {}, {}, 100},
                          {"y", FeatureType::float32}};
  const std::string text = to_config_text(config);
  EXPECT_TRUE(text.starts_with("carrack-launch 8\n")) << text;
  EXPECT_NE(text.find("data.feature text 7 2 2,1 city\n"
                      "data.feature text 100 1 - tag\n"
                      "data.feature float32 1 y\n"
                      "data.feature.0.word Rome\n"
                      "data.feature.0.word \n"
                      "data.feature.0.word S P\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(parse_config_text(text), config);
}

}  // namespace
}  // namespace carrack::train
