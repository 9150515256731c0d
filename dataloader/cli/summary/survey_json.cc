#include "dataloader/cli/summary/survey_json.h"

#include <array>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>

#include "dataloader/cli/summary/descriptions.h"
#include "dataloader/cli/summary/manifest_features.h"
#include "dataloader/cli/summary/number_format.h"
#include "dataloader/cli/summary/record_json.h"

namespace carrack::data::cli {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Range& range) {
  return range.min > range.max ? Json() : Json{{"min", range.min}, {"max", range.max}};
}

Json to_json(const Corrupt& fault) {
  return {{"record", fault.record},
          {"offset", fault.offset},
          {"inflated", fault.inflated},
          {"lost", fault.lost},
          {"what", fault.message}};
}

Json to_json(const FileSurvey& file) {
  Json json = {{"name", file.name},
               {"bytes", file.bytes},
               {"kind", describe_kind(file)},
               {"records", file.records},
               {"whole", file.complete}};
  if (!file.complete)
    if (const auto estimate = file.estimated_records()) json["estimated_records"] = *estimate;
  Json sizes = to_json(file.sizes);
  if (!sizes.is_null()) sizes["median"] = file.median_size;
  json["record_bytes"] = std::move(sizes);
  json["damaged"] = file.damaged_spans;
  json["lost"] = file.lost_bytes;
  json["faults"] = Json::array();
  for (const Corrupt& fault : file.faults) json["faults"].push_back(to_json(fault));
  return json;
}

template <typename Value>
Json to_json(const Quantiles<Value>& quantiles) {
  constexpr std::array shares = {0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99};
  const Distribution distribution(quantiles);
  Json json = Json::object();
  for (const double share : shares) json[short_number(share)] = distribution.quantile(share);
  const auto count = static_cast<double>(quantiles.count());
  json["rank_error"] = count == 0 ? 0 : static_cast<double>(quantiles.rank_error_max()) / count;
  return json;
}

Json to_json(const DistinctCounter& distinct) {
  const DistinctCounter::Count count = distinct.count();
  return {{"count", count.count}, {"exact", count.exact}};
}

template <typename Value>
Json to_json(const ValueCounts<Value>& few) {
  Json json = Json::array();
  const auto counts = few.counts();
  if (!counts) return {};
  for (const auto& [value, count] : *counts) {
    if constexpr (std::is_same_v<Value, std::string>)
      json.push_back({{"value", readable_name(value)}, {"count", count}});
    else
      json.push_back({{"value", value}, {"count", count}});
  }
  return json;
}

template <typename Number>
Json to_json(const NumberSummary<Number>& numbers) {
  Json json = {{"count", numbers.count},
               {"nan", numbers.nan_count},
               {"infinity", numbers.infinities},
               {"negative_infinity", numbers.negative_infinities}};
  if (numbers.count == 0) return json;
  json.update({{"min", numbers.min},
               {"max", numbers.max},
               {"mean", numbers.mean()},
               {"std", numbers.standard_deviation()},
               {"beyond_float32", numbers.beyond_float32},
               {"quantiles", to_json(numbers.quantiles)},
               {"distinct", to_json(numbers.distinct)}});
  if (Json counts = to_json(numbers.counts); !counts.is_null()) json["counts"] = std::move(counts);
  return json;
}

Json to_json(const StringSummary& strings) {
  Json images = Json::object();
  for (const auto& [format, sizes] : strings.images)
    images[format] = {{"count", sizes.count}, {"width", to_json(sizes.width)}, {"height", to_json(sizes.height)}};
  Json json = {{"count", strings.lengths.count},      {"texts", strings.texts},
               {"numbers", strings.numbers},          {"images", std::move(images)},
               {"lengths", to_json(strings.lengths)}, {"distinct", to_json(strings.distinct)}};
  if (Json counts = to_json(strings.counts); !counts.is_null()) json["counts"] = std::move(counts);
  return json;
}

Json to_json(const ValueColumn& column) {
  Json json = {{"count", column.moments.count}, {"nan", column.nan}, {"infinite", column.infinite}};
  if (column.moments.count == 0) return json;
  json.update({{"min", column.min},
               {"max", column.max},
               {"mean", column.moments.mean},
               {"std", column.moments.standard_deviation()}});
  return json;
}

Json readable_names(const std::vector<std::string>& names) {
  Json readable = Json::array();
  for (const std::string& name : names) readable.push_back(readable_name(name));
  return readable;
}

Json to_json(const FeatureKey& key, const FeatureSummary& feature, std::uint64_t examples, const ColumnNames& names) {
  const bool is_list = key.part == Part::feature_lists;
  Json json = {{"name", readable_name(key.name)},      {"part", is_list ? "feature_lists" : "features"},
               {"type", describe_type(feature)},       {"records", feature.records},
               {"absent", examples - feature.records}, {"values", to_json(feature.values)}};
  if (is_list) json["steps"] = to_json(*feature.steps);
  if (feature.strings.lengths.count > 0) json["bytes"] = to_json(feature.strings);
  if (feature.floats.count + feature.floats.not_finite() > 0) json["float32"] = to_json(feature.floats);
  if (feature.ints.count > 0) json["int64"] = to_json(feature.ints);
  for (const ValueColumn& column : feature.columns.columns()) json["columns"].push_back(to_json(column));
  if (const auto found = names.find(key.name); found != names.end()) json["names"] = readable_names(found->second);
  return json;
}

}  // namespace

std::string survey_json(const Survey& survey, bool summarized) {
  Json json = {{"files", Json::array()}};
  for (const FileSurvey& file : survey.files) json["files"].push_back(to_json(file));
  json.update({{"bytes", survey.size()},
               {"records", survey.records()},
               {"whole", survey.complete()},
               {"damaged", survey.damaged_spans()},
               {"lost", survey.lost_bytes()},
               {"seconds", survey.seconds}});
  if (summarized) {
    const Summary& summary = survey.summary;
    using Message = ExampleWalker::Message;
    json["messages"] = {{"example", summary.count(Message::example)},
                        {"sequence_example", summary.count(Message::sequence_example)},
                        {"other", summary.count(Message::other)}};
    json["features"] = Json::array();
    for (const auto& [key, feature] : summary.features)
      json["features"].push_back(to_json(key, feature, summary.examples(), survey.columns));
    if (!summary.only) json["manifest"] = manifest_features(summary);
  }
  return json.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n";
}

}  // namespace carrack::data::cli
