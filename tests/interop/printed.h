// How our sides of comparisons print bytes.
#pragma once

#include <string>
#include <string_view>

namespace carrack::data {

// An x, then two hexadecimal digits for each byte.
inline std::string printed(std::string_view value) {
  std::string digits = "x";
  for (const char byte : value) {
    digits += "0123456789abcdef"[(byte >> 4) & 15];
    digits += "0123456789abcdef"[byte & 15];
  }
  return digits;
}

}  // namespace carrack::data
