// Translates names of layers, losses and activations in Keras and PyTorch to the words of a manifest.
// report_unknown_word() (fields.h) calls it for its error message. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace carrack::control {

// Returns advice for `word`, which is not one of `known`, the words that the manifest allows there: "did you mean
// 'BatchNorm'?" for BatchNormalization, or a sentence such as "write Activation with activation: ReLU". Empty if `word`
// is no such name, or if the word of the manifest for it is not in `known`. Ignores the case and underscores of `word`.
std::string suggestion_for_keras_name(std::string_view word, const std::vector<std::string>& known);

}  // namespace carrack::control
