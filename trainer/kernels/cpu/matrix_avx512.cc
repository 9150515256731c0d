// The kernels of the matrix product for AVX-512F. CMakeLists.txt compiles this file for these instructions.
#include <immintrin.h>

#include "trainer/kernels/cpu/matrix_tiles.h"

namespace carrack::train::cpu {
namespace avx512 {

struct Vector {
  static constexpr int width = 16;
  static constexpr int tile_rows = 14;  // with 2 vectors in a row, 28 registers of sums; 4 of 32 are left for operands
  static constexpr int strided_rows = 8;

  __m512 value;

  // Returns a mask for the first `count` floats of a vector.
  static __mmask16 first(int count) { return static_cast<__mmask16>((1u << count) - 1); }
  static Vector zero() { return {_mm512_setzero_ps()}; }
  static Vector all(float x) { return {_mm512_set1_ps(x)}; }
  static Vector load(const float* from) { return {_mm512_loadu_ps(from)}; }
  static Vector load(const float* from, int count) { return {_mm512_maskz_loadu_ps(first(count), from)}; }
  void store(float* to) const { _mm512_storeu_ps(to, value); }
  void store(float* to, int count) const { _mm512_mask_storeu_ps(to, first(count), value); }
  friend Vector fma(Vector a, Vector b, Vector c) { return {_mm512_fmadd_ps(a.value, b.value, c.value)}; }
  friend Vector sum(Vector a, Vector b) { return {_mm512_add_ps(a.value, b.value)}; }

  static void transpose(Vector (&at)[width]);
};

// Transposes a matrix whose rows are 16 registers: first 4 x 4 blocks within each quarter of the registers, and then
// the order of these blocks.
[[gnu::always_inline]] inline void Vector::transpose(Vector (&at)[width]) {
  __m512 quads[16];
#pragma GCC unroll 4
  for (int i = 0; i < 16; i += 4) {
    const __m512 low01 = _mm512_unpacklo_ps(at[i].value, at[i + 1].value);
    const __m512 high01 = _mm512_unpackhi_ps(at[i].value, at[i + 1].value);
    const __m512 low23 = _mm512_unpacklo_ps(at[i + 2].value, at[i + 3].value);
    const __m512 high23 = _mm512_unpackhi_ps(at[i + 2].value, at[i + 3].value);
    quads[i] = _mm512_shuffle_ps(low01, low23, 0x44);
    quads[i + 1] = _mm512_shuffle_ps(low01, low23, 0xee);
    quads[i + 2] = _mm512_shuffle_ps(high01, high23, 0x44);
    quads[i + 3] = _mm512_shuffle_ps(high01, high23, 0xee);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    const __m512 even_top = _mm512_shuffle_f32x4(quads[i], quads[i + 4], 0x88);
    const __m512 odd_top = _mm512_shuffle_f32x4(quads[i], quads[i + 4], 0xdd);
    const __m512 even_bottom = _mm512_shuffle_f32x4(quads[i + 8], quads[i + 12], 0x88);
    const __m512 odd_bottom = _mm512_shuffle_f32x4(quads[i + 8], quads[i + 12], 0xdd);
    at[i].value = _mm512_shuffle_f32x4(even_top, even_bottom, 0x88);
    at[i + 4].value = _mm512_shuffle_f32x4(odd_top, odd_bottom, 0x88);
    at[i + 8].value = _mm512_shuffle_f32x4(even_top, even_bottom, 0xdd);
    at[i + 12].value = _mm512_shuffle_f32x4(odd_top, odd_bottom, 0xdd);
  }
}

}  // namespace avx512

const Kernels& avx512_kernels() {
  static constexpr Kernels kernels = VectorTiles<avx512::Vector>::table();
  return kernels;
}

}  // namespace carrack::train::cpu
