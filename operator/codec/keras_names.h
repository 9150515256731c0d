// What Keras and PyTorch call the words of a manifest, for who knows them from there. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace carrack::control {

// What to write for `word`, which is none of the known words: "did you mean 'BatchNorm'?" for BatchNormalization. Empty
// if it is no name that is known from there, or if none of the known words takes its place. Ignores case and
// underscores.
std::string suggestion_for_keras_name(std::string_view word, const std::vector<std::string>& known);

}  // namespace carrack::control
