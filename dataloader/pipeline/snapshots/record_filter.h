// RecordFilter: decides which records a filtered copy of files (file_snapshot.h) contains: those whose values of
// certain features are all within bounds, such as `label` from 0 to 9.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "dataloader/records/example.h"
#include "dataloader/records/example_parser.h"

namespace carrack::data {

struct FeatureBounds {
  Feature feature;  // must be of numbers, with the same count in each record; not checked
  // Both are inclusive; nullopt: no bound. For float32 features they are rounded to the nearest float32.
  std::optional<double> min = {}, max = {};
};

// Returns a text such as "label int64, from 0 to 9". It is part of the identity of snapshots
// (docs/formats/snapshot.md), so it must never change.
std::string canonical(const FeatureBounds& bounds);

// Not thread-safe.
class RecordFilter {
 public:
  // Throws an Error for a feature that contradicts itself (check_features() in example.h). Without bounds every record
  // passes.
  explicit RecordFilter(const std::vector<FeatureBounds>& all);

  // Returns true if the record is within all bounds, false if it is to be left out, and a Mismatch if it is not a
  // tf.Example or does not have a feature as requested. `record` is a serialized Example; any bytes are allowed. Checks
  // the bounds in order, up to the first one that the record is not within. A feature of several values is within
  // bounds if all its values are; NaN is never.
  std::variant<bool, Mismatch> keeps(std::span<const std::byte> record);

 private:
  struct Filter {
    FeatureBounds bounds;
    ExampleParser parser;
    std::vector<Column> columns;
  };

  std::vector<Filter> filters_;
};

}  // namespace carrack::data
