// The matrix product, with the same bits on every machine and device.
//
// Each element of C is one chain of fused multiply-adds over ascending k, which begins with 0:
//     sum = fma(a[i, k], b[k, j], sum)
// Vectors lie across elements of C and never along k, so neither the width of the machine's vectors, nor the blocking,
// nor the number of threads, nor the other rows and columns change a bit. Nothing is skipped: 0 * NaN is NaN.
#pragma once

#include <cstdint>

#include "trainer/kernels/device.h"
#include "trainer/kernels/lanes.h"

namespace carrack::train {

// C[m, n] = A' B', as in ONNX's Gemm. A is stored as [m, k], or as [k, m] if transpose_a is set; B as [k, n], or as [n,
// k] if transpose_b is set. Any of m, n and k may be 0.
struct GemmShape {
  bool transpose_a = false;
  bool transpose_b = false;
  std::int64_t m = 1;
  std::int64_t n = 1;
  std::int64_t k = 1;
  bool operator==(const GemmShape&) const = default;
};

namespace cpu {

class ThreadPool;

struct GemmOptions {
  // Adds to what C holds instead of replacing it: the chain begins with C's element. With lanes, C's element is added
  // to the sum of all lanes.
  bool accumulate = false;
  // Cuts k into lanes, as a batch is cut along its rows; the last one ends at k. Each lane is a chain of its own from
  // 0, and the sums of the lanes are added along the fixed tree. Empty: one chain.
  LaneEnds lane_ends = {};
  // Divides the rows or columns of C among these threads, if the product is worth it. Null: the calling thread alone.
  ThreadPool* threads = nullptr;
};

// The most packing memory that a thread owns.
inline constexpr std::int64_t gemm_thread_bytes_max = 3 << 19;

// `c` must not overlap `a` or `b`; none needs an alignment. Each thread that computes owns packing memory until it
// ends, and 24 bytes for each lane; once that is there, calls allocate nothing. Throws a bug if `lane_ends` is not as
// described.
void gemm(const GemmShape& shape, const float* a, const float* b, float* c, const GemmOptions& options = {});

// The instruction sets that there is code for, in ascending order of speed. gemm() takes the last that this machine
// has.
enum class GemmLevel { portable, avx2, avx512 };

// Whether this build and this machine have it. There is always the portable one.
bool has(GemmLevel level);
GemmLevel fastest_level();

// gemm() with the code of one level, which the machine must have: for tests and measurements.
void gemm_with(GemmLevel level, const GemmShape& shape, const float* a, const float* b, float* c,
               const GemmOptions& options = {});

}  // namespace cpu

// The same bits on a device: device.h says what `stream` is, and which memory a, b, c and the ends of lanes are in. The
// ends must be as described, which is not checked.
namespace cuda {

struct GemmOptions {
  bool accumulate = false;
  LaneEnds lane_ends = {};
};

void gemm(Stream& stream, const GemmShape& shape, const float* a, const float* b, float* c,
          const GemmOptions& options = {});

}  // namespace cuda
}  // namespace carrack::train
