// Makes the `data.features` of a job's manifest that fit the records of a summary, for users to paste and for `carrack
// init`. Pure.
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
  enum class Kind { number, whole, text, image };  // `number` is float32, `whole` is int64

  std::string name;
  std::string reason = {};  // why a manifest cannot declare it; empty if it can
  // The only `reason` is that its images have several sizes, so the user must choose one.
  bool only_lacks_size = false;
  Kind kind = Kind::number;
  std::uint64_t size = 1;  // the number of values in each record
  // The largest value; nullopt for other kinds than `whole`, and if any value is negative.
  std::optional<std::int64_t> largest = {};
  // The different strings of `text`, sorted, if they are few (ValueCounts); otherwise empty.
  std::vector<std::string> words = {};
  std::uint64_t buckets = 0;            // the number of buckets to declare for `text` without `words`; otherwise 0
  std::uint64_t height = 0, width = 0;  // the largest height and the largest width of the images, in pixels
};

// Returns all features in the order of their names, features before feature lists.
std::vector<FoundFeature> found_features(const Summary& summary);

// Returns the declaration in YAML: "{type: float32, size: 7}". Requires that `reason` is empty or only_lacks_size is
// true.
std::string manifest_type(const FoundFeature& found);

// Returns the lines of the manifest, from `data:` on, as YAML. Each feature that a manifest cannot declare, or that is
// beyond the 1,000 of a manifest, has a comment at the end that says why.
std::string manifest_features(const Summary& summary);

}  // namespace carrack::data::cli
