// The distance of two names, for suggesting a name instead of a misspelled one.
#pragma once

#include <cstddef>
#include <string>

namespace carrack::train {

// Returns the least number of insertions, deletions, replacements and swaps of neighbouring bytes that turn one name
// into the other. Ignores the case of ASCII letters. Takes time proportional to the product of the sizes.
std::size_t edit_distance(std::string left, std::string right);

}  // namespace carrack::train
