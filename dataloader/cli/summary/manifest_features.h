// The `data.features` of a job's manifest that fit records, for users to paste and for `carrack init`. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dataloader/cli/summary/summary.h"

namespace carrack::data::cli {

// A feature of the records, and how a manifest declares it. The members after only_lacks_size are meaningful only if
// `reason` is empty or only_lacks_size is true.
struct FoundFeature {
  enum class Kind { number, whole, text, image };  // number: float32; whole: int64

  std::string name;
  std::string reason = {};       // why a manifest cannot declare it; empty if it can
  bool only_lacks_size = false;  // The only reason is that its images have several sizes.
  Kind kind = Kind::number;
  std::uint64_t size = 1;                    // values in each record
  std::optional<std::int64_t> largest = {};  // of whole numbers; nullopt if any is negative
  std::vector<std::string> words = {};       // the different strings of text, if they are few
  std::uint64_t buckets = 0;                 // for text without `words`; otherwise 0
  std::uint64_t height = 0, width = 0;       // the largest height and the largest width of the images, in pixels
};

// Returns all features in the order of their names, features before feature lists.
std::vector<FoundFeature> found_features(const Summary& summary);

// "{type: float32, size: 7}". The feature must have no `reason`, or only_lacks_size.
std::string manifest_type(const FoundFeature& found);

// Returns YAML. A feature that a manifest cannot declare, or that is beyond the 1,000 of a manifest, gets a comment at
// the end that says why.
std::string manifest_features(const Summary& summary);

}  // namespace carrack::data::cli
