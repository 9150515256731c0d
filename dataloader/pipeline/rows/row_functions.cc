#include "dataloader/pipeline/rows/row_functions.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "dataloader/error.h"
#include "dataloader/records/example_parser.h"
#include "dataloader/records/frame.h"

namespace carrack::data {
namespace {

ColumnValues moved(Values values) {
  return std::visit([](auto& all) { return ColumnValues(std::move(all)); }, values);
}

Corrupt mismatch_in(const Rows& rows, std::size_t row, Mismatch mismatch, std::size_t size) {
  Corrupt bad = bad_row(rows, row, Fault::bad_example, std::move(mismatch.message));
  bad.offset += mismatch.offset + (rows.origins.empty() ? 0 : frame::header_size);
  bad.lost = size + frame::overhead;
  return bad;
}

// What a parser is made of, shared by all threads, each of which has its own.
struct Asked {
  std::vector<Feature> features;
  ExampleParser parser;
};

void parse(const Asked& asked, const std::string& from, Rows& rows) {
  const auto column = std::ranges::find(rows.columns, from, &NamedColumn::name);
  if (column == rows.columns.end()) rows.column(from);  // Throws, with the names there are.
  const auto* records = std::get_if<LargeVector<std::string_view>>(&column->values);
  if (records == nullptr || records->size() != rows.count)
    throw Error("parse: column \"" + from + "\" holds no record in each row");
  ExampleParser parser = asked.parser;
  std::vector<Column> columns = parser.columns(rows.count);
  std::vector<BadRow> bad;
  for (std::size_t row = 0; row < rows.count; ++row) {
    const std::string_view record = (*records)[row];
    auto mismatch = parser.parse(std::as_bytes(std::span(record)), row, columns);
    if (mismatch) bad.push_back({row, mismatch_in(rows, row, *std::move(mismatch), record.size())});
  }
  rows.columns.erase(column);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Feature& feature = asked.features[i];
    std::vector<std::size_t> item;
    if (feature.count != 1) item = {feature.count};
    // A row that is lost at the end has begun no list.
    std::size_t lists = rows.count;
    for (std::vector<std::size_t>& splits : columns[i].splits) {
      splits.resize(lists + 1, splits.back());
      lists = splits.back();
    }
    rows.columns.push_back(
        {feature.name, moved(std::move(columns[i].values)), std::move(item), std::move(columns[i].splits)});
  }
  lose(rows, std::move(bad));
  const auto has_strings = [](const NamedColumn& one) {
    return std::holds_alternative<LargeVector<std::string_view>>(one.values);
  };
  if (std::ranges::none_of(rows.columns, has_strings)) rows.memory.clear();
}

}  // namespace

RowsFunction parse_examples(std::vector<Feature> features, const std::string& from) {
  ExampleParser parser(features);
  auto asked = std::make_shared<const Asked>(Asked{std::move(features), std::move(parser)});
  return [asked = std::move(asked), from](Rows& rows) { parse(*asked, from, rows); };
}

RowsFunction pad_lists(std::vector<Padding> columns) {
  return [columns = std::move(columns)](Rows& rows) {
    if (columns.empty())
      for (NamedColumn& column : rows.columns) pad(column, {});
    for (const Padding& padding : columns) pad(rows.column(padding.column), padding.value);
  };
}

}  // namespace carrack::data
