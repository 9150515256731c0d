// The functions of a RecurrentCells table (recurrent_cells.h), for LSTM and GRU layers, written once as templates over
// a type of vectors. Included only by recurrent_portable.cc, recurrent_avx2.cc and recurrent_avx512.cc. Such a file
// defines a type CellVector in a namespace of its own, so that no two files define the same function, and uses only
// CellLoops<CellVector>::table(). The loops call the formulas in kernels/recurrent_units.h.
//
// A CellVector has `width` floats; load() and store(), each also with a `count` below `width`, for only the first
// `count` floats; and what gate_functions.h requires. For the reason in matrix_tiles.h, no function of the standard
// library may be used here.
#pragma once

#include <cstdint>

#include "trainer/kernels/cpu/recurrent_cells.h"
#include "trainer/kernels/recurrent_units.h"

namespace carrack::train::cpu {

// Loads and stores a vector of units of one gate, from unit `first` on, or fewer if fewer of the `units` are left. A
// row has all units of gate 0, then all units of gate 1, and so on.
template <class V>
class Units {
 public:
  Units(std::int64_t units, std::int64_t first) : units_(units), first_(first), left_(units - first) {}

  V load(const float* row, int gate = 0) const {
    const float* const from = row + gate * units_ + first_;
    return left_ >= V::width ? V::load(from) : V::load(from, static_cast<int>(left_));
  }
  void store(V value, float* row, int gate = 0) const {
    float* const to = row + gate * units_ + first_;
    left_ >= V::width ? value.store(to) : value.store(to, static_cast<int>(left_));
  }

 private:
  std::int64_t units_, first_, left_;
};

template <class V>
struct CellLoops {
  using Index = std::int64_t;

  // Calls body(row, Units) for each vector of each row.
  template <class Body>
  [[gnu::always_inline]] static void for_vectors(Index rows, Index units, const Body& body) {
    for (Index row = 0; row < rows; ++row) {
      for (Index first = 0; first < units; first += V::width) body(row, Units<V>(units, first));
    }
  }

  // Stores the gates of a row one after another.
  template <class... Gates>
  [[gnu::always_inline]] static void store(const Units<V>& at, float* row, Gates... values) {
    int gate = 0;
    (at.store(values, row, gate++), ...);
  }

  // Each function works on a copy of its argument: compilers must assume that stores through pointers change the
  // argument itself, and would read it again after each. All that the function calls is inlined.
  [[gnu::flatten]] static void lstm(const LstmStep& reference) {
    const LstmStep step = reference;
    for_vectors(step.rows, step.units, [&](Index row, Units<V> at) {
      const float* const sums = step.sums + row * 4 * step.units;
      float* const c = step.c + row * step.units;
      float* const gates = step.gates + row * 4 * step.stride;
      const LstmUnit<V> unit =
          lstm_unit(at.load(sums, 0), at.load(sums, 1), at.load(sums, 2), at.load(sums, 3), at.load(c));
      store(at, gates, unit.i, unit.f, unit.g, unit.o);
      at.store(unit.cell, c);
      at.store(unit.cell, step.cells + row * step.stride);
      at.store(unit.state, step.h + row * step.h_stride);
      at.store(unit.state, step.y + row * step.stride);
    });
  }

  [[gnu::flatten]] static void lstm_gradient(const LstmGradientStep& reference) {
    const LstmGradientStep step = reference;
    for_vectors(step.rows, step.units, [&](Index row, Units<V> at) {
      const float* const gates = step.gates + row * 4 * step.stride;
      float* const of_gates = step.of_gates + row * 4 * step.stride;
      float* const of_sums = step.of_sums + row * 4 * step.units;
      float* const of_c = step.of_c + row * step.units;
      const V of_state = at.load(step.of_y + row * step.stride) + at.load(step.of_h + row * step.units);
      const LstmUnitGradient<V> of =
          lstm_unit_gradient(at.load(gates, 0), at.load(gates, 1), at.load(gates, 2), at.load(gates, 3),
                             at.load(step.cells + row * step.stride),
                             at.load(step.cells_before + row * step.before_stride), of_state, at.load(of_c));
      at.store(of.cell_before, of_c);
      store(at, of_sums, of.i, of.f, of.g, of.o);
      store(at, of_gates, of.i, of.f, of.g, of.o);
    });
  }

  [[gnu::flatten]] static void gru(const GruStep& reference) {
    const GruStep step = reference;
    for_vectors(step.rows, step.units, [&](Index row, Units<V> at) {
      const float* const input = step.input_sums + row * 3 * step.units;
      const float* const state = step.state_sums + row * 3 * step.units;
      float* const h = step.h + row * step.h_stride;
      float* const gates = step.gates + row * 3 * step.stride;
      const V n_state = at.load(state, 2);
      const GruUnit<V> unit = gru_unit(at.load(input, 0), at.load(input, 1), at.load(input, 2), at.load(state, 0),
                                       at.load(state, 1), n_state, at.load(h));
      store(at, gates, unit.z, unit.r, unit.n);
      at.store(n_state, step.of_state + row * step.stride);
      at.store(unit.state, h);
      at.store(unit.state, step.y + row * step.stride);
    });
  }

  [[gnu::flatten]] static void gru_gradient(const GruGradientStep& reference) {
    const GruGradientStep step = reference;
    for_vectors(step.rows, step.units, [&](Index row, Units<V> at) {
      const float* const gates = step.gates + row * 3 * step.stride;
      float* const of_input_sums = step.of_input_sums + row * 3 * step.stride;
      float* const of_state_sums = step.of_state_sums + row * 3 * step.stride;
      float* const of_sums = step.of_sums + row * 3 * step.units;
      float* const of_h = step.of_h + row * step.units;
      const V of_state = at.load(step.of_y + row * step.stride) + at.load(of_h);
      const GruUnitGradient<V> of = gru_unit_gradient(at.load(gates, 0), at.load(gates, 1), at.load(gates, 2),
                                                      at.load(step.of_state + row * step.stride),
                                                      at.load(step.h_before + row * step.before_stride), of_state);
      at.store(of.state_before, of_h);
      store(at, of_input_sums, of.z, of.r, of.n);
      store(at, of_state_sums, of.z, of.r, of.n_state);
      store(at, of_sums, of.z, of.r, of.n_state);
    });
  }

  static constexpr RecurrentCells table() { return {lstm, lstm_gradient, gru, gru_gradient}; }
};

}  // namespace carrack::train::cpu
