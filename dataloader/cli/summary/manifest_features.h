// The `data.features` of a job's manifest for records with these features, ready to paste. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dataloader/cli/summary/summary.h"

namespace carrack::data::cli {

// A feature of the records, as a manifest would name it.
struct FoundFeature {
  enum class Kind { number, whole, text, image };

  std::string name;
  std::string reason = {};       // why a manifest cannot name it as it is; empty if it can
  bool only_lacks_size = false;  // the reason is that its images have several sizes
  Kind kind = Kind::number;
  std::uint64_t size = 1;                    // values in each record
  std::optional<std::int64_t> largest = {};  // of whole numbers of which none is negative
  std::vector<std::string> words = {};       // of text with few different strings
  std::uint64_t buckets = 0;                 // of other text
  std::uint64_t height = 0, width = 0;       // of images: those of the largest
};

// In the order of their names.
std::vector<FoundFeature> found_features(const Summary& summary);

// "{type: float32, size: 7}", of a feature without a reason.
std::string manifest_type(const FoundFeature& found);

// YAML. For each feature that a manifest cannot name, or that is one too many for a manifest, there is a comment at the
// end, which says why.
std::string manifest_features(const Summary& summary);

}  // namespace carrack::data::cli
