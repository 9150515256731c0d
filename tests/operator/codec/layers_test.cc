// Layers in a manifest. The decoder goes by the table of trainer/launch/layers.h; the API and the reference are
// compared with it here.
#include "trainer/launch/layers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "operator/codec/job.h"
#include "operator/codec/node.h"

namespace carrack::control {
namespace {

using namespace train;

DecodedJob job_with(const std::string& model) {
  return decode_job(R"(apiVersion: carrack.dev/v1alpha1
kind: TrainingJob
metadata: {name: network}
spec:
  strategy: Single
  model: )" + model +
                    R"(
  data: {train: {files: [a]}, features: {x: {type: float32}}}
  training: {batch: 64, optimizer: {kind: Adam}}
  checkpoint: {folder: out}
)");
}

std::string with_loss(const std::string& layers) {
  return "{layers: [" + layers + "], loss: {kind: MSE, target: x}}";
}

std::string problems_of(const std::string& model) {
  return describe(job_with(model).problems);
}

TEST(ManifestLayers, HaveTheDefaultsOfTheirKind) {
  const std::string text =
      "{layers: [{kind: Dense, inputs: [x], units: 5, activation: ReLU, bias: false}, {kind: Dense, name: last, units: "
      "2}], loss: {kind: Huber, target: x, weight: x, mask: x, delta: 2}}";
  const DecodedJob job = job_with(text);
  ASSERT_EQ(describe(job.problems), "");
  EXPECT_EQ(decode_job(to_yaml(job_node(job.spec))).spec, job.spec);
  EXPECT_EQ(decode_job(to_json(job_node(job.spec))).spec, job.spec);
  const auto& network = std::get<Layers>(job.spec.config.model);
  ASSERT_EQ(network.layers.size(), 2u);
  EXPECT_EQ(network.layers[0].inputs, std::vector<std::string>{"x"});
  EXPECT_EQ(network.layers[0].get<std::int64_t>("units"), 5);
  EXPECT_EQ(network.layers[0].get<Choice>("activation").text(), "ReLU");
  EXPECT_FALSE(network.layers[0].get<bool>("bias"));
  EXPECT_EQ(network.layers[1].name, "last");
  EXPECT_EQ(network.layers[1].get<Choice>("activation").text(), "Linear");
  EXPECT_TRUE(network.layers[1].get<bool>("bias"));
  EXPECT_EQ(network.loss, (Loss{LossKind::huber, "x", "x", 2, "x"}));
}

TEST(ManifestLayers, OfPoolingHaveTheirSizeAsStrides) {
  const DecodedJob job = job_with(with_loss(
      "{kind: MaxPool2D, inputs: [x], size: [2, 3]}, {kind: AveragePool2D, strides: [1], size: [2], padding: Same}"));
  ASSERT_EQ(describe(job.problems), "");
  EXPECT_EQ(decode_job(to_yaml(job_node(job.spec))).spec, job.spec);
  const auto& network = std::get<Layers>(job.spec.config.model);
  EXPECT_EQ(network.layers[0].get<std::vector<std::int64_t>>("strides"), (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(network.layers[1].get<std::vector<std::int64_t>>("strides"), std::vector<std::int64_t>{1});
  EXPECT_EQ(problems_of(with_loss("{kind: MaxPool2D}")), "spec.model.layers[0].size: is missing (line 6)");
}

TEST(ManifestLayers, AreRefusedWithTheNearestName) {
  const std::string line = " (line 6)";
  EXPECT_EQ(problems_of(with_loss("{kind: Dens, units: 5, activation: ReLU}")),
            "spec.model.layers[0].kind: 'Dens' is unknown; there are Dense, TimeDistributed, LSTM, GRU, "
            "RepeatVector, Reshape, Activation, Dropout, LayerNorm, Concat, Embedding, Standardize, BatchNorm, "
            "MultiHeadAttention, PositionEmbedding, Add, Flatten, Conv2D, MaxPool2D, AveragePool2D, "
            "GlobalAveragePool2D; did you mean 'Dense'?" +
                line);
  EXPECT_EQ(problems_of(with_loss("{units: 5}")), "spec.model.layers[0].kind: is missing" + line);
  EXPECT_EQ(problems_of(with_loss("{rate: 0.5}")), "spec.model.layers[0].kind: is missing" + line);
  EXPECT_EQ(problems_of(with_loss("{kind: Dense}")), "spec.model.layers[0].units: is missing" + line);
  EXPECT_EQ(problems_of(with_loss("{kind: Dense, units: 5, activaton: ReLU}")),
            "spec.model.layers[0].activaton: is unknown; did you mean 'activation'?" + line);
  EXPECT_EQ(problems_of(with_loss("{kind: Dense, units: 5, activation: Relu}")),
            "spec.model.layers[0].activation: 'Relu' is unknown; there are Linear, ReLU, Sigmoid, Tanh, GELU, SiLU; "
            "did you mean "
            "'ReLU'?" +
                line);
  EXPECT_EQ(problems_of(with_loss("{kind: Concat, units: 5}")),
            "spec.model.layers[0].units: is unknown; there are kind, name, inputs" + line);
  EXPECT_EQ(problems_of(with_loss("{kind: Dense, units: many, inputs: x, bias: 1}")),
            "spec.model.layers[0].inputs: is text; must be a list" + line +
                "\nspec.model.layers[0].units: is text; must be a whole number" + line +
                "\nspec.model.layers[0].bias: is a whole number; must be true or false" + line);
  EXPECT_EQ(problems_of(with_loss("{kind: Reshape, shape: [2, x]}, {kind: RepeatVector, times: []}")),
            "spec.model.layers[0].shape[1]: is text; must be a whole number" + line +
                "\nspec.model.layers[1].times: is a list; must be a whole number" + line);
  EXPECT_EQ(problems_of(with_loss("Dense")), "spec.model.layers[0]: is text; must be an object" + line);
  EXPECT_EQ(problems_of("{layers: []}"), "spec.model.loss: is missing" + line);
  EXPECT_EQ(problems_of("{layers: [], loss: {kind: MSE, target: x, delta: 1}}"),
            "spec.model.loss.delta: is unknown; there are kind, target, weight, mask" + line);
  EXPECT_EQ(problems_of("{}"), "spec.model.layers: is missing" + line + "\nspec.model.loss: is missing" + line);
}

// What is said of a word behind the list of all words.
std::string hint_for(const std::string& model) {
  const std::string problem = problems_of(model);
  const std::size_t list = problem.find("; there are ");
  EXPECT_EQ(problem.find('\n'), problem.npos) << problem;
  if (list == problem.npos) return problem;
  const std::size_t end = problem.find("; ", list + 1);
  return end == problem.npos ? "" : problem.substr(end + 2, problem.rfind(" (line") - end - 2);
}

TEST(ManifestLayers, AreNamedForWhoKnowsThemFromKeras) {
  const auto of_layer = [](const std::string& kind) { return hint_for(with_loss("{kind: " + kind + "}")); };
  const auto of_activation = [](const std::string& word) {
    return hint_for(with_loss("{kind: Dense, units: 5, activation: " + word + "}"));
  };
  const auto of_loss = [](const std::string& kind) {
    return hint_for("{layers: [], loss: {kind: " + kind + ", target: x}}");
  };
  const auto meant = [](const std::string& word) { return "did you mean '" + word + "'?"; };
  EXPECT_EQ(of_layer("BatchNormalization"), meant("BatchNorm"));
  EXPECT_EQ(of_layer("LayerNormalization"), meant("LayerNorm"));
  EXPECT_EQ(of_layer("Normalization"), meant("Standardize"));
  EXPECT_EQ(of_layer("Concatenate"), meant("Concat"));
  EXPECT_EQ(of_layer("flatten"), meant("Flatten"));
  EXPECT_EQ(of_layer("multi_head_attention"), meant("MultiHeadAttention"));
  EXPECT_EQ(of_layer("Linear"), meant("Dense"));
  EXPECT_EQ(of_layer("lstm"), meant("LSTM"));
  EXPECT_EQ(of_layer("Conv2d"), meant("Conv2D"));
  EXPECT_EQ(of_layer("MaxPooling2D"), meant("MaxPool2D"));
  EXPECT_EQ(of_layer("AveragePooling2D"), meant("AveragePool2D"));
  EXPECT_EQ(of_layer("AvgPool2d"), meant("AveragePool2D"));
  EXPECT_EQ(of_layer("GlobalAveragePooling2D"), meant("GlobalAveragePool2D"));
  EXPECT_EQ(of_layer("AdaptiveAvgPool2d"), meant("GlobalAveragePool2D"));
  EXPECT_EQ(of_layer("Bidirectional"), "write LSTM or GRU with direction: Bidirectional");
  EXPECT_EQ(of_layer("ReLU"), "write Activation with activation: ReLU");
  EXPECT_EQ(of_layer("GELU"), "write Activation with activation: GELU");
  EXPECT_EQ(of_layer("Softmax"), "leave it out: the loss SoftmaxCrossEntropy takes the softmax itself");
  EXPECT_EQ(of_layer("GaussianNoise"), "") << "there is nothing like it";
  EXPECT_EQ(of_activation("relu"), meant("ReLU"));
  EXPECT_EQ(of_activation("tanh"), meant("Tanh"));
  EXPECT_EQ(of_activation("swish"), meant("SiLU"));
  EXPECT_EQ(of_activation("softmax"), "leave it out: the loss SoftmaxCrossEntropy takes the softmax itself");
  for (const char* kind : {"mse", "mean_squared_error", "MeanSquaredError", "MSELoss"})
    EXPECT_EQ(of_loss(kind), meant("MSE"));
  for (const char* kind : {"mae", "MeanAbsoluteError", "L1Loss"}) EXPECT_EQ(of_loss(kind), meant("MAE"));
  for (const char* kind : {"huber", "huber_loss"}) EXPECT_EQ(of_loss(kind), meant("Huber"));
  for (const char* kind : {"categorical_crossentropy", "SparseCategoricalCrossentropy", "CrossEntropyLoss"}) {
    EXPECT_EQ(of_loss(kind),
              meant("SoftmaxCrossEntropy") + " its target is the number of the class, an int64 or text feature");
  }
  for (const char* kind : {"binary_crossentropy", "BinaryCrossentropy"}) {
    EXPECT_EQ(of_loss(kind), meant("SigmoidCrossEntropy") +
                                 " the last layer then has no activation, as the loss takes the sigmoid itself");
  }
  EXPECT_EQ(of_loss("BCEWithLogitsLoss"), meant("SigmoidCrossEntropy"));
}

std::string text_of_file(const char* path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// The properties of a layer in the API.
Node properties_in_api() {
  const Node definition = std::get<Node>(parse_yaml(text_of_file(CARRACK_CRD)));
  Node at = std::get<Node::List>(child(*child(definition, "spec"), "versions")->value)[0];
  for (const char* name : {"schema", "openAPIV3Schema", "properties", "spec", "properties", "model", "properties",
                           "layers", "items", "properties"}) {
    at = Node(*child(at, name));
  }
  return at;
}

TEST(ManifestLayers, HaveTheBoundsOfTheTableInTheApi) {
  const Node properties = properties_in_api();
  for (const LayerKind& kind : layer_kinds()) {
    for (const LayerField& field : kind.fields) {
      const bool is_shape = std::holds_alternative<NoShape>(field.initial);
      const bool is_list =
          is_shape || std::holds_alternative<OneOrTwo>(field.initial) || std::holds_alternative<AsSize>(field.initial);
      if (!is_list && !std::holds_alternative<std::int64_t>(field.initial)) continue;
      Node property = *child(properties, field.name);
      if (is_list) {
        EXPECT_EQ(std::get<std::int64_t>(child(property, "minItems")->value), 1);
        EXPECT_EQ(std::get<std::int64_t>(child(property, "maxItems")->value),
                  is_shape ? std::int64_t{dimensions_max} : 2);
        property = Node(*child(property, "items"));
      }
      const auto bound = [&](const char* name) {
        return static_cast<double>(std::get<std::int64_t>(child(property, name)->value));
      };
      EXPECT_EQ(bound("minimum"), field.min) << field.name;
      EXPECT_EQ(bound("maximum"), field.max) << field.name;
    }
  }
}

std::string number(double value) {
  return value == std::trunc(value) ? to_json(Node{static_cast<std::int64_t>(value), 0}) : to_json(Node{value, 0});
}

std::string listed(std::span<const std::string_view> words) {
  std::string list;
  for (const std::string_view word : words) list += (list.empty() ? "`" : ", `") + std::string(word) + "`";
  return list;
}

// "`Linear`, `ReLU`; `Linear`": the type and the default, unless the field is required.
std::string type_of(const LayerField& field) {
  const auto bounds = "number from " + number(field.min) + " to " + number(field.max);
  const auto described = [&](const auto& type, const auto& standard) {
    return field.is_required ? std::string(type) : std::string(type) + standard;
  };
  return std::visit(
      overloaded{
          [&](bool value) { return described("bool", value ? ", true" : ", false"); },
          [&](std::int64_t value) { return described(bounds, ", " + std::to_string(value)); },
          [&](double value) {
            return described(bounds, ", " + to_json(Node{value, 0}));
          },
          [&](NoShape) { return "list of one to three numbers" + bounds.substr(bounds.find(' ')); },
          [&](OneOrTwo sizes) {
            return described("list of one or two numbers" + bounds.substr(bounds.find(' ')),
                             ", " + std::to_string(sizes.standard));
          },
          [&](AsSize) { return "list of one or two numbers" + bounds.substr(bounds.find(' ')) + ", that of `size`"; },
          [&](const Choice& word) { return described(listed(word.words()), "; `" + std::string(word.text()) + "`"); }},
      field.initial);
}

TEST(ManifestLayers, AreInTheReferenceAsInTheTable) {
  std::string table = "| kind | field | type, default | meaning |\n|---|---|---|---|\n";
  for (const LayerKind& kind : layer_kinds()) {
    table += "| `" + std::string(kind.name) + "` | | | " + std::string(kind.text) + " |\n";
    for (const LayerField& field : kind.fields) {
      table += "| | `" + std::string(field.name) + "` | " + type_of(field) + " | " + std::string(field.text) + " |\n";
    }
  }
  EXPECT_NE(text_of_file(CARRACK_LAYERS_REFERENCE).find(table), std::string::npos)
      << "docs/reference/layers.md must have this table:\n"
      << table;
}

}  // namespace
}  // namespace carrack::control
