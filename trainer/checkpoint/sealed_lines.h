// Short texts with a checksum: a first line with kind and version, lines `KEY VALUE...` in a fixed order, and a last
// line with the CRC-32C of everything before it. Equal values have equal texts. docs/formats/checkpoint.md, "Sealed
// lines", has the grammar.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trainer/checkpoint/corrupt.h"

namespace carrack::checkpoint {

// Appends the line with the checksum to `text`, which must end with a line break, and returns the result.
std::string seal(std::string text);

// Reads the lines in order. After the first problem all further lines read as empty or zero, and values that were read
// before must not be used: callers check problem() once, at the end. `text` must outlive this and the views that it
// returns. Messages quote at most 60 characters, with '?' for all but printable ASCII.
class SealedLines {
 public:
  // `first_line` is "KIND VERSION" without a line break. Another first line, or a wrong checksum, is a problem.
  SealedLines(std::string_view text, std::string_view first_line);

  bool next_is(std::string_view key) const;  // True if the next line begins with `key`.
  // Takes the next line, which must begin with `key` and a space, and returns the text after that.
  std::string_view rest(std::string_view key);
  // Takes the next line, and splits what follows the key at single spaces. Always returns `count` words; another number
  // of words is a problem.
  std::vector<std::string_view> words(std::string_view key, std::size_t count);
  // Takes the next line, whose value must be a decimal number.
  std::uint64_t number(std::string_view key);

  // These convert a word of a line. A word that is not of the kind is a problem, and the result is 0 or empty.
  std::uint64_t as_number(std::string_view word);
  // Eight lower-case hexadecimal digits.
  std::uint32_t as_crc(std::string_view word);
  // Eight lower-case hexadecimal digits, which are the bits of a finite number.
  float as_float(std::string_view word);
  // A name of a file, job or nonce: is_name() must be true.
  std::string as_name(std::string_view word);

  void refuse(const std::string& why);  // Records a problem; only the first one counts.
  bool refused() const { return !problem_.empty(); }
  // Returns the first problem; nullopt if there is none. Lines that were not read are a problem, too.
  std::optional<Corrupt> problem() const;

 private:
  std::string kind_;
  std::vector<std::string_view> lines_;
  std::size_t next_ = 0;
  std::string problem_;
};

// Returns the text that as_float() reads. `value` must be finite.
std::string float_bits(float value);

// The inverse of data::percent_escaped(text, others); nullopt if `plain` is no text that it returns.
std::optional<std::string> unescaped(std::string_view plain, std::string_view others = "");

// True for an empty text, too.
bool is_printable_ascii(std::string_view text);

// True for one or more letters, digits, '.', '_' and '-', except "." and "..".
bool is_name(std::string_view text);

}  // namespace carrack::checkpoint
