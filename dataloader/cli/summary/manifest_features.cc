#include "dataloader/cli/summary/manifest_features.h"

#include <algorithm>
#include <optional>

#include "dataloader/cli/summary/record_json.h"
#include "dataloader/cli/summary/yaml_text.h"
#include "dataloader/text.h"

namespace carrack::data::cli {
namespace {

constexpr std::size_t name_max = 256;
constexpr std::size_t features_max = 1000;
constexpr const char* several_sizes =
    "has images of several sizes; name one, as in {type: float32, image: {height: 224, width: 224}}";

bool is_control(char c) {
  return static_cast<unsigned char>(c) < ' ' || c == 127;
}

// Returns the sizes of the images if all values are images of a format that a job decodes; otherwise nullopt.
std::optional<ImageSizes> supported_image_sizes(const FeatureSummary& feature) {
  std::uint64_t images = 0;
  ImageSizes sizes;
  for (const auto& [format, of_format] : feature.strings.images) {
    if (format != "JPEG" && format != "PNG") return std::nullopt;
    images += of_format.count;
    sizes.height.merge(of_format.height);
    sizes.width.merge(of_format.width);
  }
  return images > 0 && images == feature.strings.lengths.count ? std::optional(sizes) : std::nullopt;
}

bool is_text(const FeatureSummary& feature) {
  return feature.strings.texts == feature.strings.lengths.count;
}

// Returns why a manifest cannot declare this feature of bytes that are not text; empty if it can.
std::string unsupported_bytes_reason(const FeatureSummary& feature) {
  const std::optional<ImageSizes> sizes = supported_image_sizes(feature);
  if (!sizes) return "is bytes, of which a manifest names text, JPEGs, PNGs and raw pixels (uint8)";
  if (feature.values.min != 1 || feature.values.max != 1) return "has several images; a manifest names one";
  if (sizes->height.min == sizes->height.max && sizes->width.min == sizes->width.max) return "";
  return several_sizes;
}

constexpr std::uint64_t buckets_of_each = 10, buckets_max = 1'000'000'000;

// A job turns strings into numbers. If there are few different strings, lists them as words, each with its own number.
// Otherwise sets a number of hash buckets, ten for each different string, so that few strings share a number.
void add_words_or_buckets(const StringSummary& strings, FoundFeature& found) {
  const auto counts = strings.counts.counts();
  const auto holds_control = [](const auto& counted) { return std::ranges::any_of(counted.first, is_control); };
  if (!counts || std::ranges::any_of(*counts, holds_control)) {
    found.buckets = std::min(buckets_max, buckets_of_each * strings.distinct.count().count);
    return;
  }
  for (const auto& [word, count] : *counts) found.words.push_back(word);
}

void add_type(const FeatureSummary& feature, FoundFeature& found) {
  using Kind = FoundFeature::Kind;
  found.size = feature.values.max;
  if (feature.dtype() != Dtype::bytes) {
    found.kind = feature.dtype() == Dtype::int64 ? Kind::whole : Kind::number;
    if (found.kind == Kind::whole && feature.ints.min >= 0) found.largest = feature.ints.max;
  } else if (is_text(feature)) {
    found.kind = Kind::text;
    add_words_or_buckets(feature.strings, found);
  } else if (const std::optional<ImageSizes> sizes = supported_image_sizes(feature)) {
    found.kind = Kind::image;
    found.height = sizes->height.max;
    found.width = sizes->width.max;
  }
}

// Returns why a manifest cannot declare the feature; empty if it can.
std::string unsupported_reason(const FeatureKey& key, const FeatureSummary& feature, std::uint64_t examples) {
  if (!is_utf8(key.name)) return "the name is not UTF-8";
  if (key.name.empty()) return "the name is empty";
  if (key.name.size() > name_max) return "the name has more than 256 characters";
  if (std::ranges::any_of(key.name, is_control)) return "the name holds control characters";
  if (key.part == Part::feature_lists) return "is a feature list; a manifest names no sequences";
  if (!feature.dtype()) return "is of several types";
  if (feature.records < examples)
    return "is absent from " + counted(examples - feature.records, "record") + "; each has to have it" +
           (feature.values.max == 1 ? ", and convert --fill gives it one" : "");
  if (feature.dtype() == Dtype::bytes && !is_text(feature)) return unsupported_bytes_reason(feature);
  if (feature.values.min != feature.values.max)
    return "has " + counted(feature.values.min) + " to " + counted(feature.values.max) +
           " values; a manifest names a fixed number";
  return feature.values.max == 0 ? "has no values" : "";
}

}  // namespace

std::vector<FoundFeature> found_features(const Summary& summary) {
  std::vector<FoundFeature> all;
  std::size_t named = 0;
  for (const auto& [key, feature] : summary.features) {
    FoundFeature& found = all.emplace_back(FoundFeature{.name = key.name});
    found.reason = unsupported_reason(key, feature, summary.examples());
    if (found.reason.empty() && named == features_max)
      found.reason = "is left out; a manifest names at most 1,000 features";
    if (found.reason.empty()) ++named;
    found.only_lacks_image_size = found.reason == several_sizes;
    add_type(feature, found);
  }
  return all;
}

std::string manifest_type(const FoundFeature& found) {
  const std::string size = found.size > 1 ? ", size: " + std::to_string(found.size) : "";
  switch (found.kind) {
    case FoundFeature::Kind::number:
      return "{type: float32" + size + "}";
    case FoundFeature::Kind::whole:
      return "{type: int64" + size + "}";
    case FoundFeature::Kind::image:
      return "{type: float32, image: {height: " + std::to_string(found.height) +
             ", width: " + std::to_string(found.width) + "}}";
    case FoundFeature::Kind::text:
      break;
  }
  std::string words;
  for (const std::string& word : found.words) words += (words.empty() ? "" : ", ") + yaml_text(word);
  return "{type: text" + size + (words.empty() ? "" : ", words: [" + words + "]") +
         (found.buckets > 0 ? ", buckets: " + std::to_string(found.buckets) : "") + "}";
}

std::string manifest_features(const Summary& summary) {
  std::string text, comments;
  for (const FoundFeature& found : found_features(summary)) {
    if (found.reason.empty()) {
      text += "    " + yaml_text(found.name) + ": " + manifest_type(found) + "\n";
    } else {
      comments += "    # " + name_json(found.name) + ": " + found.reason + "\n";
    }
  }
  return (text.empty() ? "data:\n  features: {}\n" : "data:\n  features:\n" + text) + comments;
}

}  // namespace carrack::data::cli
