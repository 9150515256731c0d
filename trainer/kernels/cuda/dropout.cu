#include "trainer/kernels/dropout.h"

#include <cstddef>

#include "trainer/kernels/cuda/elements.cuh"
#include "trainer/kernels/elementwise.h"

namespace carrack::train::cuda {
namespace {

constexpr std::size_t quad_size = 4;

// Each thread computes up to four neighbouring elements of a row, because Philox draws four numbers for a counter.
__global__ void dropout_kernel(RowRandomNumbers numbers, Drop drop, std::size_t rows, std::size_t width,
                               std::uint64_t first_row, const float* x, float* y) {
  const std::size_t quads = (width + quad_size - 1) / quad_size;
  for_each_of_grid(rows * quads, [=](std::size_t i) {
    const std::size_t row = i / quads, quad = i % quads;
    const Counters<1> drawn = numbers.quads<1>(first_row + row, quad);
    const std::size_t begin = quad * quad_size;
    const std::size_t count = width - begin < quad_size ? width - begin : quad_size;
    for (std::size_t j = 0; j < count; ++j) {
      const std::size_t at = row * width + begin + j;
      y[at] = drop(x[at], drawn[j][0]);
    }
  });
}

}  // namespace

void dropout(Stream& stream, Table shape, const RowRandomNumbers& numbers, std::uint64_t first_row, float rate,
             const float* x, float* y) {
  const auto rows = static_cast<std::size_t>(shape.rows), width = static_cast<std::size_t>(shape.width);
  if (rows * width == 0) return;
  launch("cuda::dropout", stream.handle(), launch_for(rows * ((width + quad_size - 1) / quad_size)), dropout_kernel,
         numbers, Drop(rate), rows, width, first_row, x, y);
}

}  // namespace carrack::train::cuda
