#include "dataloader/pipeline/rows/row_functions.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "dataloader/error.h"
#include "dataloader/records/example_parser.h"
#include "dataloader/records/frame.h"

namespace carrack::data {
namespace {

Corrupt mismatch_in(const Rows& rows, std::size_t row, Mismatch mismatch, std::size_t size) {
  Corrupt bad = bad_row(rows, row, Fault::bad_example, std::move(mismatch.message));
  bad.offset += mismatch.offset + (rows.origins.empty() ? 0 : frame::header_size);
  bad.lost = size + frame::overhead;
  return bad;
}

// Shared by all threads. The parser is not thread-safe, so each call copies it.
struct ParseOptions {
  std::vector<Feature> features;
  std::string column;
  ExampleParser parser;
};

void parse(const ParseOptions& options, Rows& rows) {
  const auto column = std::ranges::find(rows.columns, options.column, &NamedColumn::name);
  if (column == rows.columns.end()) rows.column(options.column);  // Throws an Error that lists the columns.
  const auto* records = std::get_if<LargeVector<std::string_view>>(&column->values);
  if (records == nullptr || records->size() != rows.count)
    throw Error("parse: column \"" + options.column + "\" holds no record in each row");
  ExampleParser parser = options.parser;
  std::vector<Column> columns = parser.columns(rows.count);
  std::vector<BadRow> bad;
  for (std::size_t row = 0; row < rows.count; ++row) {
    const std::string_view record = (*records)[row];
    auto mismatch = parser.parse(std::as_bytes(std::span(record)), row, columns);
    if (mismatch) bad.push_back({row, mismatch_in(rows, row, *std::move(mismatch), record.size())});
  }
  rows.columns.erase(column);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    // If the last rows could not be parsed, the parser has not written splits for them. Adds these splits, so that each
    // row has a list; drop_bad_rows() removes the bad rows below.
    std::size_t lists = rows.count;
    for (std::vector<std::size_t>& splits : columns[i].splits) {
      splits.resize(lists + 1, splits.back());
      lists = splits.back();
    }
    rows.columns.push_back(named_column(options.features[i], std::move(columns[i])));
  }
  drop_bad_rows(rows, std::move(bad));
  const auto has_strings = [](const NamedColumn& one) {
    return std::holds_alternative<LargeVector<std::string_view>>(one.values);
  };
  // Only strings point into the memory of the records. Without strings, frees it.
  if (std::ranges::none_of(rows.columns, has_strings)) rows.memory.clear();
}

}  // namespace

RowsFunction parse_examples(std::vector<Feature> features, const std::string& column) {
  ExampleParser parser(features);
  const auto options =
      std::make_shared<const ParseOptions>(ParseOptions{std::move(features), column, std::move(parser)});
  return [options](Rows& rows) { parse(*options, rows); };
}

ColumnValues column_values(Values values) {
  return std::visit([](auto& all) { return ColumnValues(std::move(all)); }, values);
}

NamedColumn named_column(const Feature& feature, Column parsed) {
  std::vector<std::size_t> item;
  if (feature.count != 1) item = {feature.count};
  return {feature.name, column_values(std::move(parsed.values)), std::move(item), std::move(parsed.splits)};
}

RowsFunction pad_lists(std::vector<Padding> columns) {
  return [columns = std::move(columns)](Rows& rows) {
    if (columns.empty())
      for (NamedColumn& column : rows.columns) pad(column, {});
    for (const Padding& padding : columns) pad(rows.column(padding.column), padding.value);
  };
}

}  // namespace carrack::data
