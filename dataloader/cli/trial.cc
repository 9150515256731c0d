#include "dataloader/cli/trial.h"

#include <algorithm>
#include <utility>

#include "dataloader/cli/survey.h"
#include "dataloader/cli/words.h"
#include "dataloader/error.h"
#include "dataloader/machine/limits.h"

namespace carrack::data::cli {
namespace {

constexpr Front looked_at{1000, 16'000'000};

// Of one type, as items where all records have as many values, else as lists.
std::optional<Feature> feature_of(const FeatureKey& key, const FeatureSummary& found, std::uint64_t examples) {
  if (!found.dtype()) return std::nullopt;
  Feature feature{.name = key.name, .dtype = *found.dtype(), .part = key.part};
  const bool is_fixed = found.values.least == found.values.most && found.values.most > 0;
  if (is_fixed) feature.count = found.values.most;
  if (key.part == Part::feature_lists) {
    feature.shape = is_fixed ? Shape::list : Shape::lists;
    feature.may_be_missing = true;
  } else if (!is_fixed || found.records < examples) {
    feature.shape = Shape::list;
    feature.count = 1;
  }
  return feature;
}

}  // namespace

Inputs inputs_to_read(const Request& request, const Storages& storages, const std::vector<std::string>& environment) {
  Inputs inputs = inputs_of(request, storages, environment);
  if (inputs.kind != InputKind::records) return inputs;
  const auto require_records = [](const FileLook& file) {
    if (!file.holds_records()) throw Refused(no_records_text(file));
  };
  survey(request, storages, {.front = looked_at, .summarises = false, .each = require_records});
  return inputs;
}

Dataset as_it_comes(const Inputs& inputs) {
  if (inputs.rows) return *inputs.rows;
  std::vector<std::string> names;
  for (const Listed& file : inputs.files) names.push_back(file.url);
  return Dataset::records(names);
}

std::optional<Dataset> parsed(const Request& request, const Storages& storages, const Inputs& inputs) {
  if (inputs.kind == InputKind::program) return std::nullopt;
  if (inputs.rows) return inputs.rows;
  const Summary summary = survey(request, storages, {.front = looked_at}).summary;
  std::vector<Feature> features;
  for (const auto& [key, found] : summary.features)
    if (std::optional<Feature> feature = feature_of(key, found, summary.examples()))
      features.push_back(*std::move(feature));
  if (features.empty() || summary.examples() < summary.records()) return std::nullopt;
  return as_it_comes(inputs).parse(std::move(features));
}

ReadingOptions means_for(const Request& request) {
  constexpr std::uint64_t enough = std::uint64_t{1} << 30;
  return {.cpus = threads_for(request), .memory = std::min(enough, memory_of_this_process() / 4), .skip_corrupt = true};
}

}  // namespace carrack::data::cli
