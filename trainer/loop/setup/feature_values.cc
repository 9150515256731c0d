#include "trainer/loop/setup/feature_values.h"

#include <span>

namespace carrack::train {

FeatureValues feature_values(const data::NamedColumn& column) {
  if (const auto* floats = std::get_if<data::LargeVector<float>>(&column.values)) return std::span(*floats);
  return std::span(std::get<data::LargeVector<std::int64_t>>(column.values));
}

FeatureValues part_of(const FeatureValues& values, std::size_t begin, std::size_t count) {
  return std::visit([&](const auto& all) { return FeatureValues(all.subspan(begin, count)); }, values);
}

FeatureValues rows_of(const FeatureValues& values, data::Range rows, std::size_t row_size) {
  return part_of(values, rows.begin * row_size, rows.size() * row_size);
}

}  // namespace carrack::train
