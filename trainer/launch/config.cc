#include "trainer/launch/config.h"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "trainer/error.h"

namespace carrack::train {

const Snapshot* snapshot_in(const Data& data) {
  for (const Stage& stage : data.stages)
    if (const auto* snapshot = std::get_if<Snapshot>(&stage)) return snapshot;
  return nullptr;
}

std::int64_t value_count(const std::vector<std::int64_t>& shape) {
  std::int64_t count = 1;
  for (const std::int64_t dimension : shape) {
    if (dimension < 1) return 0;
    if (__builtin_mul_overflow(count, dimension, &count)) count = std::numeric_limits<std::int64_t>::max();
  }
  return count;
}

FeatureType model_type(FeatureType type) {
  switch (type) {
    case FeatureType::float32:
    case FeatureType::uint8:
      return FeatureType::float32;
    case FeatureType::int64:
    case FeatureType::text:
      return FeatureType::int64;
  }
  throw Error(Blame::bug, "a feature of no type");
}

std::int64_t id_count(const Feature& feature) {
  return feature.buckets + static_cast<std::int64_t>(feature.words.size());
}

std::vector<std::int64_t> shape_of(const Feature& feature) {
  return feature.shape ? *feature.shape : std::vector{feature.size};
}

std::string unknown_feature(const std::string& name, const Data& data) {
  constexpr std::size_t names_max = 20;
  std::string names;
  for (std::size_t i = 0; i < std::min(data.features.size(), names_max); ++i)
    names += (i == 0 ? " has " : ", ") + data.features[i].name;
  if (data.features.size() > names_max) names += ", ...";
  if (data.features.empty()) names = " is empty";
  return "'" + name + "' is not a feature; spec.data.features" + names;
}

}  // namespace carrack::train
