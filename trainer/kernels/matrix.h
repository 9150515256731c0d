// The matrix product. Each element is summed in an order that depends on the shapes alone, never on threads, alignment,
// or the width of the machine's vectors, so that a lane has the same bits wherever it is computed.
#pragma once

#include <cstdint>

namespace carrack::train {

// C[m, n] = A' B' as ONNX's Gemm: A is stored [m, k], or [k, m] where transpose_a; B [k, n], or [n, k] where
// transpose_b.
struct GemmShape {
  bool transpose_a = false;
  bool transpose_b = false;
  std::int64_t m = 1;
  std::int64_t n = 1;
  std::int64_t k = 1;
  bool operator==(const GemmShape&) const = default;
};

namespace cpu {

// `c` overlaps neither `a` nor `b`.
void gemm(const GemmShape& shape, const float* a, const float* b, float* c);

}  // namespace cpu
}  // namespace carrack::train
