// Statistics of records in one pass: their message types, their sizes, and what each feature holds. Summaries of parts
// of the records can be merged. Merge them in the order of the records: `first_unknown` and `example` come from the
// first summary that has one. Records may be any bytes, and memory is bounded whatever they hold. Not thread-safe.
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

#include "dataloader/cli/summary/number_summary.h"
#include "dataloader/cli/summary/selection.h"
#include "dataloader/cli/summary/value_columns.h"
#include "dataloader/records/example_walk.h"

namespace carrack::data::cli {

// The smallest and the largest of the numbers that were added; `min` is larger than `max` while there are none.
struct Range {
  std::uint64_t min = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t max = 0;

  void add(std::uint64_t number) { merge({number, number}); }
  void merge(const Range& other);
  bool operator==(const Range&) const = default;
};

struct ImageSizes {
  std::uint64_t count = 0;  // images
  Range width, height;      // in pixels
};

struct StringSummary {
  NumberSummary<std::int64_t> lengths;                    // in bytes
  std::uint64_t texts = 0;                                // strings that are text (is_text()) and not an image
  std::uint64_t numbers = 0;                              // texts that are a number as a whole
  std::map<std::string, ImageSizes, std::less<>> images;  // by format, such as "JPEG"
  DistinctCounter distinct;
  ValueCounts<std::string> counts;  // discarded once a string is longer than 64 bytes

  void add(std::span<const std::string_view> values);
  void merge(const StringSummary& other);
};

struct FeatureSummary {
  std::uint64_t records = 0;                          // that have the feature
  std::array<std::uint64_t, 4> records_by_type = {};  // indexed by Dtype; [0]: the feature has no type in the record
  Range values;                // the number of values in a record, or in a step of a feature list
  std::optional<Range> steps;  // the number of steps in a record; nullopt if this is not a feature list
  StringSummary strings;
  NumberSummary<float> floats;
  NumberSummary<std::int64_t> ints;
  ValueColumns columns;  // of numbers; empty for a feature list, and for a feature of several types
  std::string example;   // up to three values of the first record that has any, as JSON

  void add(const WalkedFeature& feature);
  void merge(const FeatureSummary& other);
  // The type, if all records that have one have the same; otherwise nullopt.
  std::optional<Dtype> dtype() const;
};

struct FeatureKey {
  Part part = Part::features;
  std::string name;
  auto operator<=>(const FeatureKey&) const = default;
};

struct Summary {
  // The most features that are summarized. If there are more, the names are probably data.
  static constexpr std::size_t features_max = 4096;

  NumberSummary<std::int64_t> sizes;           // of the records' data, in bytes
  std::uint64_t bytes = 0;                     // the sum of the sizes
  std::array<std::uint64_t, 3> messages = {};  // records by ExampleWalker::Message
  std::optional<std::string> first_unknown;    // the first record of Message::other: "x.tfrecord: record 3"
  std::map<FeatureKey, FeatureSummary> features;
  std::uint64_t ignored_features = 0;  // occurrences of features beyond features_max
  // If set, only this feature or value is summarized. `others` then has the names of the other features, at most
  // features_max, each with the most values that a record has of it. Set it before the first record is added.
  std::optional<Selection> only = {};
  std::map<std::string, std::uint64_t, std::less<>> others = {};

  // Adds a record. `number` is its number in the file, counted from 0. `walker` is scratch memory, which is
  // overwritten.
  void add(std::string_view file, std::uint64_t number, std::span<const std::byte> record, ExampleWalker& walker);
  void merge(const Summary& other);

  std::uint64_t records() const { return sizes.count; }
  std::uint64_t count(ExampleWalker::Message message) const { return messages[static_cast<std::size_t>(message)]; }
  // Returns why no record has what `only` selects: "there is no feature x; there are a, b". Empty if one has it, if
  // `only` is not set, and if examples() is 0.
  std::string only_problem() const;
  // The number of records that are a tf.Example or a tf.SequenceExample.
  std::uint64_t examples() const;

 private:
  void add_other(const WalkedFeature& feature);
};

}  // namespace carrack::data::cli
