#include "trainer/evaluation/inference.h"

#include <algorithm>
#include <utility>

namespace carrack::train {
namespace {

std::vector<Feature> without_random_changes(std::vector<Feature> features) {
  for (Feature& feature : features) {
    if (!feature.image) continue;
    feature.image->mirror = false;
    if (feature.image->crop.kind == CropKind::random) feature.image->crop = {};
  }
  return features;
}

// Of one record.
Shape shape_of(const Value& value) {
  Shape shape;
  for (std::size_t i = 1; i < value.shape.size(); ++i) shape.push_back(value.shape[i].count);
  return shape;
}

}  // namespace

Inference::Inference(const Config& config, Losses losses, std::int64_t rows_max, int threads)
    : Inference(inference_graph(config.model, config.data, losses), config, rows_max, threads) {}

Inference::Inference(InferenceGraph graph, const Config& config, std::int64_t rows_max, int threads)
    : features_(without_random_changes(std::move(graph.features))),
      output_(graph.output),
      record_losses_(graph.record_losses),
      task_(task_of(config.model, shape_of(graph.graph.value(graph.output)))),
      threads_(threads),
      executor_(std::move(graph.graph), layout_of(model_graph(config.model, config.data)), rows_max, &threads_) {}

void Inference::run(std::span<const float> parameters, const data::Rows& rows) {
  inputs_.clear();
  for (const data::NamedColumn& column : rows.columns) inputs_.push_back(feature_values(column));
  executor_.evaluate(parameters, inputs_, static_cast<std::int64_t>(rows.count));
}

std::span<const float> Inference::losses() const {
  if (!record_losses_) return {};
  return executor_.elements(*record_losses_);
}

std::optional<FeatureValues> Inference::targets() const {
  const auto found = std::ranges::find(features_, task_.target, &Feature::name);
  if (!record_losses_ || found == features_.end()) return std::nullopt;
  return inputs_[static_cast<std::size_t>(found - features_.begin())];
}

}  // namespace carrack::train
