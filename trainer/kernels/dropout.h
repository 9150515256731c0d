// Dropout: sets random elements to 0.
#pragma once

#include <cstdint>

#include "trainer/kernels/device.h"
#include "trainer/kernels/row_numbers.h"
#include "trainer/kernels/rows.h"

namespace carrack::train {
namespace cpu {

// y = x / (1 - rate), or 0 with probability `rate`. The first row of the table is row `first_row` of the batch. What is
// dropped depends on the row's number in the batch and the element's position in it, so a batch may be cut anywhere.
void dropout(Table shape, const RowNumbers& numbers, std::uint64_t first_row, float rate, const float* x, float* y);

}  // namespace cpu

// The same numbers and bits on a GPU. x and y are in its memory; see Stream in device.h.
namespace cuda {

void dropout(Stream& stream, Table shape, const RowNumbers& numbers, std::uint64_t first_row, float rate,
             const float* x, float* y);

}  // namespace cuda
}  // namespace carrack::train
