// How near two names are, for suggestions of the one that was meant.
#pragma once

#include <cstddef>
#include <string>

namespace carrack::train {

// The least number of insertions, deletions, replacements and swaps of neighbouring bytes that turn one into the other.
// Ignores the case of ASCII letters.
std::size_t edit_distance(std::string left, std::string right);

}  // namespace carrack::train
