// The texts that stand for no value in a table. One that is a number stands for this number however it is spelled, as
// -999 does for -999.0 and -9.99e2; but in columns of texts of CSV only as it is spelled itself.
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

  bool is_empty() const { return texts_.empty(); }
  // True if the text is one of them.
  bool has_text(std::string_view text) const;
  // True if the text is a number, and one of them is the same number. NaN and infinities are compared as texts only.
  bool has_number(std::string_view text) const;
  // Consumes null, or a string or a number that stands for no value; false if another value comes next. A string is
  // compared as it is spelled: with other escapes it is another one.
  bool take(JsonScanner& json) const;

 private:
  struct Number {
    std::optional<std::int64_t> whole;  // if 64 bits hold it
    double value = 0;
  };
  static std::optional<Number> number_in(std::string_view text);
  static bool is_same(const Number& one, const Number& other);

  std::vector<std::string> texts_;
  std::vector<std::string> json_words_;
  std::vector<Number> numbers_;
};

}  // namespace carrack::data
