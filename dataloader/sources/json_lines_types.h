// Infers the types of the members of JSON lines from the first lines of a file, for `carrack data convert` and the
// other commands that read JSON lines without a manifest.
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

// The inferred type of the members with one name, and what a user must know to trust or correct it.
struct JsonType {
  std::string name;
  // bytes for strings, int64 for whole numbers and booleans, float32 if any number is not whole. The values of an array
  // count one by one. Also bytes if no value was found that a feature can have.
  Dtype dtype = Dtype::bytes;
  std::string decided;    // the first value of this type, as messages show it; empty if no value was found
  std::uint64_t row = 0;  // the number of that value's row, from 0; blank lines are not rows
  // The first value that does not fit this type: a string among numbers, a number among strings, or a whole number
  // beyond 64 bits among whole numbers.
  std::optional<Corrupt> conflict = {};
  bool is_mixed = false;  // the member has strings and numbers
  // The first value that no feature can have, in words: "an object", "an array within an array" or "null within an
  // array". Empty if no such value was found.
  std::string unsupported = {};

  // True if the member has only values that no feature can have.
  bool is_left_out() const { return decided.empty() && !unsupported.empty(); }
  bool operator==(const JsonType&) const = default;
};

// Returns one JsonType for each member name in the first `rows_max` lines that are objects, in the order in which the
// names were found; empty if there is no such line. Returns Corrupt only if the file begins as UTF-16. Ignores all
// other damage, which a JsonLinesReader reports. Strings and numbers in `missing` count as null. Throws Error if the
// storage fails.
std::variant<std::vector<JsonType>, Corrupt> types_of_json_lines(const ByteSource& file, std::uint64_t rows_max,
                                                                 const std::vector<std::string>& missing = {});

// Returns the reason for a type, for the user, such as `member "x" is float32: row 17 holds 1.5`, or `member "x" holds
// an object, which no feature can; it is left out`.
std::string text(const JsonType& type);

}  // namespace carrack::data
