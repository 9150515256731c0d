#include "trainer/loop/setup/values_of_data.h"

#include <algorithm>

namespace carrack::train {

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
