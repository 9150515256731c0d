// The result of a decoder: a value, or Corrupt with the reason. It is not an exception because some callers continue
// with another checkpoint.
#pragma once

#include <string>
#include <variant>

namespace carrack::checkpoint {

struct Corrupt {
  std::string text;  // a message for the user
  bool operator==(const Corrupt&) const = default;
};

template <class Value>
using Decoded = std::variant<Value, Corrupt>;

}  // namespace carrack::checkpoint
