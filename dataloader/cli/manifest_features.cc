#include "dataloader/cli/manifest_features.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "dataloader/text.h"

namespace carrack::data::cli {
namespace {

constexpr std::size_t longest_name = 256;
constexpr std::size_t most_in_a_manifest = 1000;

// What YAML 1.1, which kubectl reads, takes for something else than text.
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

std::string yaml_key(const std::string& name) {
  const bool is_plain = !name.empty() && is_letter(name[0]) && std::all_of(name.begin(), name.end(), [](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '/' || c == '.' || c == '-';
  });
  return is_plain && !is_yaml_word(name) ? name : json_string(name);
}

// The sizes of those that are decoded, where all are.
std::optional<ImageSizes> decoded_images(const FeatureSummary& feature) {
  std::uint64_t all = 0;
  ImageSizes sizes;
  for (const auto& [format, of_format] : feature.strings.images) {
    if (format != "JPEG" && format != "PNG") return std::nullopt;
    all += of_format.count;
    sizes.height.merge(of_format.height);
    sizes.width.merge(of_format.width);
  }
  return all > 0 && all == feature.strings.lengths.count ? std::optional(sizes) : std::nullopt;
}

// What is no image where a manifest is to name it.
std::string why_no_image(const FeatureSummary& feature) {
  const std::optional<ImageSizes> sizes = decoded_images(feature);
  if (!sizes) return "is bytes; a manifest names float32, int64, and JPEGs and PNGs alone";
  if (feature.values.least != 1 || feature.values.most != 1) return "has several images; a manifest names one";
  if (sizes->height.least == sizes->height.most && sizes->width.least == sizes->width.most) return "";
  return "has images of several sizes; name one, as in {type: float32, image: {height: 224, width: 224}}";
}

std::string in_manifest(const FeatureSummary& feature) {
  if (feature.dtype() == Dtype::bytes) {
    const ImageSizes sizes = decoded_images(feature).value();
    return "{type: float32, image: {height: " + std::to_string(sizes.height.most) +
           ", width: " + std::to_string(sizes.width.most) + "}}";
  }
  const std::string size = feature.values.most > 1 ? ", size: " + std::to_string(feature.values.most) : "";
  return "{type: " + std::string(feature.dtype() == Dtype::int64 ? "int64" : "float32") + size + "}";
}

// Why a manifest cannot name the feature; empty if it can.
std::string why_not(const FeatureKey& key, const FeatureSummary& feature, std::uint64_t examples) {
  if (!is_utf8(key.name)) return "the name is no UTF-8";
  if (key.name.empty()) return "the name is empty";
  if (key.name.size() > longest_name) return "the name has more than 256 characters";
  if (std::ranges::any_of(key.name, is_control)) return "the name holds control characters";
  if (key.part == Part::feature_lists) return "is a feature list; a manifest names no sequences";
  if (!feature.dtype()) return "is of several types";
  if (feature.records < examples)
    return "is absent from " + counted(examples - feature.records, "record") + "; each has to have it";
  if (feature.dtype() == Dtype::bytes) return why_no_image(feature);
  if (feature.values.least != feature.values.most)
    return "has " + counted(feature.values.least) + " to " + counted(feature.values.most) +
           " values; a manifest names a fixed number";
  return feature.values.most == 0 ? "has no values" : "";
}

}  // namespace

std::string manifest_features(const Summary& summary) {
  std::string text = "data:\n  features:\n", comments;
  std::size_t named = 0;
  for (const auto& [key, feature] : summary.features) {
    std::string why = why_not(key, feature, summary.examples());
    if (why.empty() && named == most_in_a_manifest) why = "is left out; a manifest names at most 1,000 features";
    if (!why.empty()) {
      comments += "    # " + (is_utf8(key.name) ? json_string(key.name) : json_string(printable(key.name))) + ": " + why + "\n";
      continue;
    }
    ++named;
    text += "    " + yaml_key(key.name) + ": " + in_manifest(feature) + "\n";
  }
  return (named == 0 ? "data:\n  features: {}\n" : text) + comments;
}

}  // namespace carrack::data::cli
