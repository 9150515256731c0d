// Reads and writes the text format that the small files of a checkpoint folder share (HEAD, BEST, STATISTICS,
// manifests; TAKEOVER, which is only written):
//   carrack best 1
//   manifest checkpoint-1200-1-3-7.manifest 89abcdef
//   loss 0.25
//   crc32c 01234567
// The first line has kind and version. Lines `KEY VALUE...` follow in a fixed order. The last line, the seal, has the
// CRC-32C of everything before it. Equal values have equal texts. docs/formats/checkpoint.md, "Sealed lines", has the
// grammar.
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

// Reads the lines in order. Nothing throws: after the first problem all further lines read as empty or zero. Callers
// check problem() once, at the end, and if there is one they use none of the values. `text` must outlive this and the
// views that it returns. Messages quote at most 60 characters, with '?' for all but printable ASCII.
class SealedLines {
 public:
  // `first_line` is "KIND VERSION" without a line break. Another first line, or a wrong checksum, is a problem.
  SealedLines(std::string_view text, std::string_view first_line);

  // True if the first word of the next line is `key`. Does not read the line.
  bool next_is(std::string_view key) const;
  // rest(), words() and number() read the next line, which must begin with `key` and a space. Another line is a
  // problem.

  // Returns the text after the space.
  std::string_view rest(std::string_view key);
  // Splits the text after the space at single spaces. Always returns `count` words, so indexing is safe; another number
  // of words is a problem.
  std::vector<std::string_view> words(std::string_view key, std::size_t count);
  // Returns the text after the space as a decimal number.
  std::uint64_t number(std::string_view key);

  // These convert a word of a line. A word in any other form is a problem, and the result is 0 or empty.

  // A decimal number without sign or leading zeros.
  std::uint64_t as_number(std::string_view word);
  // Eight lower-case hexadecimal digits.
  std::uint32_t as_crc(std::string_view word);
  // Eight lower-case hexadecimal digits, which are the bits of a finite number.
  float as_float(std::string_view word);
  // A name of a file, job or nonce: is_name() must be true.
  std::string as_name(std::string_view word);

  // Records a problem that the caller has found; only the first one counts. `why` continues a sentence that begins with
  // the kind: "has no shards".
  void refuse(const std::string& why);
  // True if there was a problem so far.
  bool refused() const { return !problem_.empty(); }
  // Call it after the last line. Returns the first problem; nullopt if there is none. Lines that were not read are a
  // problem, too.
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

// True if all characters are from ' ' to '~'; also for an empty text.
bool is_printable_ascii(std::string_view text);

// True for one or more letters, digits, '.', '_' and '-', except "." and "..".
bool is_name(std::string_view text);

}  // namespace carrack::checkpoint
