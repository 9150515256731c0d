// Dropout.
#pragma once

#include <cstdint>

#include "trainer/kernels/device.h"
#include "trainer/kernels/row_numbers.h"
#include "trainer/kernels/rows.h"

namespace carrack::train {
namespace cpu {

// y = x / (1 - rate), but 0 with probability `rate`. The first row of the table is row `first_row` of the batch: the
// numbers that decide are those of this row and the element's place in it, however a batch is cut.
void dropout(Table shape, const RowNumbers& numbers, std::uint64_t first_row, float rate, const float* x, float* y);

}  // namespace cpu

// The same numbers and bits on a device: device.h says what `stream` is, and which memory x and y are in.
namespace cuda {

void dropout(Stream& stream, Table shape, const RowNumbers& numbers, std::uint64_t first_row, float rate,
             const float* x, float* y);

}  // namespace cuda
}  // namespace carrack::train
