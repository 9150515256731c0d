#include "operator/codec/keras_names.h"

#include <algorithm>
#include <cctype>

namespace carrack::control {
namespace {

// A name of a layer or a loss in Keras or PyTorch, and its name in a manifest.
struct OtherName {
  std::string_view theirs;  // in lower case, without underscores
  std::string_view ours;
  std::string_view hint = {};  // the whole advice; if empty, "did you mean 'OURS'?"
};

constexpr std::string_view of_classes =
    "did you mean 'SoftmaxCrossEntropy'? its target is the number of the class, an int64 or text feature";
constexpr std::string_view of_labels =
    "did you mean 'SigmoidCrossEntropy'? the last layer then has no activation, as the loss takes the sigmoid itself";

constexpr OtherName other_names[] = {
    {"batchnormalization", "BatchNorm"},
    {"layernormalization", "LayerNorm"},
    {"normalization", "Standardize"},
    {"concatenate", "Concat"},
    {"linear", "Dense"},
    {"maxpooling2d", "MaxPool2D"},
    {"averagepooling2d", "AveragePool2D"},
    {"avgpool2d", "AveragePool2D"},
    {"globalaveragepooling2d", "GlobalAveragePool2D"},
    {"adaptiveavgpool2d", "GlobalAveragePool2D"},
    {"bidirectional", "LSTM", "write LSTM or GRU with direction: Bidirectional"},
    {"relu", "Activation", "write Activation with activation: ReLU"},
    {"sigmoid", "Activation", "write Activation with activation: Sigmoid"},
    {"tanh", "Activation", "write Activation with activation: Tanh"},
    {"gelu", "Activation", "write Activation with activation: GELU"},
    {"silu", "Activation", "write Activation with activation: SiLU"},
    {"swish", "SiLU"},
    {"softmax", "Activation", "leave it out: the loss SoftmaxCrossEntropy takes the softmax itself"},
    {"softmax", "Linear", "leave it out: the loss SoftmaxCrossEntropy takes the softmax itself"},
    {"meansquarederror", "MSE"},
    {"mseloss", "MSE"},
    {"meanabsoluteerror", "MAE"},
    {"l1loss", "MAE"},
    {"huberloss", "Huber"},
    {"categoricalcrossentropy", "SoftmaxCrossEntropy", of_classes},
    {"sparsecategoricalcrossentropy", "SoftmaxCrossEntropy", of_classes},
    {"crossentropyloss", "SoftmaxCrossEntropy", of_classes},
    {"binarycrossentropy", "SigmoidCrossEntropy", of_labels},
    {"bcewithlogitsloss", "SigmoidCrossEntropy"},
};

std::string without_case_and_underscores(std::string_view word) {
  std::string plain;
  for (const char c : word) {
    if (c != '_') plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return plain;
}

}  // namespace

std::string suggestion_for_keras_name(std::string_view word, const std::vector<std::string>& known) {
  const std::string plain = without_case_and_underscores(word);
  const auto is_it = [&](const OtherName& name) {
    return name.theirs == plain && std::ranges::find(known, name.ours) != known.end();
  };
  const auto* found = std::ranges::find_if(other_names, is_it);
  if (found == std::end(other_names)) return "";
  return found->hint.empty() ? "did you mean '" + std::string(found->ours) + "'?" : std::string(found->hint);
}

}  // namespace carrack::control
