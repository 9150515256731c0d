// What a decoder gives for bytes that are not what they should be: a text that says what, where and what to do.
// It is a value because callers choose on it: another checkpoint may do where this one cannot.
#pragma once

#include <string>
#include <variant>

namespace carrack::checkpoint {

struct Corrupt {
  std::string text;
  bool operator==(const Corrupt&) const = default;
};

template <class Value>
using Decoded = std::variant<Value, Corrupt>;

}  // namespace carrack::checkpoint
