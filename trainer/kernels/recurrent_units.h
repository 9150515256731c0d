// The formulas of LSTM and GRU layers (recurrent.h) for one unit at one time step, and their gradients. The CPU's loops
// (cpu/recurrent_loops.h) and the CUDA kernels call them. V is the type of vectors of an instruction set or device
// (gate_functions.h), and each element of a vector is another unit. All types give the same bits. An argument of_state
// and so on is the gradient of the loss with respect to the state and so on. No struct here contains another one,
// because compilers would not keep its vectors in registers.
#pragma once

#include "trainer/kernels/gate_functions.h"
#include "trainer/kernels/host_device.h"

namespace carrack::train {

// The result of lstm_unit().
template <class V>
struct LstmUnit {
  V i, f, g, o;   // the gates, after their activation functions
  V cell, state;  // of this step
};

// The arguments are b + x W + h R of each gate, and the cell of the previous step.
template <class V>
[[gnu::always_inline]] CARRACK_HOST_DEVICE inline LstmUnit<V> lstm_unit(V i_sum, V f_sum, V g_sum, V o_sum,
                                                                        V cell_before) {
  const V i = gate_sigmoid(i_sum), f = gate_sigmoid(f_sum), g = gate_tanh(g_sum), o = gate_sigmoid(o_sum);
  const V cell = fma(f, cell_before, i * g);
  return {i, f, g, o, cell, o * gate_tanh(cell)};
}

// The result of lstm_unit_gradient(): the gradients of the gates' sums, and of the cell of the previous step.
template <class V>
struct LstmUnitGradient {
  V i, f, g, o;
  V cell_before;
};

// The arguments are the gates, the cell, the cell of the previous step, the gradient of the state, and the gradient of
// the cell that lstm_unit_gradient() has returned as `cell_before` for the next step.
template <class V>
[[gnu::always_inline]] CARRACK_HOST_DEVICE inline LstmUnitGradient<V> lstm_unit_gradient(V i, V f, V g, V o, V cell,
                                                                                         V cell_before, V of_state,
                                                                                         V of_cell_from_next) {
  const V one = V::all(1.0f);
  const V shown = gate_tanh(cell);
  const V of_cell = of_cell_from_next + of_state * o * (one - shown * shown);
  const V of_i = of_cell * g * (i * (one - i));
  const V of_f = of_cell * cell_before * (f * (one - f));
  const V of_g = of_cell * i * (one - g * g);
  const V of_o = of_state * shown * (o * (one - o));
  return {of_i, of_f, of_g, of_o, of_cell * f};
}

// The result of gru_unit().
template <class V>
struct GruUnit {
  V z, r, n;  // the gates, after their activation functions
  V state;    // of this step
};

// The arguments are b + x W of each gate, s + h R of each gate, and the state of the previous step.
template <class V>
[[gnu::always_inline]] CARRACK_HOST_DEVICE inline GruUnit<V> gru_unit(V z_input, V r_input, V n_input, V z_state,
                                                                      V r_state, V n_state, V state_before) {
  const V z = gate_sigmoid(z_input + z_state), r = gate_sigmoid(r_input + r_state);
  const V n = gate_tanh(fma(r, n_state, n_input));
  return {z, r, n, fma(z, state_before, (V::all(1.0f) - z) * n)};
}

// The result of gru_unit_gradient(): the gradients of b + x W of each gate; of s + h R of the gate n (for the other
// gates it equals that of b + x W); and of the state of the previous step, without the part that it gets through R.
template <class V>
struct GruUnitGradient {
  V z, r, n, n_state;
  V state_before;
};

// The arguments are the gates, s + h R of the gate n, the state of the previous step, and the gradient of the state.
template <class V>
[[gnu::always_inline]] CARRACK_HOST_DEVICE inline GruUnitGradient<V> gru_unit_gradient(V z, V r, V n, V n_state,
                                                                                       V state_before, V of_state) {
  const V one = V::all(1.0f);
  const V of_z = of_state * (state_before - n) * (z * (one - z));
  const V of_n = of_state * (one - z) * (one - n * n);
  const V of_r = of_n * n_state * (r * (one - r));
  return {of_z, of_r, of_n, of_n * r, of_state * z};
}

}  // namespace carrack::train
