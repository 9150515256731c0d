#include "dataloader/cli/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <utility>
#include <vector>

namespace carrack::data::cli {
namespace {

unsigned char byte_of(char c) {
  return static_cast<unsigned char>(c);
}

// How many bytes the character in front takes; 0 where it is none. RFC 3629, section 4.
std::size_t character_in(std::string_view bytes) {
  const auto continues = [&](std::size_t at, unsigned from = 0x80, unsigned to = 0xbf) {
    return at < bytes.size() && byte_of(bytes[at]) >= from && byte_of(bytes[at]) <= to;
  };
  const unsigned first = byte_of(bytes[0]);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return continues(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    const unsigned from = first == 0xe0 ? 0xa0 : 0x80, to = first == 0xed ? 0x9f : 0xbf;
    return continues(1, from, to) && continues(2) ? 3 : 0;
  }
  if (first < 0xf0 || first > 0xf4) return 0;
  const unsigned from = first == 0xf0 ? 0x90 : 0x80, to = first == 0xf4 ? 0x8f : 0xbf;
  return continues(1, from, to) && continues(2) && continues(3) ? 4 : 0;
}

// U+0000 to U+001F, U+007F to U+009F.
bool controls(std::string_view character) {
  const unsigned first = byte_of(character[0]);
  return first < ' ' || first == 0x7f || (first == 0xc2 && character.size() == 2 && byte_of(character[1]) < 0xa0);
}

std::string formatted(const char* format, unsigned number) {
  char text[16];
  std::snprintf(text, sizeof text, format, number);
  return text;
}

std::string json_escape(std::string_view character) {
  switch (character[0]) {
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    case '\n':
      return "\\n";
    case '\t':
      return "\\t";
    case '\r':
      return "\\r";
    default:
      return controls(character) ? formatted("\\u%04x", byte_of(character.back())) : std::string(character);
  }
}

// Levenshtein's.
std::size_t distance(std::string_view left, std::string_view right) {
  std::vector<std::size_t> row(right.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 0; i < left.size(); ++i) {
    std::size_t corner = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < right.size(); ++j) {
      const std::size_t changed = corner + (left[i] == right[j] ? 0 : 1);
      corner = std::exchange(row[j + 1], std::min({changed, row[j] + 1, row[j + 1] + 1}));
    }
  }
  return row.back();
}

}  // namespace

std::string counted(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

std::string counted(std::uint64_t number, const std::string& noun) {
  return counted(number) + " " + noun + (number == 1 ? "" : "s");
}

std::string size_text(std::uint64_t bytes) {
  constexpr std::array<const char*, 5> units = {"kB", "MB", "GB", "TB", "PB"};
  if (bytes < 1000) return counted(bytes, "byte");
  auto size = static_cast<double>(bytes) / 1000;
  std::size_t unit = 0;
  for (; size >= 999.95 && unit + 1 < units.size(); ++unit) size /= 1000;
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %s", size, units[unit]);
  return text;
}

std::string short_number(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", number);
  return text;
}

std::string whole_number(std::int64_t number) {
  return number < 0 ? "-" + counted(0 - static_cast<std::uint64_t>(number))
                    : counted(static_cast<std::uint64_t>(number));
}

bool is_utf8(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t size = character_in(bytes);
    if (size == 0) return false;
    bytes.remove_prefix(size);
  }
  return true;
}

bool is_text(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t size = character_in(bytes);
    const bool is_layout = bytes[0] == '\n' || bytes[0] == '\t' || bytes[0] == '\r';
    if (size == 0 || (!is_layout && controls(bytes.substr(0, size)))) return false;
    bytes.remove_prefix(size);
  }
  return true;
}

std::string quoted(std::string_view text) {
  std::string json = "\"";
  while (!text.empty()) {
    const std::size_t size = std::max<std::size_t>(character_in(text), 1);
    json += json_escape(text.substr(0, size));
    text.remove_prefix(size);
  }
  return json + "\"";
}

std::string printable(std::string_view bytes) {
  std::string safe;
  while (!bytes.empty()) {
    const std::size_t size = character_in(bytes);
    const std::string_view character = bytes.substr(0, std::max<std::size_t>(size, 1));
    if (size == 0 || controls(character)) {
      for (const char byte : character) safe += formatted("\\x%02x", byte_of(byte));
    } else {
      safe += character;
    }
    bytes.remove_prefix(character.size());
  }
  return safe;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t here = std::min<std::size_t>(3, bytes.size() - at);
    unsigned group = 0;
    for (std::size_t i = 0; i < 3; ++i) group = group << 8 | (i < here ? byte_of(bytes[at + i]) : 0);
    for (std::size_t i = 0; i < 4; ++i) text += i <= here ? digits[group >> (18 - 6 * i) & 63] : '=';
  }
  return text;
}

std::string json_number(float number) {
  if (std::isnan(number)) return "\"NaN\"";
  if (std::isinf(number)) return number > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  const std::string digits(text.data(), end);
  return digits.find_first_of(".e") == digits.npos ? digits + ".0" : digits;
}

std::string nearest(std::string_view word, std::span<const std::string_view> known) {
  const auto closer = [&](const auto& left, const auto& right) { return distance(word, left) < distance(word, right); };
  const auto best = std::min_element(known.begin(), known.end(), closer);
  if (best != known.end() && distance(word, *best) <= word.size() / 2)
    return "did you mean '" + std::string(*best) + "'?";
  std::string all = "there are";
  for (std::size_t i = 0; i < known.size(); ++i) all += (i == 0 ? " " : ", ") + std::string(known[i]);
  return all;
}

}  // namespace carrack::data::cli
