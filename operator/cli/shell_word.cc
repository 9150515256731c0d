#include "operator/cli/shell_word.h"

#include <algorithm>
#include <string_view>

namespace carrack::control {

std::string shell_word(const std::string& word) {
  constexpr std::string_view plain = "-_./:=@%+,";
  const bool is_plain = !word.empty() && std::all_of(word.begin(), word.end(), [&](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           plain.find(static_cast<char>(c)) != plain.npos || c >= 0x80;
  });
  if (is_plain) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace carrack::control
