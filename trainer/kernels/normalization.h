// Normalization on the CPU, of rows and of columns. The bits of a row or column depend on nothing beside it.
#pragma once

#include <cstdint>

#include "trainer/kernels/lanes.h"
#include "trainer/kernels/rows.h"
#include "trainer/kernels/thread_pool.h"

namespace carrack::train::cpu {

// Each row by itself, with sums in the order of sum() (sums.h).
// normalized = (x - mean) inverse_deviation, where inverse_deviation = 1 / sqrt(variance + epsilon), of each row. The
// variance is the mean of (x - mean)^2. All but the inverse deviations, one for each row, have the table's shape.
void layer_normalization(Table shape, float epsilon, const float* x, float* normalized, float* inverse_deviation);

// of_x = inverse_deviation (of_normalized - mean(of_normalized) - normalized mean(of_normalized normalized))
void layer_normalization_gradient(Table shape, const float* of_normalized, const float* normalized,
                                  const float* inverse_deviation, float* of_x);

// Columns are normalized over the rows of each lane by themselves. Without lanes all rows are one; else the last lane
// ends at the number of rows. The sums over the rows of a lane are in double precision, in the order of the rows.
struct BatchNormalization {
  Table shape;
  std::int64_t rows_per_record = 1;  // such as time steps; all lanes begin and end between records
  float epsilon;
  LaneEnds lane_ends = {};
};

// Where the means and variances of columns are added up: each has one element for a column.
struct Moments {
  float* means;
  float* variances;
};

// normalized = (x - mean) / sqrt(variance + epsilon), of each column of each lane. The variance is the mean of
// (x - mean)^2. `moments` are the means and variances of lanes, each times the number of its records, added along the
// fixed tree. Divides columns among `threads`.
void batch_normalization(const BatchNormalization& by, const float* x, float* normalized, Moments moments,
                         ThreadPool* threads = nullptr);

// of_x = (of_normalized - mean(of_normalized) - normalized mean(of_normalized normalized)) / sqrt(variance + epsilon)
void batch_normalization_gradient(const BatchNormalization& by, const float* of_normalized, const float* x, float* of_x,
                                  ThreadPool* threads = nullptr);

}  // namespace carrack::train::cpu
