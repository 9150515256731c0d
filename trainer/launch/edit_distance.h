// How near two names are, for suggestions of the one that was meant.
#pragma once

#include <cstddef>
#include <string>

namespace carrack::train {

// Insertions, deletions, replaced characters and swapped neighbours between the two, in any case.
std::size_t edit_distance(std::string left, std::string right);

}  // namespace carrack::train
