// Decides which records a snapshot of files keeps: those whose values of certain features are all within bounds.
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
  Feature feature;                           // must be of numbers, with the same count in each record
  std::optional<double> min = {}, max = {};  // inclusive, nullopt: no bound; rounded to float32 for float32 features
};

// "label int64, from 0 to 9". Part of the identity of snapshots (docs/formats/snapshot.md), so it must never change.
std::string canonical(const FeatureBounds& bounds);

// For one thread at a time.
class RecordFilter {
 public:
  // Throws an Error for a contradictory feature.
  explicit RecordFilter(const std::vector<FeatureBounds>& all);

  // Returns true if the record is within all bounds, and a Mismatch if it does not have a feature as requested. Checks
  // the bounds in order, up to the first one that the record is not within. NaN is not within any bounds.
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
