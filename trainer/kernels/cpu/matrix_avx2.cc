// The kernels of the matrix product for AVX2 and FMA. CMakeLists.txt compiles this file for these instructions.
#include <immintrin.h>

#include "trainer/kernels/cpu/matrix_tiles.h"

namespace carrack::train::cpu {
namespace avx2 {

struct Vector {
  static constexpr int width = 8;
  static constexpr int tile_rows = 6;  // with 2 vectors in a row, 12 registers of sums; 4 of 16 are left for operands
  static constexpr int strided_rows = 6;

  __m256 value;

  // Returns a mask for the first `count` floats of a vector.
  static __m256i first(int count) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }
  static Vector zero() { return {_mm256_setzero_ps()}; }
  static Vector all(float x) { return {_mm256_set1_ps(x)}; }
  static Vector load(const float* from) { return {_mm256_loadu_ps(from)}; }
  static Vector load(const float* from, int count) { return {_mm256_maskload_ps(from, first(count))}; }
  void store(float* to) const { _mm256_storeu_ps(to, value); }
  void store(float* to, int count) const { _mm256_maskstore_ps(to, first(count), value); }
  friend Vector fma(Vector a, Vector b, Vector c) { return {_mm256_fmadd_ps(a.value, b.value, c.value)}; }
  friend Vector sum(Vector a, Vector b) { return {_mm256_add_ps(a.value, b.value)}; }

  static void transpose(Vector (&at)[width]);
};

// Transposes a matrix whose rows are 8 registers: first 4 x 4 blocks within each half of the registers, and then the
// order of these blocks.
[[gnu::always_inline]] inline void Vector::transpose(Vector (&at)[width]) {
  __m256 quads[8];
#pragma GCC unroll 2
  for (int i = 0; i < 8; i += 4) {
    const __m256 low01 = _mm256_unpacklo_ps(at[i].value, at[i + 1].value);
    const __m256 high01 = _mm256_unpackhi_ps(at[i].value, at[i + 1].value);
    const __m256 low23 = _mm256_unpacklo_ps(at[i + 2].value, at[i + 3].value);
    const __m256 high23 = _mm256_unpackhi_ps(at[i + 2].value, at[i + 3].value);
    quads[i] = _mm256_shuffle_ps(low01, low23, 0x44);
    quads[i + 1] = _mm256_shuffle_ps(low01, low23, 0xee);
    quads[i + 2] = _mm256_shuffle_ps(high01, high23, 0x44);
    quads[i + 3] = _mm256_shuffle_ps(high01, high23, 0xee);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    at[i].value = _mm256_permute2f128_ps(quads[i], quads[i + 4], 0x20);
    at[i + 4].value = _mm256_permute2f128_ps(quads[i], quads[i + 4], 0x31);
  }
}

}  // namespace avx2

const Kernels& avx2_kernels() {
  static constexpr Kernels kernels = VectorTiles<avx2::Vector>::table();
  return kernels;
}

}  // namespace carrack::train::cpu
