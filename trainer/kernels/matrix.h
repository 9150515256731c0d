// gemm(), the product of float matrices on the CPU and on GPUs, with the same bits on every machine and device. Layers
// such as Dense are computed by it; convolutions, attention and recurrent layers use its inner functions or gemm().
//
// Each element of C is one chain of fused multiply-adds over ascending k, which begins with 0:
//     sum = fma(a[i, k], b[k, j], sum)
// Vectors of the CPU hold neighbouring elements of C, and never terms of one sum. So the bits do not depend on the
// width of the machine's vectors, the blocking, the number of threads, or the other rows and columns. Nothing is
// skipped: 0 * NaN is NaN.
#pragma once

#include <cstdint>

#include "trainer/kernels/device.h"
#include "trainer/kernels/lanes.h"

namespace carrack::train {

// C [m, n] = A' B', as in ONNX's Gemm. A is stored as [m, k], or as [k, m] with transpose_a; B is stored as [k, n], or
// as [n, k] with transpose_b. All three are dense and row-major. Any of m, n and k may be 0; with k = 0 all sums are 0.
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
  // Adds to C instead of replacing it: each chain begins with the element of C. With lanes, the element of C is added
  // to the sum of all lanes.
  bool accumulate = false;
  // Cuts k into lanes (lanes.h), for a product that sums over the rows of a batch; the last lane must end at k. The sum
  // of each lane is a chain that begins with 0, and these sums are added along the tree of lanes. Empty: one chain over
  // all of k.
  LaneEnds lane_ends = {};
  // The rows or columns of C are divided among these threads if the product is large enough. Null: the calling thread
  // computes alone.
  ThreadPool* threads = nullptr;
};

// The maximum packing memory of a thread, in bytes, for a product without lanes.
inline constexpr std::int64_t gemm_thread_bytes_max = 3 << 19;

// Computes the product and writes it to `c`, which must not overlap `a` or `b`. Pointers need no alignment beyond that
// of float. Each computing thread retains packing memory, and 16 bytes for each lane, until it ends; calls that need no
// more of it allocate nothing. Throws Error with Blame::bug if the ends of lanes do not ascend, their number is no
// power of two, or the last one is not k.
void gemm(const GemmShape& shape, const float* a, const float* b, float* c, const GemmOptions& options = {});

// The instruction sets for which this code has kernels, from the slowest to the fastest. gemm() uses fastest_level().
enum class GemmLevel { portable, avx2, avx512 };

// has() returns whether this build has kernels for the level and this machine can run them; always true for `portable`.
// fastest_level() returns the fastest level for which it is true.
bool has(GemmLevel level);
GemmLevel fastest_level();

// gemm() with the code of one level, for tests and measurements. Throws Error with Blame::bug if the machine lacks it.
void gemm_with(GemmLevel level, const GemmShape& shape, const float* a, const float* b, float* c,
               const GemmOptions& options = {});

}  // namespace cpu

// The same bits on a GPU. a, b, c and the ends of lanes are in its memory; see Stream in device.h. The ends of lanes
// are not checked. The options mean the same as on the CPU.
namespace cuda {

struct GemmOptions {
  bool accumulate = false;
  LaneEnds lane_ends = {};
};

void gemm(Stream& stream, const GemmShape& shape, const float* a, const float* b, float* c,
          const GemmOptions& options = {});

}  // namespace cuda
}  // namespace carrack::train
