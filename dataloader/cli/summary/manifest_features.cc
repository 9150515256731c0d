#include "dataloader/cli/summary/manifest_features.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "dataloader/cli/summary/record_json.h"
#include "dataloader/text.h"

namespace carrack::data::cli {
namespace {

constexpr std::size_t name_max = 256;
constexpr std::size_t features_max = 1000;

// True if YAML 1.1, which kubectl reads, takes the word for a boolean or null.
bool is_yaml_word(std::string name) {
  constexpr std::array<std::string_view, 9> words = {"y", "n", "yes", "no", "on", "off", "true", "false", "null"};
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; });
  return std::find(words.begin(), words.end(), name) != words.end();
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < ' ' || c == 127;
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

std::string yaml_text(const std::string& text) {
  const bool is_plain = !text.empty() && is_letter(text[0]) && std::all_of(text.begin(), text.end(), [](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '/' || c == '.' || c == '-';
  });
  return is_plain && !is_yaml_word(text) ? text : json_string(text);
}

// The sizes of the images, if all values are images of a format that a job decodes.
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

// Why a manifest cannot name this feature of strings that are no text; empty if it can.
std::string unsupported_bytes_reason(const FeatureSummary& feature) {
  const std::optional<ImageSizes> sizes = supported_image_sizes(feature);
  if (!sizes) return "is bytes, of which a manifest names text, JPEGs, PNGs and raw pixels (uint8)";
  if (feature.values.min != 1 || feature.values.max != 1) return "has several images; a manifest names one";
  if (sizes->height.min == sizes->height.max && sizes->width.min == sizes->width.max) return "";
  return "has images of several sizes; name one, as in {type: float32, image: {height: 224, width: 224}}";
}

// The words if they are few; otherwise so many buckets that few strings share a number.
std::string words_or_buckets(const StringSummary& strings) {
  constexpr std::uint64_t buckets_of_each = 10, buckets_max = 1'000'000'000;
  const auto counts = strings.counts.counts();
  const auto holds_control = [](const auto& counted) { return std::ranges::any_of(counted.first, is_control); };
  if (!counts || std::ranges::any_of(*counts, holds_control)) {
    return ", buckets: " + std::to_string(std::min(buckets_max, buckets_of_each * strings.distinct.count().count));
  }
  std::string words;
  for (const auto& [word, count] : *counts) words += (words.empty() ? "" : ", ") + yaml_text(word);
  return ", words: [" + words + "]";
}

std::string manifest_type(const FeatureSummary& feature) {
  const std::string size = feature.values.max > 1 ? ", size: " + std::to_string(feature.values.max) : "";
  if (feature.dtype() == Dtype::bytes) {
    if (is_text(feature)) return "{type: text" + size + words_or_buckets(feature.strings) + "}";
    const ImageSizes sizes = supported_image_sizes(feature).value();
    return "{type: float32, image: {height: " + std::to_string(sizes.height.max) +
           ", width: " + std::to_string(sizes.width.max) + "}}";
  }
  return "{type: " + std::string(feature.dtype() == Dtype::int64 ? "int64" : "float32") + size + "}";
}

// Why a manifest cannot name the feature; empty if it can.
std::string unsupported_reason(const FeatureKey& key, const FeatureSummary& feature, std::uint64_t examples) {
  if (!is_utf8(key.name)) return "the name is no UTF-8";
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

std::string manifest_features(const Summary& summary) {
  std::string text = "data:\n  features:\n", comments;
  std::size_t named = 0;
  for (const auto& [key, feature] : summary.features) {
    std::string why = unsupported_reason(key, feature, summary.examples());
    if (why.empty() && named == features_max) why = "is left out; a manifest names at most 1,000 features";
    if (!why.empty()) {
      comments += "    # " + name_json(key.name) + ": " + why + "\n";
      continue;
    }
    ++named;
    text += "    " + yaml_text(key.name) + ": " + manifest_type(feature) + "\n";
  }
  return (named == 0 ? "data:\n  features: {}\n" : text) + comments;
}

}  // namespace carrack::data::cli
