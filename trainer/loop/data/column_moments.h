// Computes mean and standard deviation of columns of numbers, in one pass and in double precision. Welford's method is
// accurate even for numbers that are far from 0 and close to each other. The result depends only on the rows and their
// order. Not thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trainer/checkpoint/statistics.h"

namespace carrack::train {

class ColumnMoments {
 public:
  explicit ColumnMoments(std::size_t columns) : means_(columns), squares_(columns) {}

  // Adds rows, each with one value for each column; values.size() must be a multiple of the number of columns. All
  // values must be finite.
  void add(std::span<const float> values);

  // Returns the results by column; add() must have been called with a row. The deviation is that of the population. It
  // is 1 if all values are equal, or if the deviation is too small for float32.
  std::vector<checkpoint::ColumnStatistics> result() const;

 private:
  std::uint64_t rows_ = 0;
  std::vector<double> means_;    // means of the rows that were added
  std::vector<double> squares_;  // sums of the squared distances from the mean
};

}  // namespace carrack::train
