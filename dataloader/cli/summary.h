// What records are, found by looking at them once: which messages, how large, and of each feature what it holds. Parts
// that saw parts of the records can be merged. Any bytes can be added, and memory stays bounded.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "dataloader/cli/number_summary.h"
#include "dataloader/records/example_walk.h"

namespace carrack::data::cli {

// From the least to the most of what was added; of nothing `least` is larger than `most`.
struct Range {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t most = 0;

  void add(std::uint64_t number);
  void merge(const Range& other);
  bool operator==(const Range&) const = default;
};

struct ImageSizes {
  std::uint64_t count = 0;
  Range width, height;
};

struct StringSummary {
  NumberSummary<std::int64_t> lengths;  // in bytes
  std::uint64_t texts = 0;              // how many a person can read
  std::uint64_t numbers = 0;            // how many of these are a number in digits
  std::map<std::string, ImageSizes, std::less<>> images;
  Distinct distinct;
  FewValues<std::string> few;

  void add(std::span<const std::string_view> values);
  void merge(const StringSummary& other);
};

struct FeatureSummary {
  std::uint64_t records = 0;             // that have it
  std::array<std::uint64_t, 4> as = {};  // how many have it as which Dtype; the first: as none
  Range values;                          // in a record, or in a step
  std::optional<Range> steps;            // of a feature list
  StringSummary strings;
  NumberSummary<float> floats;
  NumberSummary<std::int64_t> ints;
  std::string example;  // the first value, for a person

  void add(const WalkedFeature& feature);
  void merge(const FeatureSummary& other);
  // The one kind that it has throughout.
  std::optional<Dtype> dtype() const;
};

struct FeatureKey {
  Part part = Part::features;
  std::string name;
  auto operator<=>(const FeatureKey&) const = default;
};

struct Summary {
  // Of more names than this the others are only counted: then they are no names of features.
  static constexpr std::size_t most_features = 4096;

  NumberSummary<std::int64_t> sizes;           // of the records' data, in bytes
  std::uint64_t bytes = 0;                     // of them all
  std::array<std::uint64_t, 3> messages = {};  // records by ExampleWalker::Message
  std::optional<std::string> first_other;      // "x.tfrecord: record 3", where there are Examples too
  std::map<FeatureKey, FeatureSummary> features;
  std::uint64_t unlisted = 0;  // how often there was a feature beyond the most

  void add(std::string_view file, std::uint64_t number, std::span<const std::byte> record, ExampleWalker& walker);
  void merge(const Summary& other);

  std::uint64_t records() const { return sizes.count; }
  std::uint64_t count(ExampleWalker::Message message) const { return messages[static_cast<std::size_t>(message)]; }
  // Those that have features.
  std::uint64_t examples() const;
};

}  // namespace carrack::data::cli
