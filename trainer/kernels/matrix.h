// The matrix product on the CPU. Each element is summed in an order that depends only on the shapes, not on threads,
// alignment or the width of the machine's vectors, so a lane has the same bits on any machine.
#pragma once

#include <cstdint>

namespace carrack::train {

// C[m, n] = A' B', as in ONNX's Gemm. A is stored as [m, k], or as [k, m] if transpose_a is set; B as [k, n], or as [n,
// k] if transpose_b is set.
struct GemmShape {
  bool transpose_a = false;
  bool transpose_b = false;
  std::int64_t m = 1;
  std::int64_t n = 1;
  std::int64_t k = 1;
  bool operator==(const GemmShape&) const = default;
};

namespace cpu {

// `c` must not overlap `a` or `b`.
void gemm(const GemmShape& shape, const float* a, const float* b, float* c);

}  // namespace cpu
}  // namespace carrack::train
