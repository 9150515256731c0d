// Makes the `data.features` of a TrainingJob's manifest that fits the records of a summary. `carrack data inspect`
// prints it for users to paste, and `carrack init` writes it into a new manifest. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dataloader/cli/summary/summary.h"

namespace carrack::data::cli {

// A feature of the records, and how a manifest declares it. The members from `kind` on are meaningful only if `reason`
// is empty or only_lacks_image_size is true.
struct FoundFeature {
  // `number` is float32, `whole` is int64, `text` is bytes that are text, `image` is bytes that are a JPEG or PNG.
  enum class Kind { number, whole, text, image };

  std::string name;
  std::string reason = {};  // why a manifest cannot declare it; empty if it can
  // True if the manifest could declare the feature, but its images have several sizes and the user must choose one.
  // `reason` then says so.
  bool only_lacks_image_size = false;
  Kind kind = Kind::number;
  std::uint64_t size = 1;  // the number of values in each record
  // The largest value; nullopt for other kinds than `whole`, and if any value is negative.
  std::optional<std::int64_t> largest = {};
  // For `text` with at most 16 different strings, of at most 64 bytes and without control characters: these strings,
  // sorted. Otherwise empty.
  std::vector<std::string> words = {};
  std::uint64_t buckets = 0;            // for `text` without `words`: the number of hash buckets; otherwise 0
  std::uint64_t height = 0, width = 0;  // the largest height and the largest width of the images, in pixels
};

// Returns all features of the records, also those that a manifest cannot declare, in the order of their names, features
// before feature lists.
std::vector<FoundFeature> found_features(const Summary& summary);

// Returns the declaration in YAML: "{type: float32, size: 7}". Requires that `reason` is empty or only_lacks_image_size
// is true.
std::string manifest_type(const FoundFeature& found);

// Returns YAML lines, from `data:` on, with the declaration of each feature. For a feature that a manifest cannot
// declare, or that is beyond the 1,000 of a manifest, there is a comment at the end instead, which says why.
std::string manifest_features(const Summary& summary);

}  // namespace carrack::data::cli
