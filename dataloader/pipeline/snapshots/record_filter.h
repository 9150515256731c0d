// Decides which records a snapshot of files keeps: those whose values of a feature all lie within bounds. Accepts any
// bytes.
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
  Feature feature;                           // of numbers, the same count in each record
  std::optional<double> min = {}, max = {};  // inclusive; for float32 features rounded to the nearest float32
};

// "label int64, from 0 to 9". It is part of the identity of snapshots (docs/formats/snapshot.md) and never changes.
std::string canonical(const FeatureBounds& bounds);

// For one thread at a time.
class RecordFilter {
 public:
  explicit RecordFilter(const std::vector<FeatureBounds>& all);

  // True if the record is within all bounds; a Mismatch if it lacks a feature. Stops at the first bounds that it is not
  // within.
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
