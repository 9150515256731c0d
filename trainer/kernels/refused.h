// What a kernel of a device found in its inputs that it cannot compute with, such as an index outside of its table.
#pragma once

#include <cstdint>

namespace carrack::train {

// All zeros before a kernel runs. A kernel that finds several such elements writes down one of them, goes on without
// them, and what it computes from them is not specified.
struct Refused {
  std::uint32_t found = 0;   // not 0: there is one
  float number = 0;          // it, if the input has numbers
  std::int64_t integer = 0;  // it, if the input has integers
};

}  // namespace carrack::train
