// Dropout: sets random elements to 0.
#pragma once

#include <cstdint>

#include "trainer/kernels/device.h"
#include "trainer/kernels/row_numbers.h"
#include "trainer/kernels/rows.h"

namespace carrack::train {
namespace cpu {

// y = x / (1 - rate), or 0 with probability `rate`, which is at least 0 and less than 1. The first row of the table is
// row `first_row` of the batch. Which elements are dropped depends only on `rate`, on `numbers` (one seed, step and
// layer), on the row's number in the batch and on the element's position in the row, so a batch may be cut between any
// rows. The gradient of x is the same function with the same numbers, applied to the gradient of y. y may be x.
void dropout(Table shape, const RowNumbers& numbers, std::uint64_t first_row, float rate, const float* x, float* y);

}  // namespace cpu

// The same numbers and bits on a GPU. x and y are in its memory; see Stream in device.h.
namespace cuda {

void dropout(Stream& stream, Table shape, const RowNumbers& numbers, std::uint64_t first_row, float rate,
             const float* x, float* y);

}  // namespace cuda
}  // namespace carrack::train
