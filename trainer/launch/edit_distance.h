// The distance of two names, for suggesting the name that a misspelled one may stand for.
#pragma once

#include <cstddef>
#include <string>

namespace carrack::train {

// Returns the smallest number of insertions, deletions, replacements and swaps of neighbouring bytes that turn one name
// into the other, if bytes that were swapped are not changed again. Ignores the case of ASCII letters. Takes time
// proportional to the product of the sizes.
std::size_t edit_distance(std::string left, std::string right);

}  // namespace carrack::train
