// The computation of a Dropout layer: sets random elements to 0, and scales the others up by 1 / (1 - rate). The
// executor calls it in training.
#pragma once

#include <cstdint>

#include "trainer/kernels/device.h"
#include "trainer/kernels/row_numbers.h"
#include "trainer/kernels/rows.h"

namespace carrack::train {
namespace cpu {

// Each element of y is 0 with probability `rate`, and else x / (1 - rate); `rate` is at least 0 and less than 1. `x`
// and `y` have the size `shape` (rows.h), and may be the same memory. Row 0 of `x` is row `first_row` of the batch.
// Which elements are dropped depends only on `rate`, on `numbers` (which has the seed, step and layer), on the row's
// number in the batch and on the element's position in the row. So a batch may be cut between any rows. For the
// gradient of x, call the function with the same arguments and the gradient of y as `x`.
void dropout(Table shape, const RowRandomNumbers& numbers, std::uint64_t first_row, float rate, const float* x,
             float* y);

}  // namespace cpu

// The same numbers and bits on a GPU. x and y are in its memory; see Stream in device.h.
namespace cuda {

void dropout(Stream& stream, Table shape, const RowRandomNumbers& numbers, std::uint64_t first_row, float rate,
             const float* x, float* y);

}  // namespace cuda
}  // namespace carrack::train
