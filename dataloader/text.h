// Numbers, sizes and bytes as text for messages, reports and JSON. Pure functions; safe from any thread.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

namespace carrack::data {

// 1,234,567
std::string counted(std::uint64_t number);
// "1 record", "1,234 records", "2 batches": the plural adds "es" to a noun that ends in "ch", and "s" to any other.
std::string counted(std::uint64_t number, std::string_view noun);
// "312 bytes", "3.1 kB", "4.2 GB"; a unit is 1,000 of the one before.
std::string format_bytes(std::uint64_t bytes);

// True for well-formed UTF-8 (RFC 3629) of any characters.
bool is_utf8(std::string_view bytes);
// True for UTF-8 whose only control characters are line breaks and tabs.
bool is_text(std::string_view bytes);

// A JSON string with its quotes. `text` should be UTF-8; other bytes are copied.
std::string json_string(std::string_view text);
// Text that is safe on a terminal and in a log: control characters, line breaks and bytes that are not UTF-8 become
// escapes such as \x1b.
std::string printable(std::string_view bytes);
// `printable` in double quotes; of text longer than `bytes_max` only the beginning, followed by `...`.
std::string excerpt(std::string_view bytes, std::size_t bytes_max = 40);
std::string base64(std::string_view bytes);
// Two lower-case hexadecimal digits for each byte.
std::string hexadecimal(std::span<const std::uint8_t> bytes);
// With `%` and two lower-case hexadecimal digits in place of each byte that is not printable ASCII, of `%`, and of
// those in `others`.
std::string percent_escaped(std::string_view bytes, std::string_view others = "");

// The number that all of the text is, as std::from_chars reads it: without blanks and without a plus sign. nullopt for
// other text, and for a number that the type cannot hold.
template <typename Number>
std::optional<Number> number_in(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

// The text without these characters at both ends.
constexpr std::string_view trimmed(std::string_view text, std::string_view blanks = " \t") {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

// The parts with `separator` between them.
template <class Parts>
std::string joined(const Parts& parts, std::string_view separator) {
  std::string text;
  bool is_first = true;
  for (const auto& part : parts) {
    if (!is_first) text += separator;
    is_first = false;
    text += part;
  }
  return text;
}

// "did you mean 'learningRate'?" if one of the known words is close to `word`, else "there are a, b, c".
std::string did_you_mean(std::string_view word, std::span<const std::string_view> known);

// The word as a POSIX shell reads it back; quoted only if it needs to be.
std::string shell_word(std::string_view word);

}  // namespace carrack::data
