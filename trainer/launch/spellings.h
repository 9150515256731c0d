// How enumerators are written in manifests, files and messages: spelled(Role::ps) -> "ps". Each such enum has a
// specialization of the table `spellings`, next to its definition or in operator/codec. Parsers use the same table.
// Include the header with the specialization. Without it the code compiles, but spelled() returns wrong text.
#pragma once

#include <string_view>

namespace carrack::train {

template <class Enum>
struct Spelling {
  Enum value;
  std::string_view text;
};

// The table of an enum. This one is only for enums without a specialization.
template <class Enum>
inline constexpr Spelling<Enum> spellings[1] = {};

// Returns the text of `value`, which lives as long as the process; "?" if the table does not have the value.
template <class Enum>
constexpr std::string_view spelled(Enum value) {
  for (const auto& spelling : spellings<Enum>) {
    if (spelling.value == value) return spelling.text;
  }
  return "?";
}

}  // namespace carrack::train
