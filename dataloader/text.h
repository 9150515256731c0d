// Numbers, sizes and bytes as text for messages, reports and JSON. Pure functions.
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

// "1,234,567"
std::string counted(std::uint64_t number);
// "1 record", "1,234 records", "2 batches": the plural adds "es" to a noun that ends in "ch", and "s" to any other.
std::string counted(std::uint64_t number, std::string_view noun);
// "312 bytes", "3.1 kB", "4.2 GB". A kB has 1,000 bytes, a MB 1,000 kB, and so on to PB, the largest unit.
std::string format_bytes(std::uint64_t bytes);

// True if `bytes` are well-formed UTF-8 (RFC 3629), even with control characters, or are empty.
bool is_utf8(std::string_view bytes);
// True if `bytes` are UTF-8 and all control characters in them are \n, \r or tabs. True for no bytes.
bool is_text(std::string_view bytes);

// Returns `text` as a JSON string, with its quotes. Bytes that are not UTF-8 are copied, and the result is then not
// valid JSON.
std::string json_string(std::string_view text);
// Makes text safe for a terminal and a log: control characters, line breaks and bytes that are not UTF-8 become escapes
// such as \x1b. A backslash is copied, so the result cannot be converted back.
std::string printable(std::string_view bytes);
// Returns printable(bytes) in double quotes. If there are more than `bytes_max` bytes, returns only the first ones,
// followed by `...` within the quotes; it does not cut a UTF-8 character in two.
std::string excerpt(std::string_view bytes, std::size_t bytes_max = 40);
// Encodes with the alphabet of RFC 4648, section 4, and with padding.
std::string base64(std::string_view bytes);
// Returns two lower-case hexadecimal digits for each byte.
std::string hexadecimal(std::span<const std::uint8_t> bytes);
// Replaces each byte by `%` and two lower-case hexadecimal digits if it is not printable ASCII, is `%`, or is in
// `others`. A space is printable.
std::string percent_escaped(std::string_view bytes, std::string_view others = "");

// Parses all of the text as a number, as std::from_chars does: blanks and a plus sign are not allowed. Returns nullopt
// for other text, and for a number that does not fit the type.
template <typename Number>
std::optional<Number> number_in(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

// Returns the text without the characters of `blanks` at both ends. The result points into `text`.
constexpr std::string_view trimmed(std::string_view text, std::string_view blanks = " \t") {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

// Concatenates the parts, with `separator` between them.
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

// Returns "did you mean 'learningRate'?" if a known word is close to `word`, otherwise "there are a, b, c", which lists
// all known words. A word is close if at most half as many bytes must change as `word` has. `known` should not be
// empty, because the text would then list nothing.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> known);

// Returns `word` so that a POSIX shell reads it as this one word, in quotes only if it needs them.
std::string shell_word(std::string_view word);

}  // namespace carrack::data
