#include "trainer/checkpoint/sealed_lines.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <span>

#include "dataloader/crc32c.h"
#include "dataloader/text.h"

namespace carrack::checkpoint {
namespace {

constexpr std::string_view seal_key = "crc32c ";
constexpr std::size_t seal_size = seal_key.size() + 8 + 1;  // with 8 digits and a line break

std::string seal_of(std::string_view text) {
  return std::string(seal_key) + data::crc32c_hex(data::crc32c(std::as_bytes(std::span(text)))) + "\n";
}

// Returns the beginning of the text in quotes, for a message, with '?' for characters that cannot be printed.
std::string quoted(std::string_view text) {
  std::string shown(text.substr(0, 60));
  std::replace_if(
      shown.begin(), shown.end(), [](char one) { return one < ' ' || one > '~'; }, '?');
  return "'" + shown + "'";
}

// Returns nullopt for any word but eight lower-case hexadecimal digits.
std::optional<std::uint32_t> hexadecimal(std::string_view word) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, 16);
  if (error != std::errc() || data::crc32c_hex(value) != word) return std::nullopt;
  return value;
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> pieces;
  for (std::size_t end = text.find(at); end != text.npos; end = text.find(at)) {
    pieces.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  pieces.push_back(text);
  return pieces;
}

}  // namespace

std::string seal(std::string text) {
  text += seal_of(text);
  return text;
}

SealedLines::SealedLines(std::string_view text, std::string_view first_line)
    : kind_(first_line.substr(0, first_line.rfind(' '))) {
  if (!text.starts_with(first_line) || text.substr(first_line.size(), 1) != "\n") {
    refuse("starts with " + quoted(text.substr(0, text.find('\n'))) + ", not " + quoted(first_line));
  } else if (text.size() < seal_size ||
             text.substr(text.size() - seal_size) != seal_of(text.substr(0, text.size() - seal_size))) {
    refuse("does not end with the checksum of its content; it is cut off or damaged");
  } else {
    text.remove_suffix(seal_size);
    lines_ = split(text, '\n');
    if (!lines_.back().empty()) refuse("has no line break before its checksum");
    lines_.pop_back();
    next_ = 1;
  }
}

bool SealedLines::next_is(std::string_view key) const {
  return problem_.empty() && next_ < lines_.size() && lines_[next_].substr(0, lines_[next_].find(' ')) == key;
}

std::string_view SealedLines::rest(std::string_view key) {
  if (!next_is(key) || lines_[next_].size() == key.size()) {
    refuse(next_ < lines_.size() ? "has " + quoted(lines_[next_]) + " where '" + std::string(key) + " ...' belongs"
                                 : "ends before '" + std::string(key) + "'");
    return {};
  }
  return lines_[next_++].substr(key.size() + 1);
}

std::vector<std::string_view> SealedLines::words(std::string_view key, std::size_t count) {
  std::vector<std::string_view> found = split(rest(key), ' ');
  if (found.size() != count) {
    refuse("has " + std::to_string(found.size()) + " values for '" + std::string(key) + "', not " +
           std::to_string(count));
    found.assign(count, {});
  }
  return found;
}

std::uint64_t SealedLines::number(std::string_view key) {
  return as_number(rest(key));
}

std::uint64_t SealedLines::as_number(std::string_view word) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error == std::errc() && std::to_string(value) == word) return value;
  refuse("has " + quoted(word) + " for a number");
  return 0;
}

std::uint32_t SealedLines::as_crc(std::string_view word) {
  const std::optional<std::uint32_t> value = hexadecimal(word);
  if (!value) refuse("has " + quoted(word) + " for a CRC of eight hexadecimal digits");
  return value.value_or(0);
}

float SealedLines::as_float(std::string_view word) {
  const std::optional<std::uint32_t> bits = hexadecimal(word);
  if (bits && std::isfinite(std::bit_cast<float>(*bits))) return std::bit_cast<float>(*bits);
  refuse("has " + quoted(word) + " for the eight hexadecimal digits of a finite number");
  return 0;
}

std::string SealedLines::as_name(std::string_view word) {
  if (is_name(word)) return std::string(word);
  refuse("has " + quoted(word) + " for a name of letters, digits, '.', '_' and '-'");
  return {};
}

void SealedLines::refuse(const std::string& why) {
  if (problem_.empty()) problem_ = kind_ + ": " + why;
}

std::optional<Corrupt> SealedLines::problem() const {
  if (!problem_.empty()) return Corrupt{problem_};
  if (next_ < lines_.size()) return Corrupt{kind_ + ": has " + quoted(lines_[next_]) + " after its end"};
  return std::nullopt;
}

std::string float_bits(float value) {
  return data::crc32c_hex(std::bit_cast<std::uint32_t>(value));
}

std::optional<std::string> unescaped(std::string_view plain, std::string_view others) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    if (plain[i] != '%') {
      text += plain[i];
      continue;
    }
    if (plain.size() - i < 3) return std::nullopt;
    const std::size_t high = digits.find(plain[i + 1]), low = digits.find(plain[i + 2]);
    if (high == digits.npos || low == digits.npos) return std::nullopt;
    text += static_cast<char>(high * 16 + low);
    i += 2;
  }
  if (data::percent_escaped(text, others) != plain) return std::nullopt;
  return text;
}

bool is_printable_ascii(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char one) { return one < ' ' || one > '~'; });
}

bool is_name(std::string_view text) {
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  return !text.empty() && text != "." && text != ".." && text.find_first_not_of(allowed) == text.npos;
}

}  // namespace carrack::checkpoint
