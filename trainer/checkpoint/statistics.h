// Encodes and decodes the text of STATISTICS, a file in the checkpoint folder. It has the mean and standard deviation
// of the features that layers of the model standardize. The coordinator computes them from the data before the first
// step, and restarts of the job read them. CheckpointFolder reads and writes the file. Pure functions;
// docs/formats/checkpoint.md, "Statistics", specifies the format.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "trainer/checkpoint/corrupt.h"

namespace carrack::checkpoint {

inline constexpr const char* statistics_name = "STATISTICS";

// The statistics of one column of a feature, which is an index of its last dimension. Both numbers are finite.
struct ColumnStatistics {
  float mean = 0;
  float deviation = 1;  // standard deviation; above 0
  bool operator==(const ColumnStatistics&) const = default;
};

struct LayerStatistics {
  std::string layer;                      // name of the layer
  std::string feature;                    // the feature that the layer reads
  std::vector<ColumnStatistics> columns;  // of the feature, in order
  bool operator==(const LayerStatistics&) const = default;
};

struct Statistics {
  std::string order;                    // from which values they were computed: Manifest::order, seed, and features
  std::vector<LayerStatistics> layers;  // at least one; each has at least one column
  bool operator==(const Statistics&) const = default;
};

// Throws train::Error with Blame::bug for Statistics that decode_statistics() would refuse.
std::string encode_statistics(const Statistics& statistics);
// Returns Corrupt for a text that encode_statistics() never returns.
Decoded<Statistics> decode_statistics(std::string_view text);

}  // namespace carrack::checkpoint
