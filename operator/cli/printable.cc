#include "operator/cli/printable.h"

#include <algorithm>
#include <cstdio>

namespace carrack::control {
namespace {

// More than a process's last words and a sentence around them.
constexpr std::size_t most = 4096;
constexpr std::size_t shown = 1024;  // of the beginning, and of the end

bool begins_character(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
}

std::string shortened(std::string_view text) {
  if (text.size() <= most) return std::string(text);
  std::size_t head = shown;
  std::size_t tail = text.size() - shown;
  while (head > 0 && !begins_character(text[head])) --head;
  while (tail < text.size() && !begins_character(text[tail])) ++tail;
  return std::string(text.substr(0, head)) + " ... " + std::to_string(tail - head) + " bytes left out ... " +
         std::string(text.substr(tail));
}

}  // namespace

std::string printable(std::string_view text) {
  std::string safe;
  bool after_c2 = false;  // U+0080 to U+009F are control characters too.
  for (const char c : shortened(text)) {
    const auto byte = static_cast<unsigned char>(c);
    const bool controls = (byte < ' ' && c != '\n' && c != '\t') || byte == 127 || (after_c2 && byte < 0xa0);
    if (controls) {
      char escaped[5];
      std::snprintf(escaped, sizeof escaped, "\\x%02x", byte);
      if (after_c2) safe.pop_back();
      safe += escaped;
    } else {
      safe += c;
    }
    after_c2 = byte == 0xc2;
  }
  return safe;
}

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
