// Formats numbers, sizes and untrusted bytes as text for messages, reports and JSON, and parses numbers. Pure
// functions.
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

// counted(1234567) -> "1,234,567"
std::string counted(std::uint64_t number);
// counted(1, "record") -> "1 record", counted(1234, "record") -> "1,234 records", counted(2, "batch") -> "2 batches".
// The plural adds "es" to a noun that ends in "ch", and "s" to any other.
std::string counted(std::uint64_t number, std::string_view noun);
// format_bytes(312) -> "312 bytes", format_bytes(3140) -> "3.1 kB". A kB has 1,000 bytes, a MB 1,000 kB, and so on to
// PB, the largest unit.
std::string format_bytes(std::uint64_t bytes);

// True if `bytes` are well-formed UTF-8 (RFC 3629), even with control characters, or are empty.
bool is_utf8(std::string_view bytes);
// True if `bytes` are UTF-8 and all control characters in them are \n, \r or tabs, or if they are empty.
bool is_text(std::string_view bytes);

// Returns `text` as a JSON string, with its quotes. Bytes that are not UTF-8 are copied, and the result is then not
// valid JSON.
std::string json_string(std::string_view text);
// Makes text of unknown origin safe for a terminal and a log: control characters, line breaks and bytes that are not
// UTF-8 become escapes such as \x1b. A backslash is copied, so the result cannot be converted back.
std::string printable(std::string_view bytes);
// Quotes a text for a message: returns printable(bytes) in double quotes. If there are more than `bytes_max` bytes,
// only the first ones, and `...` within the quotes: excerpt("abcdef", 3) -> `"abc..."`. Does not cut a UTF-8 character
// in two.
std::string excerpt(std::string_view bytes, std::size_t bytes_max = 40);
// Encodes with the alphabet of RFC 4648, section 4, and with padding.
std::string base64(std::string_view bytes);
// Returns two lower-case hexadecimal digits for each byte.
std::string hexadecimal(std::span<const std::uint8_t> bytes);
// Makes a text safe as a part of another text, such that it can be converted back. Replaces each byte by `%` and two
// lower-case hexadecimal digits if it is not printable ASCII, is `%`, or is in `others`: percent_escaped("a b;c", ";")
// -> "a b%3bc". Not for URLs, as a space is printable.
std::string percent_escaped(std::string_view bytes, std::string_view others = "");

// Parses all of the text as a number, as std::from_chars does: blanks and a plus sign are not allowed. Returns nullopt
// for other text, and for a number that does not fit the type.
template <typename Number>
std::optional<Number> number_in(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

// Returns a view of `text` without the characters of `blanks` at both ends.
constexpr std::string_view trimmed(std::string_view text, std::string_view blanks = " \t") {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

// Concatenates the strings in `parts`, with `separator` between them, such as "a, b". Empty if there are none.
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

// Returns the advice of a message about an unknown word: "did you mean 'learningRate'?" if a known word is close to
// `word`, otherwise "there are a, b, c", which lists all known words. A word is close if its edit distance is at most
// half of the bytes of `word`. `known` should not be empty, because the text would then list nothing.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> known);

// Returns `word` as a user can paste it into a POSIX shell, in single quotes only if it needs them: shell_word("a b")
// -> `'a b'`.
std::string shell_word(std::string_view word);

}  // namespace carrack::data
