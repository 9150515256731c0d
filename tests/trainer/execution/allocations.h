// How often this program has allocated memory: linked in, allocations.cc stands in for the operators new and delete.
#pragma once

#include <cstdint>

namespace carrack::train {

std::int64_t allocations();

}  // namespace carrack::train
