// The elementwise part of an LSTM or GRU layer (kernels/recurrent.h), for one time step of some rows. recurrent.cc
// calls these functions between two matrix products: it computes the sums of the gates by a product, and a function
// here makes the gates, the cells and the states from them. There is a table of functions (RecurrentCells) for each
// instruction set; call its functions only if has(level) is true. All tables compute the same bits.
//
// In formulas, x is the input of the step, h the state, W and R the weights of the two, b and s biases, as in
// recurrent.h.
//
// Strides are numbers of floats. Arrays without a stride are dense: [rows, units], or [rows, gates * units] with all
// units of the first gate, then all of the second one, and so on. A field of_x is the gradient of the loss with respect
// to x, except GruStep::of_state and GruGradientStep::of_state, which are no gradients.
#pragma once

#include <cstdint>

#include "trainer/kernels/matrix.h"

namespace carrack::train::cpu {

// The argument of RecurrentCells::lstm.
struct LstmStep {
  std::int64_t rows, units;
  const float* sums;  // b + x W + h R of the gates i, f, g, o
  float* h;           // written: the state of this step; rows are `h_stride` apart
  std::int64_t h_stride;
  float* c;  // the cells of the previous step; replaced by those of this step
  // Written: the state again, the cells again, and the gates, for the results of the layer. Rows of `y` and `cells` are
  // `stride` apart, and rows of `gates` 4 * stride.
  float *y, *cells, *gates;
  std::int64_t stride;
};

// The argument of RecurrentCells::lstm_gradient. Steps are computed from the last to the first.
struct LstmGradientStep {
  std::int64_t rows, units;
  // Rows are `stride` apart, and rows of `gates` and `of_gates` 4 * stride. of_gates is the gradient of the gates'
  // sums.
  const float *of_y, *cells, *gates;
  float* of_gates;  // written
  std::int64_t stride;
  const float* cells_before;  // rows are `before_stride` apart
  std::int64_t before_stride;
  const float* of_h;  // the gradient of h from the next step
  float* of_c;        // the gradient of c from the next step; replaced by that for the previous step
  float* of_sums;     // written: the same values as of_gates, but dense
};

// The argument of RecurrentCells::gru.
struct GruStep {
  std::int64_t rows, units;
  const float* input_sums;  // b + x W of the gates z, r, n
  const float* state_sums;  // s + h R
  float* h;                 // the state of the previous step, replaced by that of this step; rows are `h_stride` apart
  std::int64_t h_stride;
  // Written. Rows of `y` and `of_state`, which is s + h R of the gate n, are `stride` apart, and rows of `gates` 3 *
  // stride.
  float *y, *gates, *of_state;
  std::int64_t stride;
};

// The argument of RecurrentCells::gru_gradient. Steps are computed from the last to the first.
struct GruGradientStep {
  std::int64_t rows, units;
  // Rows are `stride` apart, and rows of `gates` and of the two results 3 * stride.
  const float *of_y, *gates, *of_state;
  float *of_input_sums, *of_state_sums;  // written
  std::int64_t stride;
  const float* h_before;  // the state of the previous step; rows are `before_stride` apart
  std::int64_t before_stride;
  float* of_h;     // the gradient of h from the next step; replaced by that for the previous step, without R's part
  float* of_sums;  // written: the same values as of_state_sums, but dense
};

struct RecurrentCells {
  void (*lstm)(const LstmStep&);
  void (*lstm_gradient)(const LstmGradientStep&);
  void (*gru)(const GruStep&);
  void (*gru_gradient)(const GruGradientStep&);
};

// The tables, which live as long as the process. Use cells_of().
const RecurrentCells& portable_cells();
#if defined(__x86_64__)
const RecurrentCells& avx2_cells();
const RecurrentCells& avx512_cells();
#endif

// Returns the table of the level. The machine must have it; this is not checked.
const RecurrentCells& cells_of(GemmLevel level);

}  // namespace carrack::train::cpu
