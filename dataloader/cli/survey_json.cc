#include "dataloader/cli/survey_json.h"

#include <array>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>

#include "dataloader/cli/manifest_features.h"
#include "dataloader/cli/text.h"
#include "dataloader/cli/words.h"
#include "dataloader/text.h"

namespace carrack::data::cli {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Range& range) {
  return range.least > range.most ? Json() : Json{{"min", range.least}, {"max", range.most}};
}

Json json_of(const Corrupt& fault) {
  return {{"record", fault.record},
          {"offset", fault.offset},
          {"inflated", fault.inflated},
          {"lost", fault.lost},
          {"what", fault.message}};
}

Json json_of(const FileLook& file) {
  Json json = {{"name", file.name},
               {"bytes", file.bytes},
               {"kind", kind_text(file)},
               {"records", file.records},
               {"whole", file.whole}};
  if (!file.whole)
    if (const auto estimate = file.estimated_records()) json["estimated_records"] = *estimate;
  Json sizes = json_of(file.sizes);
  if (!sizes.is_null()) sizes["median"] = file.median_size;
  json["record_bytes"] = std::move(sizes);
  json["damaged"] = file.damaged;
  json["lost"] = file.lost;
  json["faults"] = Json::array();
  for (const Corrupt& fault : file.faults) json["faults"].push_back(json_of(fault));
  return json;
}

template <typename Value>
Json json_of(const Quantiles<Value>& quantiles) {
  constexpr std::array shares = {0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99};
  const Distribution distribution(quantiles);
  Json json = Json::object();
  for (const double share : shares) json[short_number(share)] = distribution.at(share);
  const auto count = static_cast<double>(quantiles.count());
  json["rank_error"] = count == 0 ? 0 : static_cast<double>(quantiles.error()) / count;
  return json;
}

Json json_of(const Distinct& distinct) {
  const Distinct::Count count = distinct.count();
  return {{"count", count.count}, {"exact", count.exact}};
}

template <typename Value>
Json json_of(const FewValues<Value>& few) {
  Json json = Json::array();
  const auto counts = few.counts();
  if (!counts) return {};
  for (const auto& [value, count] : *counts) {
    if constexpr (std::is_same_v<Value, std::string>)
      json.push_back({{"value", is_utf8(value) ? value : printable(value)}, {"count", count}});
    else
      json.push_back({{"value", value}, {"count", count}});
  }
  return json;
}

template <typename Number>
Json json_of(const NumberSummary<Number>& numbers) {
  Json json = {{"count", numbers.count},
               {"nan", numbers.nans},
               {"infinity", numbers.infinite},
               {"negative_infinity", numbers.negative_infinite}};
  if (numbers.count == 0) return json;
  json.update({{"min", numbers.least},
               {"max", numbers.most},
               {"mean", numbers.mean()},
               {"std", numbers.deviation()},
               {"beyond_float32", numbers.inexact},
               {"quantiles", json_of(numbers.quantiles)},
               {"distinct", json_of(numbers.distinct)}});
  if (Json counts = json_of(numbers.few); !counts.is_null()) json["counts"] = std::move(counts);
  return json;
}

Json json_of(const StringSummary& strings) {
  Json images = Json::object();
  for (const auto& [format, sizes] : strings.images)
    images[format] = {{"count", sizes.count}, {"width", json_of(sizes.width)}, {"height", json_of(sizes.height)}};
  Json json = {{"count", strings.lengths.count},      {"texts", strings.texts},
               {"numbers", strings.numbers},          {"images", std::move(images)},
               {"lengths", json_of(strings.lengths)}, {"distinct", json_of(strings.distinct)}};
  if (Json counts = json_of(strings.few); !counts.is_null()) json["counts"] = std::move(counts);
  return json;
}

Json json_of(const FeatureKey& key, const FeatureSummary& feature, std::uint64_t examples) {
  const bool is_list = key.part == Part::feature_lists;
  Json json = {{"name", is_utf8(key.name) ? key.name : printable(key.name)},
               {"part", is_list ? "feature_lists" : "features"},
               {"type", type_text(feature)},
               {"records", feature.records},
               {"absent", examples - feature.records},
               {"values", json_of(feature.values)}};
  if (is_list) json["steps"] = json_of(*feature.steps);
  if (feature.strings.lengths.count > 0) json["bytes"] = json_of(feature.strings);
  if (feature.floats.count + feature.floats.not_finite() > 0) json["float32"] = json_of(feature.floats);
  if (feature.ints.count > 0) json["int64"] = json_of(feature.ints);
  return json;
}

}  // namespace

std::string survey_json(const Survey& survey, bool summarised) {
  Json json = {{"files", Json::array()}};
  for (const FileLook& file : survey.files) json["files"].push_back(json_of(file));
  json.update({{"bytes", survey.size()},
               {"records", survey.records()},
               {"whole", survey.whole()},
               {"damaged", survey.damaged()},
               {"lost", survey.lost()},
               {"seconds", survey.seconds}});
  if (summarised) {
    const Summary& summary = survey.summary;
    using Message = ExampleWalker::Message;
    json["messages"] = {{"example", summary.count(Message::example)},
                        {"sequence_example", summary.count(Message::sequence_example)},
                        {"other", summary.count(Message::other)}};
    json["features"] = Json::array();
    for (const auto& [key, feature] : summary.features)
      json["features"].push_back(json_of(key, feature, summary.examples()));
    json["manifest"] = manifest_features(summary);
  }
  return json.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n";
}

}  // namespace carrack::data::cli
