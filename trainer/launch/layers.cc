#include "trainer/launch/layers.h"

#include <algorithm>
#include <array>

#include "dataloader/check.h"
#include "trainer/launch/overloaded.h"

namespace carrack::train {
namespace {

constexpr std::string_view activations[] = {"Linear", "ReLU", "Sigmoid", "Tanh", "GELU", "SiLU"};
constexpr std::string_view initializers[] = {"GlorotUniform", "GlorotNormal", "HeUniform", "HeNormal", "LecunUniform",
                                             "LecunNormal",   "Orthogonal",   "Zeros",     "Ones"};
constexpr std::string_view bias_initializers[] = {"Zeros", "Ones"};

constexpr std::string_view directions[] = {"Forward", "Reverse", "Bidirectional"};

constexpr Choice orthogonal(initializers, 6);

constexpr double max_units = 1 << 20;  // also the maximum of a dimension
constexpr double max_vocabulary = 1 << 30;

constexpr LayerField dense_fields[] = {
    {"units", std::int64_t{1}, "how many values the layer computes for each record", true, 1, max_units},
    {"activation", Choice(activations), "the function that is applied to each value"},
    {"bias", true, "whether a trained value is added to each"},
    {"kernelInitializer", Choice(initializers), "how the weights are drawn before training, as in Keras"},
    {"biasInitializer", Choice(bias_initializers), "what the added values are before training"},
};

constexpr std::string_view of_recurrent_kernel =
    "how the weights of the values of the step before are drawn before training, as in Keras";
constexpr LayerField returned{"returnSequences", false,
                              "whether the layer gives its values at each time step, or only those at the last one"};

constexpr LayerField direction{
    .name = "direction",
    .initial = Choice(directions),
    .text =
        "whether the layer goes from the first time step to the last, from the last to the first, or both ways; "
        "then its values are those of both, one after the other",
    .version = 6};

constexpr LayerField lstm_fields[] = {
    {"units", std::int64_t{1}, "how many values the layer computes for each record", true, 1, max_units},
    returned,
    direction,
    {"kernelInitializer", Choice(initializers), "how the weights are drawn before training, as in Keras"},
    {"recurrentInitializer", orthogonal, of_recurrent_kernel},
    {"unitForgetBias", true, "whether the biases of the forget gates are 1 before training, as all others are 0"},
};

constexpr LayerField gru_fields[] = {
    {"units", std::int64_t{1}, "how many values the layer computes for each record", true, 1, max_units},
    returned,
    direction,
    {"kernelInitializer", Choice(initializers), "how the weights are drawn before training, as in Keras"},
    {"recurrentInitializer", orthogonal, of_recurrent_kernel},
};

constexpr LayerField repeat_vector_fields[] = {
    {"times", std::int64_t{1}, "how many time steps there are", true, 1, max_units},
};

constexpr LayerField reshape_fields[] = {
    {"shape", NoShape(), "the dimensions of a record's values, outermost first", true, 1, max_units},
};

constexpr LayerField activation_fields[] = {
    {"activation", Choice(activations), "the function that is applied to each value", true},
};

constexpr LayerField dropout_fields[] = {
    {"rate", 0.0, "the share of values that become 0 in a step, drawn again for each; the others grow in its place",
     true, 0, 0.999},
};

constexpr LayerField layer_norm_fields[] = {
    {"epsilon", 1e-3, "what is added to the variance, which may be zero", false, 1e-12, 1},
    {"center", true, "whether a trained value is added to each"},
    {"scale", true, "whether each is multiplied by a trained value"},
};

constexpr LayerField batch_norm_fields[] = {
    {"epsilon", 1e-3, "what is added to the variance, which may be zero", false, 1e-12, 1},
    {"momentum", 0.99, "the share of the moving mean and variance that a step keeps; the rest are those of its batch",
     false, 0, 0.9999},
    {"center", true, "whether a trained value is added to each"},
    {"scale", true, "whether each is multiplied by a trained value"},
};

constexpr LayerField embedding_fields[] = {
    {"vocabulary", std::int64_t{1}, "how many numbers there are, from 0", true, 1, max_vocabulary},
    {"units", std::int64_t{1}, "how many values there are for each number", true, 1, max_units},
};

constexpr double max_heads = 1 << 10;

constexpr LayerField attention_fields[] = {
    {"heads", std::int64_t{1}, "how many means the layer computes, each with weights of its own", true, 1, max_heads},
    {"keySize", std::int64_t{1}, "how many values of a query, a key and a value there are in each head", true, 1,
     max_units},
    {"causal", false, "whether a time step reads itself and earlier ones alone"},
    {"bias", true, "whether a trained value is added to each query, key, value and output"},
    {"kernelInitializer", Choice(initializers), "how the weights are drawn before training, as in Keras"},
};

constexpr double max_window = 1 << 10;  // pixels along one axis

constexpr std::string_view paddings[] = {"Valid", "Same"};

constexpr LayerField convolution_fields[] = {
    {"filters", std::int64_t{1}, "how many values the layer computes for each pixel", true, 1, max_units},
    {"kernelSize", OneOrTwo{1}, "how many pixels a window has: height and width, or one number for both", true, 1,
     max_window},
    {"strides", OneOrTwo{1}, "how many pixels further the next window begins", false, 1, max_window},
    {"padding", Choice(paddings),
     "whether windows end at the edges of the image, or zeros around it make as many windows as there are pixels, "
     "divided by the strides"},
    {"dilation", OneOrTwo{1}, "how many pixels further the next pixel of a window is", false, 1, max_window},
    {"groups", std::int64_t{1},
     "how many groups the channels and the filters are divided into; a filter reads those of its group alone", false, 1,
     max_units},
    {"activation", Choice(activations), "the function that is applied to each value"},
    {"bias", true, "whether a trained value is added to each filter"},
    {"kernelInitializer", Choice(initializers), "how the weights are drawn before training, as in Keras"},
};

constexpr LayerField pooling_fields[] = {
    {"size", OneOrTwo{1}, "how many pixels a window has: height and width, or one number for both", true, 1,
     max_window},
    {"strides", AsSize(), "how many pixels further the next window begins", false, 1, max_window},
    {"padding", Choice(paddings),
     "whether windows end at the edges of the image, or reach beyond it, so that there are as many windows as pixels, "
     "divided by the strides; only pixels of the image count"},
};

constexpr LayerKind kinds[] = {
    {"Dense", "Products of the input with trained weights: activation(input kernel + bias).", dense_fields},
    {"TimeDistributed", "Dense at each time step, as Keras' TimeDistributed(Dense(units)).", dense_fields},
    {"LSTM", "A long short-term memory layer, over time steps.", lstm_fields},
    {"GRU", "A layer of gated recurrent units, over time steps.", gru_fields},
    {"RepeatVector", "The same values at each time step.", repeat_vector_fields},
    {"Reshape", "The same values in another shape.", reshape_fields},
    {"Activation", "A function of each value.", activation_fields},
    {"Dropout", "The same values, without some of them in each step of the training.", dropout_fields},
    {"LayerNorm",
     "Values with mean 0 and variance 1 along the last dimension, multiplied by trained values, plus others.",
     layer_norm_fields},
    {"Concat", "The values of its inputs, one after the other along the last dimension.", {}, true},
    {.name = "Embedding",
     .text = "A row of trained values for each number that it reads.",
     .fields = embedding_fields,
     .reads_numbers = true,
     .version = 6},
    {.name = "Standardize",
     .text =
         "(input - mean) / deviation, by mean and deviation of each value of the last dimension in the training data.",
     .fields = {},
     .standardizes = true,
     .version = 7},
    {.name = "BatchNorm",
     .text = "Values with mean 0 and variance 1 over the records of a lane, multiplied by trained values, plus "
             "others. Once trained, by a moving mean and variance.",
     .fields = batch_norm_fields,
     .version = 7},
    {.name = "MultiHeadAttention",
     .text = "At each time step, means of all of them, weighted by how well they fit it.",
     .fields = attention_fields,
     .takes_several = true,
     .version = 13},
    {.name = "PositionEmbedding",
     .text = "A trained value added to each value of a time step.",
     .fields = {},
     .version = 13},
    {.name = "Add", .text = "The sum of its inputs.", .fields = {}, .takes_several = true, .version = 13},
    {.name = "Flatten", .text = "The same values in one row.", .fields = {}, .version = 13},
    {.name = "Conv2D",
     .text = "At each pixel of an image, products of the pixels around it with trained weights.",
     .fields = convolution_fields,
     .version = 13},
    {.name = "MaxPool2D",
     .text = "The greatest value of each channel in each window over an image.",
     .fields = pooling_fields,
     .version = 14},
    {.name = "AveragePool2D",
     .text = "The mean of each channel in each window over an image.",
     .fields = pooling_fields,
     .version = 14},
    {.name = "GlobalAveragePool2D",
     .text = "The mean of each channel over the pixels of an image.",
     .fields = {},
     .version = 14},
};

constexpr auto kind_names = [] {
  std::array<std::string_view, std::size(kinds)> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = kinds[i].name;
  return names;
}();

}  // namespace

bool Choice::choose(std::string_view text) {
  chosen_ = static_cast<std::size_t>(std::ranges::find(words_, text) - words_.begin());
  return is_known();
}

std::span<const LayerKind> layer_kinds() {
  return kinds;
}

Layer::Layer(const LayerKind& of_kind) : kind(&of_kind) {
  const auto value_of = overloaded{[](NoShape) { return LayerValue(std::vector<std::int64_t>()); },
                                   [](OneOrTwo sizes) { return LayerValue(std::vector<std::int64_t>{sizes.standard}); },
                                   [](AsSize) { return LayerValue(std::vector<std::int64_t>{OneOrTwo().standard}); },
                                   [](const auto& initial) { return LayerValue(initial); }};
  for (const LayerField& field : of_kind.fields) values.push_back(std::visit(value_of, field.initial));
}

bool needs_statistics(const Layers& model) {
  return std::ranges::any_of(model.layers, [](const Layer& layer) { return layer.kind->standardizes; });
}

std::size_t Layer::position_of(std::string_view field) const {
  const auto found = std::ranges::find(kind->fields, field, &LayerField::name);
  CHECK(found != kind->fields.end());
  return static_cast<std::size_t>(found - kind->fields.begin());
}

Choice kind_of(const Layer& layer) {
  return Choice(kind_names, static_cast<std::size_t>(layer.kind - kinds));
}

Layer layer_of_kind(const Choice& kind) {
  return Layer(kinds[kind.index()]);
}

}  // namespace carrack::train
