// What the columns of a CSV file hold, judged by its first rows, and which of them decided.
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
  // int64 where all fields are, else float32 where all are numbers, else bytes. An int64 that has no room for a whole
  // number makes bytes: a float would say another.
  Dtype dtype = Dtype::bytes;
  // The first field that is nothing narrower; none where all are int64, or empty.
  std::optional<Decided> decided = {};
  std::uint64_t empty = 0;  // fields; a feature of them needs a default

  bool operator==(const CsvType&) const = default;
};

struct CsvTypes {
  std::uint64_t rows = 0;  // that were looked at
  std::vector<CsvType> columns;
};

// Of the first `most` rows. What is none is left to whoever reads it; or what is wrong with the file's first line.
std::variant<CsvTypes, Corrupt> types_of_csv(const ByteSource& file, CsvOptions options, std::uint64_t most);

// `column "x" is float: row 17 holds "1.5"`.
std::string text(const CsvType& type, std::uint64_t rows);

}  // namespace carrack::data
