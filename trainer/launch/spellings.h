// What an enumerator is called in manifests, files and messages: each has a specialization of `spellings`.
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

template <class Enum>
constexpr std::string_view spelled(Enum value) {
  for (const auto& spelling : spellings<Enum>) {
    if (spelling.value == value) return spelling.text;
  }
  return "?";
}

}  // namespace carrack::train
