// The functions of recurrent_cells.h, written once over a type of vectors. A file for one instruction set defines that
// type in a namespace of its own, so that no two files define the same function, and takes table() of
// CellLoops<Vector>.
//
// A Vector has `width` floats, load() and store(), both also for the first `count` floats alone, and what
// gate_functions.h needs. As in matrix_tiles.h, nothing of the standard library may be used here.
#pragma once

#include <cstdint>

#include "trainer/kernels/cpu/gate_functions.h"
#include "trainer/kernels/cpu/recurrent_cells.h"

namespace carrack::train::cpu {

// Vectors of the units from `first` on of one gate, or the part of one that is left of them.
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

  // Calls body(row, units) for all vectors of all rows.
  template <class Body>
  [[gnu::always_inline]] static void for_vectors(Index rows, Index units, const Body& body) {
    for (Index row = 0; row < rows; ++row) {
      for (Index first = 0; first < units; first += V::width) body(row, Units<V>(units, first));
    }
  }

  // The gates of a row behind one another.
  template <class... Gates>
  [[gnu::always_inline]] static void store(const Units<V>& at, float* row, Gates... values) {
    int gate = 0;
    (at.store(values, row, gate++), ...);
  }

  // Each function works on a copy of its argument, which stores through pointers cannot change, and has all that it
  // calls inlined.
  [[gnu::flatten]] static void lstm(const LstmStep& reference) {
    const LstmStep step = reference;
    for_vectors(step.rows, step.units, [&](Index row, Units<V> at) {
      const float* const sums = step.sums + row * 4 * step.units;
      float* const c = step.c + row * step.units;
      float* const gates = step.gates + row * 4 * step.stride;
      const V i = gate_sigmoid(at.load(sums, 0)), f = gate_sigmoid(at.load(sums, 1));
      const V g = gate_tanh(at.load(sums, 2)), o = gate_sigmoid(at.load(sums, 3));
      const V cell = fma(f, at.load(c), i * g);
      const V state = o * gate_tanh(cell);
      store(at, gates, i, f, g, o);
      at.store(cell, c);
      at.store(cell, step.cells + row * step.stride);
      at.store(state, step.h + row * step.h_stride);
      at.store(state, step.y + row * step.stride);
    });
  }

  [[gnu::flatten]] static void lstm_gradient(const LstmGradientStep& reference) {
    const LstmGradientStep step = reference;
    const V one = V::all(1.0f);
    for_vectors(step.rows, step.units, [&](Index row, Units<V> at) {
      const float* const gates = step.gates + row * 4 * step.stride;
      float* const of_gates = step.of_gates + row * 4 * step.stride;
      float* const of_sums = step.of_sums + row * 4 * step.units;
      float* const of_c = step.of_c + row * step.units;
      const V i = at.load(gates, 0), f = at.load(gates, 1), g = at.load(gates, 2), o = at.load(gates, 3);
      const V shown = gate_tanh(at.load(step.cells + row * step.stride));
      const V of_state = at.load(step.of_y + row * step.stride) + at.load(step.of_h + row * step.units);
      const V of_cell = at.load(of_c) + of_state * o * (one - shown * shown);
      const V of_i = of_cell * g * (i * (one - i));
      const V of_f = of_cell * at.load(step.cells_before + row * step.before_stride) * (f * (one - f));
      const V of_g = of_cell * i * (one - g * g);
      const V of_o = of_state * shown * (o * (one - o));
      at.store(of_cell * f, of_c);
      store(at, of_sums, of_i, of_f, of_g, of_o);
      store(at, of_gates, of_i, of_f, of_g, of_o);
    });
  }

  [[gnu::flatten]] static void gru(const GruStep& reference) {
    const GruStep step = reference;
    for_vectors(step.rows, step.units, [&](Index row, Units<V> at) {
      const float* const input = step.input_sums + row * 3 * step.units;
      const float* const state = step.state_sums + row * 3 * step.units;
      float* const h = step.h + row * step.h_stride;
      float* const gates = step.gates + row * 3 * step.stride;
      const V z = gate_sigmoid(at.load(input, 0) + at.load(state, 0));
      const V r = gate_sigmoid(at.load(input, 1) + at.load(state, 1));
      const V of_state = at.load(state, 2);
      const V n = gate_tanh(fma(r, of_state, at.load(input, 2)));
      const V result = fma(z, at.load(h), (V::all(1.0f) - z) * n);
      store(at, gates, z, r, n);
      at.store(of_state, step.of_state + row * step.stride);
      at.store(result, h);
      at.store(result, step.y + row * step.stride);
    });
  }

  [[gnu::flatten]] static void gru_gradient(const GruGradientStep& reference) {
    const GruGradientStep step = reference;
    const V one = V::all(1.0f);
    for_vectors(step.rows, step.units, [&](Index row, Units<V> at) {
      const float* const gates = step.gates + row * 3 * step.stride;
      float* const of_input_sums = step.of_input_sums + row * 3 * step.stride;
      float* const of_state_sums = step.of_state_sums + row * 3 * step.stride;
      float* const of_sums = step.of_sums + row * 3 * step.units;
      float* const of_h = step.of_h + row * step.units;
      const V z = at.load(gates, 0), r = at.load(gates, 1), n = at.load(gates, 2);
      const V of_result = at.load(step.of_y + row * step.stride) + at.load(of_h);
      const V of_z = of_result * (at.load(step.h_before + row * step.before_stride) - n) * (z * (one - z));
      const V of_n = of_result * (one - z) * (one - n * n);
      const V of_r = of_n * at.load(step.of_state + row * step.stride) * (r * (one - r));
      at.store(of_result * z, of_h);
      store(at, of_input_sums, of_z, of_r, of_n);
      store(at, of_state_sums, of_z, of_r, of_n * r);
      store(at, of_sums, of_z, of_r, of_n * r);
    });
  }

  static constexpr RecurrentCells table() { return {lstm, lstm_gradient, gru, gru_gradient}; }
};

}  // namespace carrack::train::cpu
