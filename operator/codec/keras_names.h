// Translates names of Keras and PyTorch to the words of a manifest, for error messages. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace carrack::control {

// Returns advice for `word`, which is not in `known`: "did you mean 'BatchNorm'?" for BatchNormalization. Empty if
// `word` is no such name, or if the word that it stands for is not in `known`. Ignores case and underscores.
std::string suggestion_for_keras_name(std::string_view word, const std::vector<std::string>& known);

}  // namespace carrack::control
