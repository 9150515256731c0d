#include "dataloader/sources/csv_types.h"

#include <algorithm>
#include <utility>

#include "dataloader/records/example_problems.h"
#include "dataloader/sources/csv_texts.h"
#include "dataloader/sources/number_text.h"
#include "dataloader/text.h"

namespace carrack::data {
namespace {

Dtype narrowest(std::string_view field) {
  if (int_in(field)) return Dtype::int64;
  return float_in(field) && !is_whole_number(field) ? Dtype::float32 : Dtype::bytes;
}

// Takes a field into account. A column begins as int64.
void see(std::string_view field, std::uint64_t row, CsvType& type) {
  if (field.empty()) {
    ++type.empty;
    return;
  }
  if (type.dtype == Dtype::bytes) return;
  const Dtype dtype = narrowest(field);
  if (dtype == Dtype::int64 || dtype == type.dtype) return;
  type.dtype = dtype;
  type.decided = {row, std::string(field)};
}

}  // namespace

std::variant<CsvTypes, Corrupt> types_of_csv(const ByteSource& file, CsvOptions options, std::uint64_t rows_max) {
  auto names = csv_columns(file, options);
  if (Corrupt* corrupt = std::get_if<Corrupt>(&names)) return std::move(*corrupt);
  CsvTypes types;
  std::vector<Feature> features;
  for (const std::string& name : std::get<std::vector<std::string>>(names)) {
    types.columns.push_back({name, Dtype::int64});
    features.push_back({.name = name, .dtype = Dtype::bytes, .default_values = LargeVector<std::string_view>{""}});
  }
  CsvReader reader(file, std::move(features), std::move(options));
  while (types.rows < rows_max) {
    const auto next = reader.next(std::min<std::uint64_t>(rows_max - types.rows, 1024));
    if (std::holds_alternative<EndOfFile>(next)) break;
    const TextRows* rows = std::get_if<TextRows>(&next);
    if (rows == nullptr) continue;
    for (std::size_t i = 0; i < rows->columns.size(); ++i) {
      const auto& fields = std::get<LargeVector<std::string_view>>(rows->columns[i].values);
      for (std::size_t row = 0; row < rows->count; ++row) see(fields[row], rows->first + row, types.columns[i]);
    }
    types.rows += rows->count;
  }
  for (CsvType& type : types.columns)
    if (type.empty == types.rows) type.dtype = Dtype::bytes;
  return types;
}

std::string text(const CsvType& type, std::uint64_t rows) {
  const std::string subject = "column " + excerpt(type.name) + " is " + name_of(type.dtype) + ": ";
  if (type.decided)
    return subject + "row " + std::to_string(type.decided->row) + " holds " + excerpt(type.decided->text);
  if (rows == 0) return subject + "there are no rows that tell";
  const std::string first = "in the first " + (rows == 1 ? "row" : counted(rows, "row"));
  if (type.empty == rows) return subject + "it is empty " + first;
  return subject + (rows == 1 ? "so is the value " : "so are all values ") + first;
}

}  // namespace carrack::data
