#include "trainer/evaluation/inference.h"

#include <algorithm>
#include <utility>

#include "dataloader/text.h"
#include "trainer/error.h"
#include "trainer/planning/compute_memory.h"
#include "trainer/planning/memory_need.h"

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

// Returns the shape of a value for one record: its shape without the first dimension, which counts the records.
Shape shape_of(const Value& value) {
  Shape shape;
  for (std::size_t i = 1; i < value.shape.size(); ++i) shape.push_back(value.shape[i].count);
  return shape;
}

// Returns how many records to compute at once, so that their results fit into `memory`, and so do the records of all
// batches of this size that are in memory at the same time. One batch is computed. A Reading does not know the size of
// batches before it returns the first one, and reads up to two for each thread and one more until then (AheadLimits in
// dataloader/pipeline/execution/in_order.h). A batch has at least one record, however large it is.
std::int64_t rows_within(std::uint64_t memory, int threads, const InferenceGraph& graph) {
  const double bytes_read_of_row = (2.0 * threads + 2) * bytes_of_row(graph.features);
  for (std::int64_t rows = inference_rows_max;; rows /= 2) {
    if (rows > 1 && static_cast<double>(rows) * bytes_read_of_row > static_cast<double>(memory)) continue;
    const std::uint64_t bytes = inference_memory(graph, rows);
    if (bytes <= memory) return rows;
    if (rows > 1) continue;
    throw Error(Blame::user, "the model takes " + data::format_bytes(bytes) +
                                 " for one record, and this process may use " + data::format_bytes(memory));
  }
}

}  // namespace

Inference::Inference(const Config& config, Losses losses, std::uint64_t memory, int threads)
    : Inference(inference_graph(config.model, config.data, losses), config, memory, threads) {}

Inference::Inference(InferenceGraph graph, const Config& config, std::uint64_t memory, int threads)
    : rows_max_(rows_within(memory, threads, graph)),
      features_(without_random_changes(std::move(graph.features))),
      output_(graph.output),
      record_losses_(graph.record_losses),
      target_(graph.target),
      task_(task_of(config.model, config.data, shape_of(graph.graph.value(graph.output)))),
      threads_(threads),
      executor_(graph.graph, results_of(graph), layout_of(model_graph(config.model, config.data)), rows_max_,
                &threads_) {}

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
  if (!record_losses_ || !target_) return std::nullopt;
  const std::vector<ValueId>& inputs = executor_.graph().inputs();
  const auto found = std::ranges::find(inputs, *target_);
  if (found == inputs.end()) return executor_.elements(*target_);
  return inputs_[static_cast<std::size_t>(found - inputs.begin())];
}

}  // namespace carrack::train
