// What a reader of rows says about a file, as lines that a test compares whole.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "dataloader/sources/row_reader.h"
#include "tests/dataloader/records/files.h"
#include "tests/dataloader/records/memory_source.h"

namespace carrack::data {

using Lines = std::vector<std::string>;

inline Bytes file_with(std::string_view text) {
  const auto bytes = wire::bytes_of(text);
  return {bytes.begin(), bytes.end()};
}

inline std::string printed(std::string_view value) {
  return "'" + std::string(value) + "'";
}
inline std::string printed(float value) {
  std::string text = std::to_string(value);
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  return text.back() == '.' ? text + "0" : text;
}
inline std::string printed(std::int64_t value) {
  return std::to_string(value);
}

// The values of a row in each column, and of a list in brackets.
inline std::string printed(const Column& column, std::size_t row, std::size_t rows) {
  const auto values_of = [&](const auto& values) {
    const bool is_list = !column.splits.empty();
    const std::size_t items = is_list ? column.splits[0].back() : rows;
    const std::size_t count = items == 0 ? 0 : values.size() / items;
    const std::size_t begin = (is_list ? column.splits[0][row] : row) * count;
    const std::size_t end = (is_list ? column.splits[0][row + 1] : row + 1) * count;
    std::string line = is_list ? "[" : "";
    for (std::size_t i = begin; i < end; ++i) line += (i > begin ? " " : "") + printed(values[i]);
    return line + (is_list ? "]" : "");
  };
  return std::visit(values_of, column.values);
}

// A line a row, `NUMBER: VALUE | VALUE`, or fault.
inline Lines read_all(RowReader& reader, std::size_t most = 1000) {
  Lines lines;
  for (;;) {
    const auto next = reader.next(most);
    if (std::holds_alternative<EndOfFile>(next)) return lines;
    if (const Corrupt* corrupt = std::get_if<Corrupt>(&next)) {
      lines.push_back(text(*corrupt) + "; lost " + std::to_string(corrupt->lost));
      continue;
    }
    const TextRows& rows = std::get<TextRows>(next);
    for (std::size_t row = 0; row < rows.count; ++row) {
      std::string& line = lines.emplace_back(std::to_string(rows.first + row) + ":");
      for (const Column& column : rows.columns)
        line += (&column == rows.columns.data() ? " " : " | ") + printed(column, row, rows.count);
    }
  }
}

}  // namespace carrack::data
