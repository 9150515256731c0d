// How enumerators are written in manifests, files and messages. Each enum that is written has a specialization of
// `spellings`, next to its definition or in operator/codec. Include that header: without it, spelled() returns wrong
// text.
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

// Returns "?" for a value without a spelling.
template <class Enum>
constexpr std::string_view spelled(Enum value) {
  for (const auto& spelling : spellings<Enum>) {
    if (spelling.value == value) return spelling.text;
  }
  return "?";
}

}  // namespace carrack::train
