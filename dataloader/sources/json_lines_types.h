// Infers the types of the members of JSON lines from the first lines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "dataloader/records/byte_source.h"
#include "dataloader/records/corrupt.h"
#include "dataloader/records/example.h"

namespace carrack::data {

struct JsonType {
  std::string name;
  // bytes for strings, int64 for whole numbers and booleans, float32 if any number is not whole. Also bytes if no value
  // was found that a feature can have.
  Dtype dtype = Dtype::bytes;
  std::string decided;    // the value that decided the type, as messages show it; empty if no value was found
  std::uint64_t row = 0;  // the number of that value's row, from 0; blank lines are not rows
  // The first value that does not fit this type: a string among numbers, a number among strings, or a whole number
  // beyond 64 bits among whole numbers.
  std::optional<Corrupt> conflict = {};
  bool is_mixed = false;  // the member has strings and numbers
  // Words for the first value that no feature can have, such as "an object"; empty if no such value was found.
  std::string unheld = {};

  // True if the member has only values that no feature can have.
  bool is_left_out() const { return decided.empty() && !unheld.empty(); }
  bool operator==(const JsonType&) const = default;
};

// Returns the types found in the first `rows_max` lines that are objects, in the order in which the members were found,
// or a fault at the beginning of the file. Ignores other lines and later faults, which a JsonLinesReader reports.
// Strings and numbers in `missing` count as null. Throws Error if the storage fails.
std::variant<std::vector<JsonType>, Corrupt> types_of_json_lines(const ByteSource& file, std::uint64_t rows_max,
                                                                 const std::vector<std::string>& missing = {});

// Returns a message, such as `member "x" is float32: row 17 holds 1.5`, or `member "x" holds an object, which no
// feature can; it is left out`.
std::string text(const JsonType& type);

}  // namespace carrack::data
