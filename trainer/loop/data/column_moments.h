// Mean and deviation of columns of numbers, in one pass and in double precision, by Welford's updates: also of numbers
// that are far from 0 and close to each other. The result depends on the rows and their order alone.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trainer/checkpoint/statistics.h"

namespace carrack::train {

class ColumnMoments {
 public:
  explicit ColumnMoments(std::size_t columns) : means_(columns), squares_(columns) {}

  // Rows with a value for each column, one after the other. All values must be finite.
  void add(std::span<const float> values);

  // The deviation is that of the population. It is 1 for a column whose values are all equal, or so close to each other
  // that float32 has no number for their deviation.
  std::vector<checkpoint::ColumnStatistics> result() const;

 private:
  std::uint64_t rows_ = 0;
  std::vector<double> means_;    // of the rows so far
  std::vector<double> squares_;  // of their distances from the mean, added up
};

}  // namespace carrack::train
