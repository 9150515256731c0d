// The cells of recurrent layers for AVX2 and FMA. CMakeLists.txt compiles this file for these instructions.
#include <immintrin.h>

#include "trainer/kernels/cpu/recurrent_loops.h"

namespace carrack::train::cpu {
namespace avx2 {

struct CellVector {
  static constexpr int width = 8;

  __m256 value;

  // Returns a mask for the first `count` floats of a vector.
  static __m256i first(int count) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }
  static CellVector all(float x) { return {_mm256_set1_ps(x)}; }
  static CellVector load(const float* from) { return {_mm256_loadu_ps(from)}; }
  static CellVector load(const float* from, int count) { return {_mm256_maskload_ps(from, first(count))}; }
  void store(float* to) const { _mm256_storeu_ps(to, value); }
  void store(float* to, int count) const { _mm256_maskstore_ps(to, first(count), value); }
  friend CellVector operator+(CellVector a, CellVector b) { return {_mm256_add_ps(a.value, b.value)}; }
  friend CellVector operator-(CellVector a, CellVector b) { return {_mm256_sub_ps(a.value, b.value)}; }
  friend CellVector operator*(CellVector a, CellVector b) { return {_mm256_mul_ps(a.value, b.value)}; }
  friend CellVector operator/(CellVector a, CellVector b) { return {_mm256_div_ps(a.value, b.value)}; }
  friend CellVector fma(CellVector a, CellVector b, CellVector c) {
    return {_mm256_fmadd_ps(a.value, b.value, c.value)};
  }
  friend CellVector least(CellVector a, CellVector b) { return {_mm256_min_ps(a.value, b.value)}; }
  friend CellVector greatest(CellVector a, CellVector b) { return {_mm256_max_ps(a.value, b.value)}; }
  // Moves a whole number in the low bits of x to the exponent of a float (gate_functions.h).
  static CellVector power_of_two(CellVector x) {
    const __m256i exponent = _mm256_slli_epi32(_mm256_castps_si256(x.value), 23);
    return {_mm256_castsi256_ps(_mm256_add_epi32(exponent, _mm256_set1_epi32(0x3f800000)))};
  }
};

}  // namespace avx2

const RecurrentCells& avx2_cells() {
  static constexpr RecurrentCells cells = CellLoops<avx2::CellVector>::table();
  return cells;
}

}  // namespace carrack::train::cpu
