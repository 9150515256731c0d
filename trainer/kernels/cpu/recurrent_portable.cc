// The cells of recurrent layers for any machine. Compilers turn the short loops into vector instructions where they
// can, as in matrix_portable.cc.
#include <bit>

#include "trainer/kernels/cpu/recurrent_loops.h"

namespace carrack::train::cpu {
namespace portable {

struct CellVector {
  static constexpr int width = 4;

  float value[width];

  template <class Function>
  static CellVector each(const Function& function) {
    return {{function(0), function(1), function(2), function(3)}};
  }
  static CellVector all(float x) { return {{x, x, x, x}}; }
  static CellVector load(const float* from) { return load(from, width); }
  static CellVector load(const float* from, int count) {
    return each([&](int i) { return i < count ? from[i] : 0.0f; });
  }
  void store(float* to) const { store(to, width); }
  void store(float* to, int count) const {
    for (int i = 0; i < count; ++i) to[i] = value[i];
  }
  friend CellVector operator+(CellVector a, CellVector b) {
    return each([&](int i) { return a.value[i] + b.value[i]; });
  }
  friend CellVector operator-(CellVector a, CellVector b) {
    return each([&](int i) { return a.value[i] - b.value[i]; });
  }
  friend CellVector operator*(CellVector a, CellVector b) {
    return each([&](int i) { return a.value[i] * b.value[i]; });
  }
  friend CellVector operator/(CellVector a, CellVector b) {
    return each([&](int i) { return a.value[i] / b.value[i]; });
  }
  friend CellVector fma(CellVector a, CellVector b, CellVector c) {
    return each([&](int i) { return __builtin_fmaf(a.value[i], b.value[i], c.value[i]); });
  }
  friend CellVector least(CellVector a, CellVector b) {
    return each([&](int i) { return a.value[i] < b.value[i] ? a.value[i] : b.value[i]; });
  }
  friend CellVector greatest(CellVector a, CellVector b) {
    return each([&](int i) { return a.value[i] > b.value[i] ? a.value[i] : b.value[i]; });
  }
  // Moves a whole number in the low bits of x to the exponent of a float (gate_functions.h).
  static CellVector power_of_two(CellVector x) {
    return each(
        [&](int i) { return std::bit_cast<float>((std::bit_cast<std::uint32_t>(x.value[i]) << 23) + 0x3f800000u); });
  }
};

}  // namespace portable

const RecurrentCells& portable_cells() {
  static constexpr RecurrentCells cells = CellLoops<portable::CellVector>::table();
  return cells;
}

}  // namespace carrack::train::cpu
