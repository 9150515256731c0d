// MissingValues: the texts that mean "no value here" in a CSV or JSON lines file, such as NA or -999, as the user has
// named them. A text that is a number means this number in any spelling: -999 also means -999.0 and -9.99e2.
//   CSV column of strings: has_text(field)
//   CSV column of numbers: has_text(field) || has_number(field)
//   JSON: take(scanner)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dataloader/sources/json_scanner.h"

namespace carrack::data {

class MissingValues {
 public:
  MissingValues() = default;
  explicit MissingValues(const std::vector<std::string>& texts);

  // True if there is no such text.
  bool is_empty() const { return texts_.empty(); }
  // True if `text` is exactly one of the texts.
  bool has_text(std::string_view text) const;
  // True if `text` is a number, and one of the texts is the same number. False for NaN and infinities, which has_text()
  // compares.
  bool has_number(std::string_view text) const;
  // If null comes next, or a string or a number that means a missing value, consumes it and returns true. Otherwise
  // returns false and consumes only white space. A string is recognized only with the escapes that json_words() writes,
  // and NaN and Infinity never.
  bool take(JsonScanner& json) const;

 private:
  struct Number {
    std::optional<std::int64_t> whole;  // set for a whole number of at most 64 bits
    double value = 0;
  };
  static std::optional<Number> number_in(std::string_view text);
  static bool is_same(const Number& one, const Number& other);

  std::vector<std::string> texts_;
  std::vector<std::string> json_words_;
  std::vector<Number> numbers_;
};

}  // namespace carrack::data
