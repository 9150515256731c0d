#include "dataloader/pipeline/rows/write_examples.h"

#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>

#include "dataloader/error.h"
#include "dataloader/records/example_writer.h"
#include "dataloader/storage/storage.h"

namespace carrack::data {
namespace {

// The range of a row's values: an item, or the items of a list.
Range values_of(const NamedColumn& column, std::size_t row) {
  const std::size_t size = column.item_size();
  if (column.splits.empty()) return {row * size, (row + 1) * size};
  return {column.splits[0][row] * size, column.splits[0][row + 1] * size};
}

// uint8 values become one string, which `bytes` holds.
ValuesView view_of(const NamedColumn& column, Range range, std::string_view& bytes) {
  return std::visit(
      [&](const auto& values) -> ValuesView {
        using Value = typename std::decay_t<decltype(values)>::value_type;
        const std::span<const Value> part = std::span(values).subspan(range.begin, range.size());
        if constexpr (std::is_same_v<Value, std::uint8_t>) {
          bytes = {reinterpret_cast<const char*>(part.data()), part.size()};
          return std::span<const std::string_view>(&bytes, 1);
        } else {
          return part;
        }
      },
      column.values);
}

void write(Rows& rows) {
  for (const NamedColumn& column : rows.columns)
    if (column.splits.size() > 1)
      throw Error("column \"" + column.name + "\" holds lists of lists, and no Example does");
  const auto examples = std::make_shared<Bytes>();
  std::vector<std::size_t> ends;
  std::vector<std::string_view> small(rows.columns.size());
  for (std::size_t row = 0; row < rows.count; ++row) {
    std::vector<NamedValues> features;
    for (std::size_t i = 0; i < rows.columns.size(); ++i) {
      const NamedColumn& column = rows.columns[i];
      const Range range = values_of(column, row);
      const bool is_absent = range.size() == 0 && !column.splits.empty();
      if (!is_absent) features.push_back({column.name, view_of(column, range, small[i])});
    }
    const Bytes example = example_of(features);
    examples->insert(examples->end(), example.begin(), example.end());
    ends.push_back(examples->size());
  }
  LargeVector<std::string_view> records;
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    records.emplace_back(reinterpret_cast<const char*>(examples->data()) + begin, end - begin);
    begin = end;
  }
  rows.columns.assign(1, {"record", std::move(records)});
  rows.memory.assign(1, examples);
}

}  // namespace

RowsFunction write_examples() {
  return write;
}

}  // namespace carrack::data
