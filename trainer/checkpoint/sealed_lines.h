// Short texts that are either whole or refused: a first line that names kind and version, lines `KEY VALUE...` in a
// fixed order, and a last line with the CRC-32C of all before it. A value has one spelling, so equal texts and equal
// values are the same thing. docs/formats/checkpoint.md, "Sealed lines", has the grammar.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trainer/checkpoint/corrupt.h"

namespace carrack::checkpoint {

// Appends the last line.
std::string seal(std::string text);

// Takes lines in order. The first problem stays, all later values are empty or zero, and `problem` tells it at the end.
class SealedLines {
 public:
  SealedLines(std::string_view text, std::string_view first_line);

  bool next_is(std::string_view key) const;
  std::string_view rest(std::string_view key);  // All after the key.
  std::vector<std::string_view> words(std::string_view key, std::size_t count);
  std::uint64_t number(std::string_view key);

  std::uint64_t as_number(std::string_view word);
  std::uint32_t as_crc(std::string_view word);
  // Letters, digits, '.', '_' and '-', and not a folder: what files, jobs and nonces are called.
  std::string as_name(std::string_view word);

  void refuse(const std::string& why);
  bool refused() const { return !problem_.empty(); }
  // Also when lines are left.
  std::optional<Corrupt> problem() const;

 private:
  std::string kind_;
  std::vector<std::string_view> lines_;
  std::size_t next_ = 0;
  std::string problem_;
};

bool is_name(std::string_view text);

}  // namespace carrack::checkpoint
