#include "dataloader/cli/summary/summary.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "dataloader/cli/summary/record_json.h"
#include "dataloader/images/image_header.h"
#include "dataloader/records/wire.h"
#include "dataloader/text.h"

namespace carrack::data::cli {
namespace {

constexpr std::size_t counted_bytes_max = 64;  // Strings are counted by value only if all have at most this many bytes.
constexpr std::size_t example_values_max = 3;

}  // namespace

void Range::merge(const Range& other) {
  min = std::min(min, other.min);
  max = std::max(max, other.max);
}

void StringSummary::add(std::span<const std::string_view> values) {
  for (const std::string_view value : values) {
    const auto length = static_cast<std::int64_t>(value.size());
    lengths.add({&length, 1});
    distinct.add(value);
    if (value.size() > counted_bytes_max)
      counts.discard();
    else
      counts.add(value);
    if (const auto image = image_header_in(wire::bytes_of(value))) {
      ImageSizes& sizes = images[std::string(image->format)];
      ++sizes.count;
      sizes.width.add(image->width);
      sizes.height.add(image->height);
    } else if (is_text(value)) {
      ++texts;
      if (number_in<double>(value)) ++numbers;
    }
  }
}

void StringSummary::merge(const StringSummary& other) {
  lengths.merge(other.lengths);
  texts += other.texts;
  numbers += other.numbers;
  for (const auto& [format, sizes] : other.images) {
    ImageSizes& ours = images[format];
    ours.count += sizes.count;
    ours.width.merge(sizes.width);
    ours.height.merge(sizes.height);
  }
  distinct.merge(other.distinct);
  counts.merge(other.counts);
}

void FeatureSummary::add(const WalkedFeature& feature) {
  const std::size_t count = std::visit([](const auto& kind) { return kind.size(); }, feature.values);
  if (example.empty() && count > 0) example = values_text(feature.values, example_values_max);
  ++records;
  ++records_by_type[feature.dtype ? static_cast<std::size_t>(*feature.dtype) : 0];
  if (feature.part == Part::features) {
    values.add(count);
  } else {
    if (!steps) steps.emplace();
    steps->add(feature.steps.size());
    for (const std::size_t step : feature.steps) values.add(step);
  }
  if (const auto* kind = std::get_if<std::span<const std::string_view>>(&feature.values)) strings.add(*kind);
  const auto add_numbers = [&](const auto& numbers, auto& summary) {
    summary.add(numbers);
    if (feature.part == Part::features) columns.add(numbers);
  };
  if (const auto* kind = std::get_if<std::span<const float>>(&feature.values)) add_numbers(*kind, floats);
  if (const auto* kind = std::get_if<std::span<const std::int64_t>>(&feature.values)) add_numbers(*kind, ints);
  if (!dtype()) columns.discard();
}

void FeatureSummary::merge(const FeatureSummary& other) {
  records += other.records;
  for (std::size_t i = 0; i < records_by_type.size(); ++i) records_by_type[i] += other.records_by_type[i];
  values.merge(other.values);
  if (other.steps && !steps) steps.emplace();
  if (other.steps) steps->merge(*other.steps);
  strings.merge(other.strings);
  floats.merge(other.floats);
  ints.merge(other.ints);
  columns.merge(other.columns);
  if (!dtype()) columns.discard();
  if (example.empty()) example = other.example;
}

std::optional<Dtype> FeatureSummary::dtype() const {
  std::optional<Dtype> only;
  for (const Dtype dtype : {Dtype::bytes, Dtype::float32, Dtype::int64}) {
    if (records_by_type[static_cast<std::size_t>(dtype)] == 0) continue;
    if (only) return std::nullopt;
    only = dtype;
  }
  return only;
}

void Summary::add(std::string_view file, std::uint64_t number, std::span<const std::byte> record,
                  ExampleWalker& walker) {
  const auto size = static_cast<std::int64_t>(record.size());
  sizes.add({&size, 1});
  bytes += record.size();
  const ExampleWalker::Message message = walker.walk(record);
  ++messages[static_cast<std::size_t>(message)];
  if (message == ExampleWalker::Message::other) {
    if (!first_unknown) first_unknown = std::string(file) + ": record " + std::to_string(number);
    return;
  }
  // `features` and the walker's features are sorted in the same way, so a single pass over `features` finds them all.
  auto at = features.begin();
  for (const WalkedFeature& walked : walker.features()) {
    const std::optional<WalkedFeature> selected = only ? only->select(walked) : walked;
    if (!selected) {
      add_other(walked);
      continue;
    }
    const WalkedFeature& feature = *selected;
    const auto key = std::tie(feature.part, feature.name);
    const auto here = [&] { return std::tuple(at->first.part, std::string_view(at->first.name)); };
    while (at != features.end() && here() < key) ++at;
    if (at == features.end() || here() != key) {
      if (features.size() >= features_max) {
        ++ignored_features;
        continue;
      }
      at = features.emplace_hint(at, FeatureKey{feature.part, std::string(feature.name)}, FeatureSummary());
    }
    at->second.add(feature);
  }
}

void Summary::add_other(const WalkedFeature& feature) {
  const auto found = others.find(feature.name);
  if (found == others.end() && others.size() >= features_max) return;
  const std::size_t count = std::visit([](const auto& values) { return values.size(); }, feature.values);
  std::uint64_t& most = found == others.end() ? others[std::string(feature.name)] : found->second;
  most = std::max<std::uint64_t>(most, count);
}

std::string Summary::only_problem() const {
  if (!only || !features.empty() || examples() == 0) return "";
  const auto found = others.find(only->name);
  if (found != others.end())
    return "there is no " + only->typed + ", as " + only->name + " has at most " + counted(found->second, "value") +
           ", and the first is " + only->name + "[0]";
  std::vector<std::string_view> names;
  for (const auto& [name, most] : others) names.push_back(name);
  return "there is no feature " + only->name + "; " +
         (names.empty() ? "the records have none" : did_you_mean(only->name, names));
}

void Summary::merge(const Summary& other) {
  sizes.merge(other.sizes);
  bytes += other.bytes;
  for (std::size_t i = 0; i < messages.size(); ++i) messages[i] += other.messages[i];
  if (!first_unknown) first_unknown = other.first_unknown;
  ignored_features += other.ignored_features;
  for (const auto& [name, most] : other.others)
    if (others.contains(name) || others.size() < features_max) others[name] = std::max(others[name], most);
  for (const auto& [key, feature] : other.features) {
    const auto found = features.find(key);
    if (found != features.end())
      found->second.merge(feature);
    else if (features.size() < features_max)
      features.emplace(key, feature);
    else
      ignored_features += feature.records;
  }
}

std::uint64_t Summary::examples() const {
  return count(ExampleWalker::Message::example) + count(ExampleWalker::Message::sequence_example);
}

}  // namespace carrack::data::cli
