// How a kernel reports an input element that it cannot compute with, such as an index outside of its table. A kernel of
// a GPU cannot throw, so kernels of all devices write a Refused; the executor reads it afterwards and throws Error with
// Blame::user.
#pragma once

#include <cstdint>

namespace carrack::train {

// The caller sets all fields to 0 before the kernel runs. A kernel that finds several such elements reports only one of
// them, any one. Results that depend on them are undefined.
struct Refused {
  std::uint32_t found = 0;   // 1 if an element was refused, else 0
  float number = 0;          // the element, if the input has floats
  std::int64_t integer = 0;  // the element, if the input has integers
};

}  // namespace carrack::train
