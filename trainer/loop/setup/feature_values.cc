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

}  // namespace carrack::train
