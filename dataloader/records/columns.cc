#include "dataloader/records/columns.h"

#include <algorithm>

namespace carrack::data {
namespace {

std::size_t levels_of(const Feature& requested) {
  if (requested.shape == Shape::item) return 0;
  if (requested.shape != Shape::lists) return 1;
  return requested.part == Part::feature_lists ? 2 : 1 + requested.partitions.size();
}

Values values_of(Dtype dtype, std::size_t size) {
  if (dtype == Dtype::bytes) return LargeVector<std::string_view>(size, std::string_view());
  if (dtype == Dtype::float32) return LargeVector<float>(size, 0.0f);
  return LargeVector<std::int64_t>(size, 0);
}

}  // namespace

Column column_of(const Feature& requested, std::size_t rows) {
  const std::size_t size = requested.shape == Shape::item ? rows * requested.count : 0;
  return {values_of(requested.dtype, size), {levels_of(requested), {0}}};
}

void pad(const Feature& requested, Column& column) {
  if (requested.shape != Shape::padded) return;
  const std::vector<std::size_t>& splits = column.splits.front();
  const std::size_t rows = splits.size() - 1;
  std::size_t longest = 0;
  for (std::size_t row = 0; row < rows; ++row) longest = std::max(longest, splits[row + 1] - splits[row]);
  const auto spread = [&]<typename Value>(LargeVector<Value>& values) {
    const Value padding =
        requested.default_values ? std::get<LargeVector<Value>>(*requested.default_values)[0] : Value();
    values.resize(rows * longest * requested.count);
    // Rows move towards the end, so the last is moved first: no row is overwritten before it has been moved.
    for (std::size_t row = rows; row-- > 0;) {
      Value* const from = values.data() + splits[row] * requested.count;
      Value* const to = values.data() + row * longest * requested.count;
      const std::size_t size = (splits[row + 1] - splits[row]) * requested.count;
      std::copy_backward(from, from + size, to + size);
      std::fill(to + size, to + longest * requested.count, padding);
    }
  };
  std::visit(spread, column.values);
  column.longest = longest;
}

}  // namespace carrack::data
