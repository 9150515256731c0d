// How enumerators are written in manifests, files and messages. Each enum has a specialization of `spellings` next to
// its definition.
#pragma once

#include <string_view>

namespace carrack::train {

template <class Enum>
struct Spelling {
  Enum value;
  std::string_view text;
};

template <class Enum>
inline constexpr Spelling<Enum> spellings[1] = {};

// "?" for a value that has no spelling.
template <class Enum>
constexpr std::string_view spelled(Enum value) {
  for (const auto& spelling : spellings<Enum>) {
    if (spelling.value == value) return spelling.text;
  }
  return "?";
}

}  // namespace carrack::train
