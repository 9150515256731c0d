// Infers the types of the columns of a CSV file from its first rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "dataloader/sources/csv_reader.h"

namespace carrack::data {

struct CsvType {
  struct Decided {
    std::uint64_t row = 0;
    std::string text;
    bool operator==(const Decided&) const = default;
  };

  std::string name;
  // int64 if all fields are, else float32 if all are numbers, else bytes. A whole number beyond 64 bits makes the
  // column bytes, as a float would be another number.
  Dtype dtype = Dtype::bytes;
  // The first field that needs this type; nullopt if all are int64, or empty.
  std::optional<Decided> decided = {};
  std::uint64_t empty = 0;  // fields without a value; if there are any, the feature needs a default

  // Why a column is bytes that is numbers but for a few words, as where NA stands for no value.
  struct Words {
    std::vector<std::string> words;  // a few, in the order in which they were found
    std::uint64_t count = 0;         // of all fields that hold one
    std::uint64_t line = 0;          // where the row of the first one begins, counted from 1
    Dtype dtype_of_others = Dtype::int64;
    bool operator==(const Words&) const = default;
  };
  std::optional<Words> words = {};

  bool operator==(const CsvType&) const = default;
};

struct CsvTypes {
  std::uint64_t rows = 0;  // read
  std::vector<CsvType> columns;
};

// The types found in the first `rows_max` rows, or the fault of the first line of the file. Bad rows are ignored;
// reading finds them.
std::variant<CsvTypes, Corrupt> types_of_csv(const ByteSource& file, CsvOptions options, std::uint64_t rows_max);

// `column "x" is float32: row 17 holds "1.5"`, or `column "x" is bytes because of 120 of 5,000 values, as "NA" in line
// 14; --missing NA makes it float32`. The option can be pasted into a shell, whatever the file holds.
std::string text(const CsvType& type, std::uint64_t rows);

}  // namespace carrack::data
