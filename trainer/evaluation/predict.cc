#include "trainer/evaluation/predict.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include "dataloader/error.h"
#include "dataloader/pipeline/reading.h"
#include "trainer/error.h"
#include "trainer/evaluation/inference.h"
#include "trainer/evaluation/prediction_text.h"
#include "trainer/loop/setup/columns.h"
#include "trainer/loop/storage/stored_model.h"

namespace carrack::train {
namespace {

constexpr std::int64_t rows_max = 256;

std::string line_of(const Inference& inference, const data::Rows& rows, std::size_t row) {
  const auto size = static_cast<std::size_t>(inference.task().outputs());
  const data::Origin& origin = rows.origins.at(row);
  Prediction prediction{*origin.file, origin.record, inference.outputs().subspan(row * size, size)};
  if (!inference.losses().empty()) prediction.loss = inference.losses()[row];
  const std::optional<FeatureValues> targets = inference.targets();
  if (targets && inference.task().kind == ModelTask::Kind::values) {
    prediction.target = std::get<std::span<const float>>(part_of(*targets, row * size, size));
  }
  return text(inference.task(), prediction);
}

// Only the loss needs the target of most models.
std::string hint_for(const std::string& message, const PredictRequest& request, const Config& config) {
  const std::string target = task_of(config.model, {}).target;
  const std::vector<Feature> read = inference_graph(config.model, config.data, Losses::left_out).features;
  const bool is_missing = message.find("there is no feature \"" + target + "\"") != message.npos;
  const bool is_read = std::ranges::find(read, target, &Feature::name) != read.end();
  return request.losses == Losses::computed && is_missing && !is_read ? "; with --no-loss none is needed" : "";
}

}  // namespace

MetricValues predict(const PredictRequest& request, const RoleContext& context,
                     const std::function<void(std::string_view line)>& print) {
  const StoredModel model = read_model(request.checkpoint, context.storages);
  Inference inference(model.config, request.losses, rows_max, static_cast<int>(context.cpus));
  const data::Dataset records = data::Dataset::records(request.files)
                                    .map("features", columns_of(inference.features(), 0))
                                    .batch(static_cast<std::uint64_t>(rows_max));
  Metrics metrics(inference.task());
  MetricValues values;
  try {
    data::Reading reading(records, context.storages, {.cpus = context.cpus, .memory = context.memory / 8});
    while (const std::optional<data::Rows> rows = reading.next()) {
      inference.run(model.parameters, *rows);
      for (std::size_t row = 0; row < rows->count; ++row) print(line_of(inference, *rows, row));
      values.records += rows->count;
      if (request.losses == Losses::computed) metrics.add(inference.outputs(), inference.targets(), inference.losses());
    }
  } catch (const data::Error& error) {
    throw Error(Blame::user, error.what() + hint_for(error.what(), request, model.config));
  }
  return request.losses == Losses::computed ? metrics.values() : values;
}

}  // namespace carrack::train
