// The cells of recurrent layers for AVX-512F. CMakeLists.txt compiles this file for these instructions.
#include <immintrin.h>

#include "trainer/kernels/cpu/recurrent_loops.h"

namespace carrack::train::cpu {
namespace avx512 {

struct CellVector {
  static constexpr int width = 16;

  __m512 value;

  // Returns a mask for the first `count` floats of a vector.
  static __mmask16 first(int count) { return static_cast<__mmask16>((1u << count) - 1); }
  static CellVector all(float x) { return {_mm512_set1_ps(x)}; }
  static CellVector load(const float* from) { return {_mm512_loadu_ps(from)}; }
  static CellVector load(const float* from, int count) { return {_mm512_maskz_loadu_ps(first(count), from)}; }
  void store(float* to) const { _mm512_storeu_ps(to, value); }
  void store(float* to, int count) const { _mm512_mask_storeu_ps(to, first(count), value); }
  friend CellVector operator+(CellVector a, CellVector b) { return {_mm512_add_ps(a.value, b.value)}; }
  friend CellVector operator-(CellVector a, CellVector b) { return {_mm512_sub_ps(a.value, b.value)}; }
  friend CellVector operator*(CellVector a, CellVector b) { return {_mm512_mul_ps(a.value, b.value)}; }
  friend CellVector operator/(CellVector a, CellVector b) { return {_mm512_div_ps(a.value, b.value)}; }
  friend CellVector fma(CellVector a, CellVector b, CellVector c) {
    return {_mm512_fmadd_ps(a.value, b.value, c.value)};
  }
  friend CellVector least(CellVector a, CellVector b) { return {_mm512_min_ps(a.value, b.value)}; }
  friend CellVector greatest(CellVector a, CellVector b) { return {_mm512_max_ps(a.value, b.value)}; }
  // Moves a whole number in the low bits of x to the exponent of a float (gate_functions.h).
  static CellVector power_of_two(CellVector x) {
    const __m512i exponent = _mm512_slli_epi32(_mm512_castps_si512(x.value), 23);
    return {_mm512_castsi512_ps(_mm512_add_epi32(exponent, _mm512_set1_epi32(0x3f800000)))};
  }
};

}  // namespace avx512

const RecurrentCells& avx512_cells() {
  static constexpr RecurrentCells cells = CellLoops<avx512::CellVector>::table();
  return cells;
}

}  // namespace carrack::train::cpu
