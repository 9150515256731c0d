// Short texts with a checksum: a first line with kind and version, lines `KEY VALUE...` in a fixed order, and a last
// line with the CRC-32C of everything before it. The encoding is canonical: equal values have equal texts.
// docs/formats/checkpoint.md, "Sealed lines", has the grammar.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trainer/checkpoint/corrupt.h"

namespace carrack::checkpoint {

// Appends the line with the checksum, and returns the text.
std::string seal(std::string text);

// Reads the lines in order. After the first problem all values are empty or zero, so callers check problem() once, at
// the end. Keeps views into `text`. Messages quote at most 60 characters, with '?' for all but printable ASCII.
class SealedLines {
 public:
  SealedLines(std::string_view text, std::string_view first_line);

  bool next_is(std::string_view key) const;  // True if the next line begins with `key`.
  // Takes the next line, which must begin with `key`, and returns what follows the key.
  std::string_view rest(std::string_view key);
  // Takes the next line like rest(), and splits it at blanks; always returns `count` words.
  std::vector<std::string_view> words(std::string_view key, std::size_t count);
  // Takes the next line, whose value must be a number in decimal.
  std::uint64_t number(std::string_view key);

  // These convert a word of a line. A word that is not of this kind is a problem.
  std::uint64_t as_number(std::string_view word);
  std::uint32_t as_crc(std::string_view word);
  // Eight hexadecimal digits, which are the bits of a finite number.
  float as_float(std::string_view word);
  // A name of a file, job or nonce, for which is_name() is true.
  std::string as_name(std::string_view word);

  void refuse(const std::string& why);  // Records a problem; only the first one counts.
  bool refused() const { return !problem_.empty(); }
  // Returns the first problem, or nullopt. Lines that were not read are a problem, too.
  std::optional<Corrupt> problem() const;

 private:
  std::string kind_;
  std::vector<std::string_view> lines_;
  std::size_t next_ = 0;
  std::string problem_;
};

// The text of a finite number, for as_float().
std::string float_bits(float value);

// The inverse of data::percent_escaped(text, others); nullopt for a text that it never returns.
std::optional<std::string> unescaped(std::string_view plain, std::string_view others = "");

bool is_printable_ascii(std::string_view text);

// True for one or more letters, digits, '.', '_' and '-', except "." and "..".
bool is_name(std::string_view text);

}  // namespace carrack::checkpoint
