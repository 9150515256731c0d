#include "dataloader/text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <numeric>
#include <utility>
#include <vector>

namespace carrack::data {
namespace {

unsigned char byte_of(char c) {
  return static_cast<unsigned char>(c);
}

// Returns the size in bytes of the first UTF-8 character; 0 if it is not valid (RFC 3629, section 4). `bytes` is not
// empty.
std::size_t character_size(std::string_view bytes) {
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

// True for U+0000 to U+001F and U+007F to U+009F.
bool is_control(std::string_view character) {
  const unsigned first = byte_of(character[0]);
  return first < ' ' || first == 0x7f || (first == 0xc2 && character.size() == 2 && byte_of(character[1]) < 0xa0);
}

std::string format_unsigned(const char* format, unsigned number) {
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
      return is_control(character) ? format_unsigned("\\u%04x", byte_of(character.back())) : std::string(character);
  }
}

// The Levenshtein distance, in bytes. `row` is one row of the table of distances: row[j] is the distance between the
// part of `left` that was processed and the first j bytes of `right`.
std::size_t edit_distance(std::string_view left, std::string_view right) {
  std::vector<std::size_t> row(right.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 0; i < left.size(); ++i) {
    std::size_t corner = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < right.size(); ++j) {
      const std::size_t replaced = corner + (left[i] == right[j] ? 0 : 1);
      corner = std::exchange(row[j + 1], std::min({replaced, row[j] + 1, row[j + 1] + 1}));
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

std::string counted(std::uint64_t number, std::string_view noun) {
  std::string text = counted(number) + " " + std::string(noun);
  if (number != 1) text += noun.ends_with("ch") ? "es" : "s";
  return text;
}

std::string format_bytes(std::uint64_t bytes) {
  constexpr std::array<const char*, 5> units = {"kB", "MB", "GB", "TB", "PB"};
  if (bytes < 1000) return counted(bytes, "byte");
  auto size = static_cast<double>(bytes) / 1000;
  std::size_t unit = 0;
  for (; size >= 999.95 && unit + 1 < units.size(); ++unit) size /= 1000;
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %s", size, units[unit]);
  return text;
}

bool is_utf8(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t size = character_size(bytes);
    if (size == 0) return false;
    bytes.remove_prefix(size);
  }
  return true;
}

bool is_text(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t size = character_size(bytes);
    const bool is_layout = bytes[0] == '\n' || bytes[0] == '\t' || bytes[0] == '\r';
    if (size == 0 || (!is_layout && is_control(bytes.substr(0, size)))) return false;
    bytes.remove_prefix(size);
  }
  return true;
}

std::string json_string(std::string_view text) {
  std::string json = "\"";
  while (!text.empty()) {
    const std::size_t size = std::max<std::size_t>(character_size(text), 1);
    json += json_escape(text.substr(0, size));
    text.remove_prefix(size);
  }
  return json + "\"";
}

std::string printable(std::string_view bytes) {
  std::string safe;
  while (!bytes.empty()) {
    const std::size_t size = character_size(bytes);
    const std::string_view character = bytes.substr(0, std::max<std::size_t>(size, 1));
    if (size == 0 || is_control(character)) {
      for (const char byte : character) safe += format_unsigned("\\x%02x", byte_of(byte));
    } else {
      safe += character;
    }
    bytes.remove_prefix(character.size());
  }
  return safe;
}

std::string excerpt(std::string_view bytes, std::size_t bytes_max) {
  std::size_t size = std::min(bytes.size(), bytes_max);
  const auto is_within_character = [&] {
    return size > 0 && size < bytes.size() && (byte_of(bytes[size]) & 0xc0) == 0x80;
  };
  for (std::size_t back = 0; back < 3 && is_within_character(); ++back) --size;
  return '"' + printable(bytes.substr(0, size)) + (size < bytes.size() ? "...\"" : "\"");
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

std::string hexadecimal(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : bytes) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> known) {
  const auto is_closer = [&](std::string_view left, std::string_view right) {
    return edit_distance(word, left) < edit_distance(word, right);
  };
  const auto best = std::min_element(known.begin(), known.end(), is_closer);
  if (best != known.end() && edit_distance(word, *best) <= word.size() / 2)
    return "did you mean '" + std::string(*best) + "'?";
  return "there are " + joined(known, ", ");
}

std::string percent_escaped(std::string_view bytes, std::string_view others) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const char one : bytes) {
    if (one >= ' ' && one <= '~' && one != '%' && others.find(one) == others.npos) {
      text += one;
      continue;
    }
    const auto byte = static_cast<unsigned char>(one);
    text += {'%', digits[byte / 16], digits[byte % 16]};
  }
  return text;
}

std::string shell_word(std::string_view word) {
  constexpr std::string_view plain = "-_./:=@%+,";
  const bool is_plain = !word.empty() && std::ranges::all_of(word, [&](unsigned char c) {
    return std::isalnum(c) || plain.find(static_cast<char>(c)) != plain.npos || c >= 0x80;
  });
  if (is_plain) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace carrack::data
