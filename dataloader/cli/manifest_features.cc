#include "dataloader/cli/manifest_features.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "dataloader/cli/text.h"

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

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

std::string yaml_key(const std::string& name) {
  const bool is_plain = !name.empty() && is_letter(name[0]) && std::all_of(name.begin(), name.end(), [](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '/' || c == '.' || c == '-';
  });
  return is_plain && !is_yaml_word(name) ? name : quoted(name);
}

// Why a manifest cannot name the feature; empty if it can.
std::string why_not(const FeatureKey& key, const FeatureSummary& feature, std::uint64_t examples) {
  if (!is_utf8(key.name)) return "the name is no UTF-8";
  if (key.name.empty()) return "the name is empty";
  if (key.name.size() > longest_name) return "the name has more than 256 characters";
  if (key.part == Part::feature_lists) return "is a feature list; a manifest names no sequences";
  if (!feature.dtype()) return "is of several types";
  if (feature.dtype() == Dtype::bytes) return "is bytes; a manifest names float32 and int64 alone";
  if (feature.records < examples)
    return "is absent from " + counted(examples - feature.records, "record") + "; each has to have it";
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
      comments += "    # " + (is_utf8(key.name) ? quoted(key.name) : quoted(printable(key.name))) + ": " + why + "\n";
      continue;
    }
    ++named;
    text += "    " + yaml_key(key.name) + ": {type: " + (feature.dtype() == Dtype::int64 ? "int64" : "float32");
    if (feature.values.most > 1) text += ", size: " + std::to_string(feature.values.most);
    text += "}\n";
  }
  return (named == 0 ? "data:\n  features: {}\n" : text) + comments;
}

}  // namespace carrack::data::cli
