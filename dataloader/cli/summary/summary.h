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

// The smallest and the largest of the numbers that were added. If none was added, `min` is larger than `max`.
struct Range {
  std::uint64_t min = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t max = 0;

  void add(std::uint64_t number) { merge({number, number}); }
  void merge(const Range& other);
  bool operator==(const Range&) const = default;
};

struct ImageSizes {
  std::uint64_t count = 0;  // the number of images
  Range width, height;      // the ranges of widths and heights, in pixels
};

struct StringSummary {
  NumberSummary<std::int64_t> lengths;  // the lengths of the strings, in bytes
  std::uint64_t texts = 0;              // the number of strings that are text (is_text()) and not an image
  std::uint64_t numbers = 0;            // the number of those texts that consist of a number
  std::map<std::string, ImageSizes, std::less<>> images;  // the strings that are images, by format, such as "JPEG"
  DistinctCounter distinct;
  ValueCounts<std::string> counts;  // discarded once a string is longer than 64 bytes

  void add(std::span<const std::string_view> values);
  void merge(const StringSummary& other);
};

struct FeatureSummary {
  std::uint64_t records = 0;                          // the number of records that have the feature
  std::array<std::uint64_t, 4> records_by_type = {};  // those records, indexed by Dtype; [0]: the feature has no type
  Range values;                // the number of values in each record, or in each step of a feature list
  std::optional<Range> steps;  // the number of steps in each record; nullopt if this is not a feature list
  StringSummary strings;
  NumberSummary<float> floats;
  NumberSummary<std::int64_t> ints;
  ValueColumns columns;  // only for numbers; empty for a feature list, and for a feature of several types
  std::string example;   // up to three values of the first record that has values, as JSON

  void add(const WalkedFeature& feature);
  void merge(const FeatureSummary& other);
  // Returns the type if it is the same in all records in which the feature has a type; nullopt if there are several
  // types or none.
  std::optional<Dtype> dtype() const;
};

struct FeatureKey {
  Part part = Part::features;
  std::string name;
  auto operator<=>(const FeatureKey&) const = default;
};

struct Summary {
  // The maximum number of features that are summarized. If there are more, their names are probably data.
  static constexpr std::size_t features_max = 4096;

  NumberSummary<std::int64_t> sizes;           // the sizes of the records' data, in bytes
  std::uint64_t bytes = 0;                     // the sum of the sizes
  std::array<std::uint64_t, 3> messages = {};  // the number of records, indexed by ExampleWalker::Message
  std::optional<std::string> first_unknown;    // the first record of Message::other: "x.tfrecord: record 3"
  std::map<FeatureKey, FeatureSummary> features;
  std::uint64_t ignored_features = 0;  // how often records had a feature beyond features_max
  // If set, only this feature or value is summarized. `others` then has the names of the other features, at most
  // features_max, each with the largest number of its values in a record. Set `only` before the first record is added.
  std::optional<Selection> only = {};
  std::map<std::string, std::uint64_t, std::less<>> others = {};

  // Adds a record. `file` and `number` name it in messages; `number` counts from 0 in each file. `walker` is scratch
  // memory, which is overwritten.
  void add(std::string_view file, std::uint64_t number, std::span<const std::byte> record, ExampleWalker& walker);
  void merge(const Summary& other);

  std::uint64_t records() const { return sizes.count; }
  std::uint64_t count(ExampleWalker::Message message) const { return messages[static_cast<std::size_t>(message)]; }
  // Returns why no record has what `only` selects: "there is no feature x; there are a, b". Empty if a record has it,
  // if `only` is not set, and if examples() is 0.
  std::string only_problem() const;
  // Returns the number of records that are a tf.Example or a tf.SequenceExample.
  std::uint64_t examples() const;

 private:
  void add_other(const WalkedFeature& feature);
};

}  // namespace carrack::data::cli
