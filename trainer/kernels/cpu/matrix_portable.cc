// The kernels of the matrix product for any machine. Where the processor has fused multiply-adds, as on AArch64,
// compilers turn the short loops into vector instructions; elsewhere they call fmaf().
#include "trainer/kernels/cpu/matrix_tiles.h"

namespace carrack::train::cpu {
namespace portable {

struct Vector {
  static constexpr int width = 4;
  static constexpr int tile_rows = 8;  // with 2 vectors in a row, 16 registers of sums; AArch64 has 32
  static constexpr int strided_rows = 8;

  float value[width];

  static Vector zero() { return {}; }
  static Vector all(float x) { return {{x, x, x, x}}; }
  static Vector load(const float* from) { return {{from[0], from[1], from[2], from[3]}}; }
  static Vector load(const float* from, int count) {
    Vector result{};
    for (int i = 0; i < count; ++i) result.value[i] = from[i];
    return result;
  }
  void store(float* to) const { store(to, width); }
  void store(float* to, int count) const {
    for (int i = 0; i < count; ++i) to[i] = value[i];
  }
  friend Vector fma(Vector a, Vector b, Vector c) {
    Vector result;
    for (int i = 0; i < width; ++i) result.value[i] = __builtin_fmaf(a.value[i], b.value[i], c.value[i]);
    return result;
  }
  friend Vector sum(Vector a, Vector b) {
    Vector result;
    for (int i = 0; i < width; ++i) result.value[i] = a.value[i] + b.value[i];
    return result;
  }
  static void transpose(Vector (&at)[width]) {
    for (int i = 0; i < width; ++i) {
      for (int j = 0; j < i; ++j) {
        const float above = at[j].value[i];
        at[j].value[i] = at[i].value[j];
        at[i].value[j] = above;
      }
    }
  }
};

}  // namespace portable

const Kernels& portable_kernels() {
  static constexpr Kernels kernels = VectorTiles<portable::Vector>::table();
  return kernels;
}

}  // namespace carrack::train::cpu
