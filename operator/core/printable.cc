#include "operator/core/printable.h"

#include <algorithm>

namespace carrack::control {
namespace {

// The maximum length of a text in messages: enough for the last log lines of a process.
constexpr std::size_t bytes_max = 4096;
constexpr std::size_t end_bytes = 1024;  // number of bytes that remain at each end of a longer text

bool begins_character(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
}

// Returns a text of at most `max` bytes unchanged. Returns a longer text as its first `kept` and last `kept` bytes,
// with a remark between them. No UTF-8 character is cut in two.
std::string shortened(std::string text, std::size_t max, std::size_t kept) {
  if (text.size() <= max) return text;
  std::size_t head = kept;
  std::size_t tail = text.size() - kept;
  while (head > 0 && !begins_character(text[head])) --head;
  while (tail < text.size() && !begins_character(text[tail])) ++tail;
  return text.substr(0, head) + " ... " + std::to_string(tail - head) + " bytes left out ... " + text.substr(tail);
}

std::string escaped(std::string_view text, bool is_one_line) {
  std::string result;
  bool after_c2 = false;  // After byte C2, bytes 80 to 9F are control characters, too: U+0080 to U+009F.
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_layout = !is_one_line && (c == '\n' || c == '\t');
    const bool is_control = (byte < ' ' && !is_layout) || byte == 127 || (after_c2 && byte < 0xa0);
    if (is_control) {
      constexpr std::string_view digits = "0123456789abcdef";
      if (after_c2) result.pop_back();
      result += "\\x";
      result += {digits[byte >> 4U], digits[byte & 15U]};
    } else {
      result += c;
    }
    after_c2 = byte == 0xc2;
  }
  return result;
}

}  // namespace

std::string printable(std::string_view text) {
  return shortened(escaped(text, false), bytes_max, end_bytes);
}

std::string printable(std::string_view text, std::size_t max) {
  constexpr std::size_t words_between = 46;  // the maximum length of the remark that shortened() adds
  return shortened(escaped(text, false), max, (max - words_between) / 2);
}

std::string printable_joined(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  std::string joined;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    const std::size_t first = line.find_first_not_of(blanks);
    begin = end + 1;
    if (first == line.npos) continue;
    if (!joined.empty()) joined += " | ";
    joined += line.substr(first, line.find_last_not_of(blanks) + 1 - first);
  }
  return printable(joined);
}

std::string printable_line(std::string_view text) {
  return shortened(escaped(text, true), bytes_max, end_bytes);
}

}  // namespace carrack::control
