// Normalization of rows on the CPU. Each row is computed by itself, with sums in the order of sum() (sums.h), so its
// bits depend on nothing else.
#pragma once

#include "trainer/kernels/rows.h"

namespace carrack::train::cpu {

// normalized = (x - mean) inverse_deviation, where inverse_deviation = 1 / sqrt(variance + epsilon), of each row. The
// variance is the mean of (x - mean)^2. All but the inverse deviations, one for each row, have the table's shape.
void layer_normalization(Table shape, float epsilon, const float* x, float* normalized, float* inverse_deviation);

// of_x = inverse_deviation (of_normalized - mean(of_normalized) - normalized mean(of_normalized normalized))
void layer_normalization_gradient(Table shape, const float* of_normalized, const float* normalized,
                                  const float* inverse_deviation, float* of_x);

}  // namespace carrack::train::cpu
