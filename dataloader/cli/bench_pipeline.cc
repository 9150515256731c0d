#include "dataloader/cli/bench_pipeline.h"

#include <algorithm>
#include <utility>

#include "dataloader/cli/summary/descriptions.h"
#include "dataloader/cli/survey_files.h"
#include "dataloader/error.h"
#include "dataloader/machine/limits.h"

namespace carrack::data::cli {
namespace {

// The features are found in about 1,000 records, and at most about 16 MB, of all files together.
constexpr SurveyLimit schema_limit{1000, 16'000'000};

// Returns how to parse a feature; nullopt if its records have several types. `examples` is the number of all records.
// A feature is an item (with a fixed number of values) if all records have it with the same number of values, and
// otherwise a list of any length. A feature list is a list of such items or, if its steps differ in length, of lists.
std::optional<Feature> to_feature(const FeatureKey& key, const FeatureSummary& summary, std::uint64_t examples) {
  if (!summary.dtype()) return std::nullopt;
  Feature feature{.name = key.name, .dtype = *summary.dtype(), .part = key.part};
  const bool is_fixed = summary.values.min == summary.values.max && summary.values.max > 0;
  if (is_fixed) feature.count = summary.values.max;
  if (key.part == Part::feature_lists) {
    feature.shape = is_fixed ? Shape::list : Shape::lists;
    feature.may_be_missing = true;
  } else if (!is_fixed || summary.records < examples) {
    feature.shape = Shape::list;
    feature.count = 1;
  }
  return feature;
}

}  // namespace

Inputs open_bench_inputs(const Request& request, const Storages& storages) {
  Inputs inputs = open_inputs(request, storages);
  if (inputs.kind != InputKind::records) return inputs;
  const auto require_records = [](const FileSurvey& file) {
    if (!file.holds_records()) throw Refused(no_records_message(file));
  };
  survey_files(request, storages, {.limit = schema_limit, .summarize = false, .on_file = require_records});
  return inputs;
}

Dataset unparsed_rows(const Inputs& inputs) {
  return inputs.rows ? *inputs.rows : Dataset::records(urls_of(inputs.files));
}

std::optional<Dataset> parsed_rows(const Request& request, const Storages& storages, const Inputs& inputs) {
  if (inputs.kind == InputKind::program) return std::nullopt;
  if (inputs.rows) return inputs.rows;
  const Summary summary = survey_files(request, storages, {.limit = schema_limit}).summary;
  std::vector<Feature> features;
  for (const auto& [key, found] : summary.features)
    if (std::optional<Feature> feature = to_feature(key, found, summary.examples()))
      features.push_back(*std::move(feature));
  if (features.empty() || summary.examples() < summary.records()) return std::nullopt;
  return unparsed_rows(inputs).parse(std::move(features));
}

ReadingOptions reading_options(const Request& request) {
  constexpr std::uint64_t memory_max = std::uint64_t{1} << 30;
  return {.cpus = thread_count(request),
          .memory = std::min(memory_max, memory_of_this_process() / 4),
          .on_damage = request.on_damage.value_or(OnDamage::skip)};
}

}  // namespace carrack::data::cli
