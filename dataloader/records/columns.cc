#include "dataloader/records/columns.h"

#include <algorithm>

namespace carrack::data {
namespace {

std::size_t levels_of(const Feature& asked) {
  if (asked.shape == Shape::item) return 0;
  if (asked.shape != Shape::lists) return 1;
  return asked.part == Part::feature_lists ? 2 : 1 + asked.partitions.size();
}

Values values_of(Dtype dtype, std::size_t size) {
  if (dtype == Dtype::bytes) return LargeVector<std::string_view>(size, std::string_view());
  if (dtype == Dtype::float32) return LargeVector<float>(size, 0.0f);
  return LargeVector<std::int64_t>(size, 0);
}

}  // namespace

Column column_of(const Feature& asked, std::size_t rows) {
  const std::size_t size = asked.shape == Shape::item ? rows * asked.count : 0;
  return {values_of(asked.dtype, size), {levels_of(asked), {0}}};
}

void pad(const Feature& asked, Column& column) {
  if (asked.shape != Shape::padded) return;
  const std::vector<std::size_t>& splits = column.splits.front();
  const std::size_t rows = splits.size() - 1;
  std::size_t longest = 0;
  for (std::size_t row = 0; row < rows; ++row) longest = std::max(longest, splits[row + 1] - splits[row]);
  const auto spread = [&]<typename Value>(LargeVector<Value>& values) {
    const Value padding = asked.default_values ? std::get<LargeVector<Value>>(*asked.default_values)[0] : Value();
    values.resize(rows * longest * asked.count);
    // Rows are moved from the last to the first, so that none is overwritten before it has been moved.
    for (std::size_t row = rows; row-- > 0;) {
      Value* const from = values.data() + splits[row] * asked.count;
      Value* const to = values.data() + row * longest * asked.count;
      const std::size_t size = (splits[row + 1] - splits[row]) * asked.count;
      std::copy_backward(from, from + size, to + size);
      std::fill(to + size, to + longest * asked.count, padding);
    }
  };
  std::visit(spread, column.values);
  column.longest = longest;
}

}  // namespace carrack::data
