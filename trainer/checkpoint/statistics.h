// STATISTICS, the file with what a job has found out about its data before its first step: mean and deviation of the
// features that layers standardize. The format is in docs/formats/checkpoint.md, "Statistics".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "trainer/checkpoint/corrupt.h"

namespace carrack::checkpoint {

inline constexpr const char* statistics_name = "STATISTICS";

// Of one value of a feature's last dimension. Both are finite, and the deviation is above 0.
struct ColumnStatistics {
  float mean = 0;
  float deviation = 1;
  bool operator==(const ColumnStatistics&) const = default;
};

struct LayerStatistics {
  std::string layer;
  std::string feature;  // that the layer reads
  std::vector<ColumnStatistics> columns;
  bool operator==(const LayerStatistics&) const = default;
};

struct Statistics {
  std::string order;  // of the data that they were computed of, as in a manifest
  std::vector<LayerStatistics> layers;
  bool operator==(const Statistics&) const = default;
};

// Throws a bug for Statistics that decode_statistics() would refuse.
std::string encode_statistics(const Statistics& statistics);
Decoded<Statistics> decode_statistics(std::string_view text);

}  // namespace carrack::checkpoint
