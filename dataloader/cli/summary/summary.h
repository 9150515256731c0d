// Statistics of records (tf.Examples and others) in one pass: their message types, their sizes, and what each feature
// holds. `carrack data inspect` and `stats` report them; `bench`, `explain` and `carrack init` find the features with
// them. Records may be any bytes; memory hardly grows with their number.
//
// Summaries of parts of the records, such as one for each file, can be merged. Merge them in the order of the records:
// `first_unknown` and `example` come from the first summary that has one. Not thread-safe.
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

// The sizes of the images of one format.
struct ImageSizes {
  std::uint64_t count = 0;  // the number of images
  Range width, height;      // the ranges of widths and heights, in pixels
};

// What the bytes values of a feature hold.
struct StringSummary {
  NumberSummary<std::int64_t> lengths;  // the lengths of the strings, in bytes
  std::uint64_t texts = 0;              // the number of strings that are text (is_text() in text.h) and not an image
  std::uint64_t numbers = 0;            // the number of those texts that are a number, such as "1.5"
  std::map<std::string, ImageSizes, std::less<>> images;  // the strings that are images, by format, such as "JPEG"
  DistinctCounter distinct;
  ValueCounts<std::string> counts;  // how often each string occurs; discarded once a string is longer than 64 bytes

  void add(std::span<const std::string_view> values);
  void merge(const StringSummary& other);
};

// The statistics of one feature. `strings`, `floats` and `ints` have its values of each type.
struct FeatureSummary {
  std::uint64_t records = 0;  // the number of records that have the feature
  // The number of those records in which it has each type, indexed by Dtype; [0]: no type, as it is a feature list
  // without values.
  std::array<std::uint64_t, 4> records_by_type = {};
  Range values;                // the number of values in each record, or in each step of a feature list
  std::optional<Range> steps;  // the number of steps in each record; nullopt if this is not a feature list
  StringSummary strings;
  NumberSummary<float> floats;
  NumberSummary<std::int64_t> ints;
  ValueColumns columns;  // only for numbers; empty for a feature list, and for a feature of several types
  std::string example;   // up to three values of the first record that has values, as from values_text()

  void add(const WalkedFeature& feature);
  void merge(const FeatureSummary& other);
  // Returns the type of the feature; nullopt if it has several types, or none in any record.
  std::optional<Dtype> dtype() const;
};

struct FeatureKey {
  Part part = Part::features;
  std::string name;
  auto operator<=>(const FeatureKey&) const = default;
};

// The statistics of all records.
struct Summary {
  // The maximum number of features that are summarized. If there are more, the names probably hold data, such as an ID.
  static constexpr std::size_t features_max = 4096;

  NumberSummary<std::int64_t> sizes;           // the sizes of the records' data, in bytes
  std::uint64_t bytes = 0;                     // the sum of the sizes
  std::array<std::uint64_t, 3> messages = {};  // the number of records, indexed by ExampleWalker::Message
  std::optional<std::string> first_unknown;    // the first record of Message::other: "x.tfrecord: record 3"
  std::map<FeatureKey, FeatureSummary> features;
  std::uint64_t ignored_features = 0;  // how often records had a feature beyond features_max
  // If set, only this feature or value is in `features`. Set it before the first record is added; merge() does not copy
  // it. `others` then has the names of the features that are not in `features`, or lack the value in a record; at most
  // features_max, each with the largest number of its values in such a record. It is for only_problem().
  std::optional<Selection> only = {};
  std::map<std::string, std::uint64_t, std::less<>> others = {};

  // Adds a record. `file` and `number` name it in messages; `number` counts from 0 in each file. `walker` is scratch
  // memory, which is overwritten.
  void add(std::string_view file, std::uint64_t number, std::span<const std::byte> record, ExampleWalker& walker);
  // Adds the records that were added to `other`.
  void merge(const Summary& other);

  std::uint64_t records() const { return sizes.count; }
  std::uint64_t count(ExampleWalker::Message message) const { return messages[static_cast<std::size_t>(message)]; }
  // Returns the message for a user who has selected something that no record has: "there is no feature x; there are a,
  // b". Empty if a record has it, if `only` is not set, and if examples() is 0.
  std::string only_problem() const;
  // Returns the number of records that are a tf.Example or a tf.SequenceExample.
  std::uint64_t examples() const;

 private:
  void add_other(const WalkedFeature& feature);
};

}  // namespace carrack::data::cli
