// Short texts with a checksum: a first line that names kind and version, lines `KEY VALUE...` in a fixed order, and a
// last line with the CRC-32C of everything before it. The encoding is canonical: equal values have equal texts. The
// grammar is in docs/formats/checkpoint.md, "Sealed lines".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trainer/checkpoint/corrupt.h"

namespace carrack::checkpoint {

// Appends the line with the checksum.
std::string seal(std::string text);

// Reads the lines in order. After the first problem all values are empty or zero, so callers need to check problem()
// only at the end. Keeps views into `text`. Messages quote at most 60 characters, with '?' for all but printable ASCII.
class SealedLines {
 public:
  SealedLines(std::string_view text, std::string_view first_line);

  bool next_is(std::string_view key) const;
  // The next line, which must begin with `key`, without it.
  std::string_view rest(std::string_view key);
  // The same, split into `count` words.
  std::vector<std::string_view> words(std::string_view key, std::size_t count);
  std::uint64_t number(std::string_view key);

  std::uint64_t as_number(std::string_view word);
  std::uint32_t as_crc(std::string_view word);
  // Eight hexadecimal digits: the bits of a finite number.
  float as_float(std::string_view word);
  // A name of a file, job or nonce: see is_name().
  std::string as_name(std::string_view word);

  void refuse(const std::string& why);
  bool refused() const { return !problem_.empty(); }
  // Lines that were not read are a problem too. nullopt if there is none.
  std::optional<Corrupt> problem() const;

 private:
  std::string kind_;
  std::vector<std::string_view> lines_;
  std::size_t next_ = 0;
  std::string problem_;
};

// The text of a finite number that as_float() reads.
std::string float_bits(float value);

// The bytes that data::percent_escaped() writes so; nullopt for what it does not write.
std::optional<std::string> unescaped(std::string_view plain, std::string_view others = "");

bool is_printable_ascii(std::string_view text);

// True for one or more letters, digits, '.', '_' and '-', except "." and "..".
bool is_name(std::string_view text);

}  // namespace carrack::checkpoint
