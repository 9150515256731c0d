#include "dataloader/pipeline/stages/text_columns.h"

#include <cstring>
#include <string_view>
#include <utility>

#include "dataloader/records/columns.h"

namespace carrack::data {
namespace {

using Strings = LargeVector<std::string_view>;

std::shared_ptr<const void> copied(std::span<std::string_view> strings) {
  std::size_t size = 0;
  for (const std::string_view string : strings) size += string.size();
  std::shared_ptr<char[]> memory(new char[size]);
  char* free = memory.get();
  for (std::string_view& string : strings) {
    std::memcpy(free, string.data(), string.size());
    string = {std::exchange(free, free + string.size()), string.size()};
  }
  return memory;
}

void append(NamedColumn& column, const Column& read) {
  for (std::size_t level = 0; level < read.splits.size(); ++level) {
    const std::size_t before = column.splits[level].back();
    for (std::size_t i = 1; i < read.splits[level].size(); ++i)
      column.splits[level].push_back(before + read.splits[level][i]);
  }
  std::visit(
      [&](const auto& values) {
        auto& all = std::get<std::decay_t<decltype(values)>>(column.values);
        all.insert(all.end(), values.begin(), values.end());
      },
      read.values);
}

}  // namespace

std::vector<Feature> unpadded(std::vector<Feature> features) {
  for (Feature& feature : features)
    if (feature.shape == Shape::padded) feature.shape = Shape::list;
  return features;
}

std::vector<NamedColumn> columns_for(const std::vector<Feature>& features) {
  std::vector<NamedColumn> columns;
  for (const Feature& feature : features) {
    Column column = column_of(feature, 0);
    std::vector<std::size_t> item;
    if (feature.count != 1) item = {feature.count};
    ColumnValues values = std::visit([](auto& all) { return ColumnValues(std::move(all)); }, column.values);
    columns.push_back({feature.name, std::move(values), std::move(item), std::move(column.splits)});
  }
  return columns;
}

void append(std::vector<NamedColumn>& columns, std::vector<std::shared_ptr<const void>>& memory, const TextRows& read) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    append(columns[i], read.columns[i]);
    const auto* const came = std::get_if<Strings>(&read.columns[i].values);
    if (came == nullptr || came->empty()) continue;
    memory.push_back(copied(std::span(std::get<Strings>(columns[i].values)).last(came->size())));
  }
}

}  // namespace carrack::data
