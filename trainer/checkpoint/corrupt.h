// Decoded is the result of the decoders of checkpoint files: the value, or Corrupt if the bytes are damaged or are not
// of that format. It is not an exception because only the callers know the file, and whether the user or a bug is to
// blame.
#pragma once

#include <string>
#include <variant>

namespace carrack::checkpoint {

struct Corrupt {
  std::string text;  // says what is wrong, for the user
  bool operator==(const Corrupt&) const = default;
};

template <class Value>
using Decoded = std::variant<Value, Corrupt>;

}  // namespace carrack::checkpoint
