#include "trainer/kernels/matrix.h"

#include "trainer/kernels/cuda/products.cuh"

namespace carrack::train::cuda {

void gemm(Stream& stream, const GemmShape& shape, const float* a, const float* b, float* c,
          const GemmOptions& options) {
  const Matrix left = shape.transpose_a ? Matrix{a, 1, shape.m} : Matrix{a, shape.k, 1};
  const Matrix right = shape.transpose_b ? Matrix{b, shape.k, 1} : Matrix{b, 1, shape.n};
  multiply("cuda::gemm", stream,
           Product<Matrix, Matrix>{.size = {1, shape.m, shape.n},
                                   .steps = shape.k,
                                   .a = left,
                                   .b = right,
                                   .c = {c, shape.n},
                                   .accumulate = options.accumulate},
           options.lane_ends);
}

}  // namespace carrack::train::cuda
