#include "trainer/loop/setup/values_of_data.h"

#include <algorithm>
#include <span>

#include "dataloader/crc32c.h"
#include "trainer/launch/launch.h"

namespace carrack::train {

std::string order_of_statistics(const std::string& order, const ModelGraph& model, std::int64_t seed) {
  Config of_features;
  for (const Feature& feature : model.features) {
    const bool is_standardized = std::ranges::count(model.standardized, feature.name, &Standardized::feature) > 0;
    if (is_standardized) of_features.data.features.push_back(feature);
  }
  const std::string text = to_config_text(of_features);
  return order + " seed=" + std::to_string(seed) +
         " features=" + data::crc32c_hex(data::crc32c(std::as_bytes(std::span(text))));
}

bool matches_model(const checkpoint::Statistics& statistics, const ModelGraph& model) {
  const auto is_of = [](const checkpoint::LayerStatistics& one, const Standardized& standardized) {
    return one.layer == standardized.layer && one.feature == standardized.feature &&
           std::ssize(one.columns) == standardized.columns;
  };
  return std::ranges::equal(statistics.layers, model.standardized, is_of);
}

ValuesOfData values_from_statistics(const checkpoint::Statistics& statistics) {
  ValuesOfData values;
  for (const checkpoint::LayerStatistics& layer : statistics.layers) {
    for (const checkpoint::ColumnStatistics& column : layer.columns) {
      values[layer.layer + "/mean"].push_back(column.mean);
      values[layer.layer + "/deviation"].push_back(column.deviation);
    }
  }
  return values;
}

}  // namespace carrack::train
