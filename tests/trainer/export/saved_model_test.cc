#include "trainer/export/saved_model.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/trainer/graph/expect_error.h"
#include "tests/trainer/models/networks.h"
#include "trainer/error.h"
#include "trainer/models/model.h"

namespace carrack::train {
namespace {

Config config_of(Model model) {
  Config config;
  config.model = std::move(model);
  config.data = data;
  config.training.batch = 4;
  return config;
}

saved_model::MetaGraph graph_of(const Config& config) {
  const std::vector<float> parameters(
      static_cast<std::size_t>(layout_of(model_graph(config.model, config.data)).size()), 0.5f);
  return saved_model_of(config, parameters).meta_graphs(0);
}

std::map<std::string, int> operators_of(const saved_model::MetaGraph& graph) {
  std::map<std::string, int> counts;
  for (const saved_model::Node& node : graph.graph_def().node()) ++counts[node.op()];
  return counts;
}

std::set<std::string> keys(const auto& map) {
  std::set<std::string> all;
  for (const auto& [key, value] : map) all.insert(key);
  return all;
}

using Keys = std::set<std::string>;

TEST(SavedModel, HasASignatureForFeaturesAndOneForExamples) {
  const auto graph = graph_of(config_of(Layers{{dense(3, {"x"})}, {LossKind::softmax_cross_entropy, "class"}}));
  EXPECT_EQ(graph.meta_info_def().tags(0), "serve");
  EXPECT_EQ(keys(graph.signature_def()), (Keys{"examples", "serving_default"}));
  const auto& plain = graph.signature_def().at("serving_default");
  EXPECT_EQ(keys(plain.inputs()), (Keys{"x"}));
  EXPECT_EQ(plain.inputs().at("x").name(), "feature_0:0");
  EXPECT_EQ(plain.inputs().at("x").tensor_shape().dim(0).size(), -1);
  EXPECT_EQ(plain.inputs().at("x").tensor_shape().dim(1).size(), 3);
  EXPECT_EQ(keys(plain.outputs()), (Keys{"class", "output", "probabilities"}));
  EXPECT_EQ(keys(graph.signature_def().at("examples").inputs()), (Keys{"examples"}));
}

TEST(SavedModel, HasTheWeightsAsConstants) {
  const auto graph = graph_of(config_of(Layers{{dense(2, {"x"})}, mse}));
  std::size_t weights = 0;
  for (const saved_model::Node& node : graph.graph_def().node()) {
    if (node.op() != "Const" || node.attr().at("dtype").type() != saved_model::DT_FLOAT) continue;
    weights += node.attr().at("value").tensor().tensor_content().size() / sizeof(float);
  }
  EXPECT_EQ(weights, 3u * 2 + 2);
}

TEST(SavedModel, HasAnErrorIfTheTargetIsAnInput) {
  const Layers restores{{dense(3, {"steps"})}, {LossKind::mse, "steps"}};
  EXPECT_EQ(keys(graph_of(config_of(restores)).signature_def().at("serving_default").outputs()),
            (Keys{"error", "errors", "output"}));
  const Layers standardizes{{of_kind("Standardize", {"steps"}), dense(3)}, {LossKind::mse, "standardize"}};
  const auto standardized = graph_of(config_of(standardizes));
  EXPECT_EQ(keys(standardized.signature_def().at("serving_default").outputs()), (Keys{"error", "errors", "output"}));
  EXPECT_EQ(operators_of(standardized)["RealDiv"], 1);
  const Layers other{{dense(2, {"x"})}, mse};
  EXPECT_EQ(keys(graph_of(config_of(other)).signature_def().at("serving_default").outputs()), (Keys{"output"}));
}

TEST(SavedModel, DropsNothing) {
  const auto graph = graph_of(config_of(Layers{{dense(2, {"x"}), with_rate(0.5)}, mse}));
  EXPECT_EQ(operators_of(graph)["MatMul"], 1);
  for (const auto& [op, count] : operators_of(graph)) EXPECT_EQ(op.find("Random"), op.npos);
}

TEST(SavedModel, NormalizesByTheMovingAverages) {
  const auto graph = graph_of(config_of(Layers{{of_kind("BatchNorm", {"x"}), dense(2)}, mse}));
  EXPECT_EQ(operators_of(graph)["Sqrt"], 1);
  EXPECT_EQ(operators_of(graph)["RealDiv"], 1);
  EXPECT_EQ(operators_of(graph)["Mean"], 0);
}

TEST(SavedModel, HasOneStepFunctionForAllLayersOfAKind) {
  Layer first = with_units(of_kind("LSTM", {"steps"}), 4);
  first.set("returnSequences", true);
  const auto graph = graph_of(config_of(Layers{{first, with_units(of_kind("LSTM"), 2)}, mse}));
  EXPECT_EQ(operators_of(graph)["StatelessWhile"], 2);
  EXPECT_EQ(graph.graph_def().library().function_size(), 2);
}

TEST(SavedModel, OfImagesDoesNotParseExamples) {
  Config config = config_of(Layers{{dense(1, {"picture"})}, {LossKind::mse, "importance"}});
  config.data.features.push_back({"picture", FeatureType::float32, 4, Image{.height = 2, .width = 2, .channels = 1}});
  EXPECT_EQ(keys(graph_of(config).signature_def()), (Keys{"serving_default"}));
}

TEST(SavedModel, HasTheSameBytesForTheSameModel) {
  const Config config = config_of(Layers{{dense(2, {"x"})}, mse});
  const std::vector<float> parameters(8, 0.25f);
  EXPECT_EQ(bytes_of(saved_model_of(config, parameters)), bytes_of(saved_model_of(config, parameters)));
}

// By the names of its features, of which it reads all.
std::map<std::string, std::string> input_names(const std::vector<std::string>& features) {
  Config config = config_of(Layers{{of_kind("Concat", features), dense(2)}, mse});
  for (const std::string& name : features) config.data.features.push_back({name, FeatureType::float32, 1});
  std::map<std::string, std::string> nodes, names;
  for (std::size_t i = 0; i < features.size(); ++i) nodes["feature_" + std::to_string(i) + ":0"] = features[i];
  const auto graph = graph_of(config);
  for (const auto& [name, input] : graph.signature_def().at("serving_default").inputs())
    names[nodes[input.name()]] = name;
  return names;
}

using Names = std::map<std::string, std::string>;

TEST(SavedModel, NamesInputsAsPythonCan) {
  EXPECT_EQ(
      input_names({"a", "the steps/2", "2nd", "lambda", "lambdas"}),
      (Names{
          {"a", "a"}, {"the steps/2", "the_steps_2"}, {"2nd", "_2nd"}, {"lambda", "lambda_"}, {"lambdas", "lambdas"}}));
}

TEST(SavedModel, LeavesFeaturesTheNamesThatTheyMayHave) {
  EXPECT_EQ(input_names({"a b", "a-b", "a_b", "a_b_"}),
            (Names{{"a b", "a_b__"}, {"a-b", "a_b___"}, {"a_b", "a_b"}, {"a_b_", "a_b_"}}));
}

TEST(SavedModel, IsNotOfAModelThatTheJobsProgramComputes) {
  expect_error(Blame::user, "spec.model.kind: is Own, so only the job's own program computes the outputs of the model",
               [] {
                 graph_of(config_of(OwnModel{{{"w", {2}}}}));
               });
}

}  // namespace
}  // namespace carrack::train
