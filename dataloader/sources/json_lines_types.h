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
  // bytes for strings, int64 for whole numbers and booleans, float32 if any number is not whole; also bytes if only
  // null and empty arrays were seen.
  Dtype dtype = Dtype::bytes;
  std::string decided;    // the value that decided the type; empty if there was none
  std::uint64_t row = 0;  // the line of that value
  // The first value that this type cannot hold: a string among numbers, a number among strings, or a whole number
  // beyond 64 bits among whole numbers.
  std::optional<Corrupt> conflict = {};
  bool is_mixed = false;  // the conflict is one of strings and numbers
  // The first value that no feature can hold: "an object". Empty if there was none.
  std::string unheld = {};

  // True if the member has only values that no feature can hold.
  bool is_left_out() const { return decided.empty() && !unheld.empty(); }
  bool operator==(const JsonType&) const = default;
};

// The types found in the first `rows_max` lines that are objects, in the order of the members; or a fault of the file.
// Lines that are not objects are ignored; reading finds them. Strings and numbers of `missing` count as null.
std::variant<std::vector<JsonType>, Corrupt> types_of_json_lines(const ByteSource& file, std::uint64_t rows_max,
                                                                 const std::vector<std::string>& missing = {});

// `member "x" is float: row 17 holds 1.5`, or `member "x" holds an object, which no feature can; it is left out`.
std::string text(const JsonType& type);

}  // namespace carrack::data
