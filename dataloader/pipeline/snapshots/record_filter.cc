#include "dataloader/pipeline/snapshots/record_filter.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "dataloader/records/example_problems.h"
#include "dataloader/sources/number_text.h"

namespace carrack::data {
namespace {

// Returns the nearest float32 to a bound. Without rounding, a record with 0.1 in a float32 feature would not be within
// bounds of 0.1.
float nearest(double bound) {
  constexpr double most = std::numeric_limits<float>::max();
  return static_cast<float>(std::clamp(bound, -most, most));
}

// NaN is not within any bounds, even without a minimum and a maximum.
bool is_within(float value, const FeatureBounds& bounds) {
  return !std::isnan(value) && (!bounds.min || value >= nearest(*bounds.min)) &&
         (!bounds.max || value <= nearest(*bounds.max));
}

bool is_within(std::int64_t value, const FeatureBounds& bounds) {
  static_assert(std::numeric_limits<long double>::digits >= 63, "it holds each int64");
  const auto exact = static_cast<long double>(value);
  return (!bounds.min || exact >= *bounds.min) && (!bounds.max || exact <= *bounds.max);
}

bool are_within(const Column& column, const FeatureBounds& bounds) {
  const auto all_are = [&](const auto& values) {
    return std::ranges::all_of(values, [&](const auto value) { return is_within(value, bounds); });
  };
  const auto* floats = std::get_if<LargeVector<float>>(&column.values);
  return floats != nullptr ? all_are(*floats) : all_are(std::get<LargeVector<std::int64_t>>(column.values));
}

}  // namespace

std::string canonical(const FeatureBounds& bounds) {
  const Feature& feature = bounds.feature;
  std::string text = feature.name + " " + name_of(feature.dtype);
  if (feature.count != 1) text += "[" + std::to_string(feature.count) + "]";
  text += ",";
  if (bounds.min) text += " from " + exact_text(*bounds.min);
  if (bounds.max) text += " to " + exact_text(*bounds.max);
  return text;
}

RecordFilter::RecordFilter(const std::vector<FeatureBounds>& all) {
  for (const FeatureBounds& bounds : all) {
    ExampleParser parser({bounds.feature});
    std::vector<Column> columns = parser.columns(1);
    filters_.push_back({bounds, std::move(parser), std::move(columns)});
  }
}

std::variant<bool, Mismatch> RecordFilter::keeps(std::span<const std::byte> record) {
  for (Filter& one : filters_) {
    if (auto mismatch = one.parser.parse(record, 0, one.columns)) return *std::move(mismatch);
    if (!are_within(one.columns.front(), one.bounds)) return false;
  }
  return true;
}

}  // namespace carrack::data
