// An element that a kernel found in its inputs and cannot compute with, such as an index outside of its table.
#pragma once

#include <cstdint>

namespace carrack::train {

// The caller sets all fields to 0 before the kernel runs. A kernel that finds several such elements reports any one of
// them and skips all of them. Results that depend on them are undefined.
struct Refused {
  std::uint32_t found = 0;   // 1 if an element was refused
  float number = 0;          // the element, if the input has floats
  std::int64_t integer = 0;  // the element, if the input has integers
};

}  // namespace carrack::train
