// Normalization of rows and of columns. The bits of a row or column depend on nothing beside it.
#pragma once

#include <cstdint>

#include "trainer/kernels/device.h"
#include "trainer/kernels/lanes.h"
#include "trainer/kernels/rows.h"
#include "trainer/kernels/thread_pool.h"

namespace carrack::train {

// Columns are normalized over the rows of each lane by themselves. Without lanes all rows are one; else the last lane
// ends at the number of rows. The sums over the rows of a lane are in double precision, in the order of the rows.
struct BatchNormalization {
  Table shape;
  std::int64_t rows_per_record = 1;  // such as time steps; all lanes begin and end between records
  float epsilon;
  LaneEnds lane_ends = {};

  // How many sets of rows are normalized by themselves.
  constexpr std::int64_t lanes() const { return lane_ends.empty() ? 1 : static_cast<std::int64_t>(lane_ends.size()); }
};

// Where the means and variances of columns are added up: each has one element for a column.
struct Moments {
  float* means;
  float* variances;
};

namespace cpu {

// Each row by itself, with sums in the order of sum() (sums.h).
// normalized = (x - mean) inverse_deviation, where inverse_deviation = 1 / sqrt(variance + epsilon), of each row. The
// variance is the mean of (x - mean)^2. All but the inverse deviations, one for each row, have the table's shape.
void layer_normalization(Table shape, float epsilon, const float* x, float* normalized, float* inverse_deviation);

// of_x = inverse_deviation (of_normalized - mean(of_normalized) - normalized mean(of_normalized normalized))
void layer_normalization_gradient(Table shape, const float* of_normalized, const float* normalized,
                                  const float* inverse_deviation, float* of_x);

// normalized = (x - mean) / sqrt(variance + epsilon), of each column of each lane. The variance is the mean of
// (x - mean)^2. `moments` are the means and variances of lanes, each times the number of its records, added along the
// fixed tree. Divides columns among `threads`.
void batch_normalization(const BatchNormalization& by, const float* x, float* normalized, Moments moments,
                         ThreadPool* threads = nullptr);

// of_x = (of_normalized - mean(of_normalized) - normalized mean(of_normalized normalized)) / sqrt(variance + epsilon)
void batch_normalization_gradient(const BatchNormalization& by, const float* of_normalized, const float* x, float* of_x,
                                  ThreadPool* threads = nullptr);

}  // namespace cpu

// The same on a device: device.h says what `stream` is, and which memory all pointers and the ends of lanes are in.
namespace cuda {

void layer_normalization(Stream& stream, Table shape, float epsilon, const float* x, float* normalized,
                         float* inverse_deviation);
void layer_normalization_gradient(Stream& stream, Table shape, const float* of_normalized, const float* normalized,
                                  const float* inverse_deviation, float* of_x);

// `memory` is for batch_normalization_floats(by) floats, with which these functions compute.
constexpr std::int64_t batch_normalization_floats(const BatchNormalization& by) {
  return 4 * by.lanes() * by.shape.width;
}
void batch_normalization(Stream& stream, const BatchNormalization& by, const float* x, float* normalized,
                         Moments moments, float* memory);
void batch_normalization_gradient(Stream& stream, const BatchNormalization& by, const float* of_normalized,
                                  const float* x, float* of_x, float* memory);

}  // namespace cuda
}  // namespace carrack::train
