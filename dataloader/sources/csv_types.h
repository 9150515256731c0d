// Infers the types of the columns of a CSV file from its first rows, for `carrack data convert` and the other commands
// that read CSV without a manifest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "dataloader/sources/csv_reader.h"

namespace carrack::data {

// The inferred type of one column, and what a user must know to trust or correct it.
struct CsvType {
  // The field because of which a column is not int64.
  struct Decided {
    std::uint64_t row = 0;  // the number of the field's row, from 0
    std::string text;       // the text of the field
    bool operator==(const Decided&) const = default;
  };

  std::string name;
  // int64 if all fields are whole numbers, else float32 if all are numbers, else bytes. A whole number beyond 64 bits
  // makes the column bytes, as a float would be another number. Fields without a value do not count; if no field has a
  // value, the type is bytes.
  Dtype dtype = Dtype::bytes;
  // The first field that needs this type; nullopt if all fields are int64 or without a value.
  std::optional<Decided> decided = {};
  std::uint64_t empty = 0;  // the number of fields without a value; if not 0, the feature needs a default

  // At most three different words, such as NA, in a column of bytes that has only numbers besides. They probably mean a
  // missing value.
  struct Words {
    std::vector<std::string> words;        // in the order in which they were found
    std::uint64_t count = 0;               // the number of fields with one of the words
    std::uint64_t line = 0;                // the line where the row of the first such field begins, from 1
    Dtype dtype_of_others = Dtype::int64;  // the type of the column without these fields
    bool operator==(const Words&) const = default;
  };
  // Set if all fields with a value are numbers or such words, and less than half of them are words. text() then
  // suggests the option --missing, if their characters are printable.
  std::optional<Words> words = {};

  bool operator==(const CsvType&) const = default;
};

struct CsvTypes {
  std::uint64_t rows = 0;  // the number of rows that were read
  std::vector<CsvType> columns;
};

// Returns the types found in the first `rows_max` good rows, in the order of the columns. Returns Corrupt only if the
// names of the columns cannot be read or one occurs twice. Ignores bad rows, which a CsvReader reports. Fields that are
// options.missing count as fields without a value. Throws Error if the storage fails.
std::variant<CsvTypes, Corrupt> types_of_csv(const ByteSource& file, CsvOptions options, std::uint64_t rows_max);

// Returns the reason for a type, for the user, such as `column "x" is float32: row 17 holds "1.5"`, or `column "x" is
// bytes because of 120 of 5,000 values, as "NA" in line 14; --missing NA makes it float32`. `rows` is CsvTypes::rows.
// The option is quoted for a shell.
std::string text(const CsvType& type, std::uint64_t rows);

}  // namespace carrack::data
