// Decides which records a snapshot of files contains: those whose values of certain features are all within bounds.
// Accepts any bytes.
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
  // Throws an Error for a feature that contradicts itself. Without bounds all records are kept.
  explicit RecordFilter(const std::vector<FeatureBounds>& all);

  // Returns whether the record is within all bounds, or a Mismatch if it does not have a feature as requested. Checks
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
